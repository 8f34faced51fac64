// A short, soft chime, made on the spot: there is no file to load.
let context: AudioContext | null = null;

export function chime(notes: number[] = [523, 659]): void {
  try {
    context ??= new AudioContext();
    const start = context.currentTime;
    notes.forEach((pitch, place) => {
      const tone = context!.createOscillator();
      const loud = context!.createGain();
      tone.frequency.value = pitch;
      tone.type = 'sine';
      const at = start + place * 0.11;
      loud.gain.setValueAtTime(0, at);
      loud.gain.linearRampToValueAtTime(0.09, at + 0.02);
      loud.gain.exponentialRampToValueAtTime(0.0001, at + 0.5);
      tone.connect(loud).connect(context!.destination);
      tone.start(at);
      tone.stop(at + 0.55);
    });
  } catch {
    // no sound here
  }
}
