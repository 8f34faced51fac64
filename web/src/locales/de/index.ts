import admin from './admin.json';
import common from './common.json';
import errors from './errors.json';
import evening from './evening.json';
import guide from './guide.json';
import home from './home.json';
import how from './how.json';
import me from './me.json';
import players from './players.json';
import replay from './replay.json';
import table from './table.json';

const own = {
  ...admin,
  ...common,
  ...errors,
  ...evening,
  ...guide,
  ...home,
  ...how,
  ...me,
  ...players,
  ...replay,
  ...table,
};
// Every game's folder has its own words.
const games = import.meta.glob<Record<string, unknown>>('../../games/*/locales/de.json', {
  eager: true,
  import: 'default',
});

export default Object.assign({}, own, ...Object.values(games)) as typeof own;
