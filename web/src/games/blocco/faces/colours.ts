// The seven colours of Blocco. `tone` is the colour itself, `ink` what is printed on it, `ground` a paper tint
// of it and `deep` the ink on that paper: both inks at least 4.5 to 1. Light and dark take turns, so that the
// two colours of a number also differ in grey.
export interface Colours {
  ground: string;
  tone: string;
  deep: string;
  ink: string;
}
const PAPER = '#fffaf0';

export const COLOURS: Record<string, Colours> = {
  '1a': { ground: '#f6faea', tone: '#a9d26d', deep: '#2f5410', ink: '#24420b' }, // light green
  '1b': { ground: '#eef6ee', tone: '#1f6a40', deep: '#175232', ink: PAPER }, // dark green
  '2a': { ground: '#eff8fc', tone: '#8dcdec', deep: '#0f527a', ink: '#0a3d5e' }, // light blue
  '2b': { ground: '#eff3fb', tone: '#2355a6', deep: '#1c4488', ink: PAPER }, // blue
  '3a': { ground: '#fdf7e0', tone: '#f5cf3d', deep: '#665000', ink: '#4c3a00' }, // yellow
  '3b': { ground: '#fdf1e4', tone: '#ea7f22', deep: '#7a3300', ink: '#431b00' }, // orange
  '4a': { ground: '#fdefec', tone: '#b92d2d', deep: '#8f1d1f', ink: PAPER }, // red
};
