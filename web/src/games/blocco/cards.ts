// The cards of Blocco, for drawing and sorting them.
import { ordered } from '../../lib/cards';

export const COLOURS = ['1a', '1b', '2a', '2b', '3a', '3b', '4a'];
export const { sorted, grouped } = ordered(COLOURS);
