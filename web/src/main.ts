import { mount } from 'svelte';
import './app.css';
import App from './App.svelte';
import { setLanguage } from './lib/i18n.svelte';
import './lib/install.svelte';
import { identity } from './lib/me.svelte';
import { applyTheme, settings } from './lib/settings.svelte';

applyTheme();
void identity.arrive();
await setLanguage(settings.language); // or English, if that does not come
mount(App, { target: document.getElementById('app')! });
if ('serviceWorker' in navigator && location.protocol === 'https:')
  void navigator.serviceWorker.register('/sw.js');
