// The sounds of the table, made on the spot: there is no file to load.
import type { Sound } from '../games/game';
import { settings } from './settings.svelte';

let context: AudioContext | null = null;
let master: GainNode | null = null;
let noise: AudioBuffer | null = null;

function ready(): { context: AudioContext; out: GainNode; noise: AudioBuffer } | null {
  if (settings.volume <= 0) return null;
  try {
    context ??= new AudioContext();
    if (!master) {
      master = context.createGain();
      master.connect(context.destination);
    }
    if (!noise) {
      noise = context.createBuffer(1, context.sampleRate * 0.4, context.sampleRate);
      const data = noise.getChannelData(0);
      for (let i = 0; i < data.length; i += 1) data[i] = Math.random() * 2 - 1;
    }
    master.gain.value = (settings.volume / 100) ** 2 * 0.9;
    void context.resume(); // browsers keep it quiet until somebody has touched the page
    return { context, out: master, noise };
  } catch {
    return null; // no sound here
  }
}

// Air that is moved: a card that slides, a paw that strikes.
function rustle(pitch: number, seconds: number, loud: number, to = pitch, after = 0): void {
  const found = ready();
  if (!found) return;
  const at = found.context.currentTime + after;
  const source = found.context.createBufferSource();
  const filter = found.context.createBiquadFilter();
  const gain = found.context.createGain();
  source.buffer = found.noise;
  filter.type = 'bandpass';
  filter.Q.value = 0.9;
  filter.frequency.setValueAtTime(pitch, at);
  filter.frequency.exponentialRampToValueAtTime(to, at + seconds);
  gain.gain.setValueAtTime(0.0001, at);
  gain.gain.exponentialRampToValueAtTime(loud, at + seconds * 0.18);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + seconds);
  source.connect(filter).connect(gain).connect(found.out);
  source.start(at, Math.random() * 0.1, seconds + 0.02);
}

function tone(
  pitch: number,
  seconds: number,
  loud: number,
  after = 0,
  to = pitch,
  type: OscillatorType = 'sine',
): void {
  const found = ready();
  if (!found) return;
  const at = found.context.currentTime + after;
  const source = found.context.createOscillator();
  const gain = found.context.createGain();
  source.type = type;
  source.frequency.setValueAtTime(pitch, at);
  source.frequency.exponentialRampToValueAtTime(to, at + seconds);
  gain.gain.setValueAtTime(0.0001, at);
  gain.gain.exponentialRampToValueAtTime(loud, at + 0.015);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + seconds);
  source.connect(gain).connect(found.out);
  source.start(at);
  source.stop(at + seconds + 0.02);
}

const SOUNDS: Record<Sound | 'turn', () => void> = {
  deal: () => {
    for (let i = 0; i < 6; i += 1) rustle(2800 + i * 120, 0.09, 0.22, 1700, i * 0.09);
  },
  play: () => {
    rustle(2600, 0.1, 0.35, 1400);
    tone(190, 0.09, 0.16, 0.03, 120);
  },
  draw: () => rustle(3400, 0.12, 0.2, 2200),
  snatch: () => {
    rustle(900, 0.22, 0.6, 3800);
    tone(150, 0.2, 0.4, 0.13, 62);
    rustle(500, 0.12, 0.4, 220, 0.14);
  },
  score: () => [392, 523, 659].forEach((pitch, i) => tone(pitch, 0.3, 0.16, i * 0.07, pitch, 'triangle')),
  give: () => rustle(2200, 0.2, 0.25, 900),
  end: () => [392, 494, 587, 784].forEach((pitch, i) => tone(pitch, 0.8, 0.14, i * 0.12)),
  turn: () => [523, 659].forEach((pitch, i) => tone(pitch, 0.45, 0.16, i * 0.11)),
};

export function sound(name: Sound | 'turn'): void {
  SOUNDS[name]();
}
