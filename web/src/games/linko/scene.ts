import type { Scene as Any } from '../../lib/scene';
import type { Private, Public } from './protocol';

export type Scene = Any<Public, Private>;
