// Thirteen steps of one path through OKLCH, equally far apart for the eye: from ice over teal, green and gold
// to ember and plum, ever deeper. `ground` is the paper, `tone` the drawing, `deep` the ink: at least 4.5 to 1
// on its own ground, by day and by lamplight.
type Colours = { ground: string; tone: string; deep: string };
const step = (ground: string, tone: string, deep: string): Colours => ({ ground, tone, deep });

export const COLOURS: Record<string, Colours> = {
  '1': step('#f2f9fe', '#9ecef1', '#036696'),
  '2': step('#edf9fb', '#70ccd7', '#016771'),
  '3': step('#ebf8f4', '#5cc9b0', '#026555'),
  '4': step('#ecf7ee', '#70c283', '#15622f'),
  '5': step('#eff4e8', '#9cbb59', '#425700'),
  '6': step('#f3f1e3', '#c2af35', '#554a00'),
  '7': step('#f6eee1', '#d39814', '#5d4000'),
  '8': step('#f9ebe0', '#d77d13', '#623500'),
  '9': step('#fae8e0', '#cf601a', '#662800'),
  '10': step('#fae6de', '#bf452c', '#671c0c'),
  '11': step('#fae4dd', '#a4343b', '#62141b'),
  '12': step('#f9e2dd', '#872740', '#5c0e26'),
  '13': step('#f9e0dd', '#681b3f', '#540a30'),
  X: step('#161c33', '#e2ab4f', '#f3cd7c'), // the lynx comes at night
};
