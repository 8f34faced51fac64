import { mount } from 'svelte';
import '../src/app.css';
import Picture from './Picture.svelte';

mount(Picture, { target: document.body, props: { game: location.hash.slice(1) } });
