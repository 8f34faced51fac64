import blocco from './blocco.json';
import common from './common.json';
import home from './home.json';
import how from './how.json';
import linko from './linko.json';
import me from './me.json';
import replay from './replay.json';
import table from './table.json';

export default { ...common, ...home, ...table, ...linko, ...blocco, ...replay, ...how, ...me };
