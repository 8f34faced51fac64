// Every address of the page and of the server, once.
import type { Viewer } from './replay';

// The first part of each, by which the router knows a page.
export const FIRST = {
  how: 'how',
  me: 'me',
  new: 'new',
  import: 'import',
  table: 't',
  big: 'big',
  replay: 'g',
  player: 'p',
  ladder: 'ladder',
  admin: 'admin',
  api: 'api',
} as const;
export const INVITE = 'i'; // names the invitation in the address of a table
// After the # of a personal link is its secret; other words there name a part of the page, and are short.
const SECRET = /^[\w-]{20,}$/;

const part = encodeURIComponent;
const api = `/${FIRST.api}`;
const table = (id: string) => `${api}/tables/${part(id)}`;
const record = (id: string) => `${api}/records/${part(id)}`;

export const path = {
  home: '/',
  how: (game = '') => `/${FIRST.how}${game ? `/${part(game)}` : ''}`,
  me: `/${FIRST.me}`,
  games: `/${FIRST.me}#games`,
  new: `/${FIRST.new}`,
  import: `/${FIRST.import}`,
  table: (id: string) => `/${FIRST.table}/${part(id)}`,
  invitation: (id: string, invite: string) =>
    `${location.origin}/${FIRST.table}/${part(id)}#${INVITE}=${part(invite)}`,
  profile: (guest: string) => `/${FIRST.player}/${part(guest)}`,
  ladder: (game = '', edition = '') => `/${FIRST.ladder}${game ? `/${part(game)}/${part(edition)}` : ''}`,
  invited: (id: string, invite: string) => `/${FIRST.table}/${part(id)}#${INVITE}=${part(invite)}`,
  // The same on a screen for everybody. Other devices sit down by the invitation.
  big: (id: string, invite = '') => `/${FIRST.big}/${part(id)}${invite ? `#${INVITE}=${part(invite)}` : ''}`,
  replay: (id: string, step?: number) =>
    `/${FIRST.replay}/${part(id)}${step === undefined ? '' : `#${step}`}`,

  // The server's: what there is to play, and tables.
  offer: `${api}/games`,
  socket: `${api}/socket`,
  play: `${api}/play`,
  guide: `${api}/guide`,
  tables: `${api}/tables`,
  useOf: (id: string) => `${table(id)}/invitation`,
  join: (id: string) => `${table(id)}/join`,
  leave: (id: string) => `${table(id)}/leave`,
  start: (id: string) => `${table(id)}/start`,
  rematch: (id: string) => `${table(id)}/rematch`,
  spectators: (id: string) => `${table(id)}/spectators`,
  remove: (id: string) => `${table(id)}/remove`,
  pause: (id: string) => `${table(id)}/pause`,
  continue: (id: string) => `${table(id)}/continue`,
  reports: (id: string) => `${table(id)}/reports`,
  // Finished games.
  records: `${api}/records`,
  record,
  result: (id: string) => `${record(id)}/result`,
  moments: (id: string) => `${record(id)}/moments`,
  download: (id: string) => `${record(id)}?download=true`,
  steps: (id: string, viewer: Viewer) =>
    `${record(id)}/replay${viewer === 'open' ? '' : `?viewer=${viewer}`}`,
  // People.
  identity: `${api}/me`,
  claim: `${api}/me/claim`,
  link: `${api}/me/link`,
  devices: `${api}/me/devices`,
  sessions: `${api}/me/sessions`,
  session: (id: string) => `${api}/me/sessions/${part(id)}`,
  myTables: `${api}/me/tables`,
  myGames: `${api}/me/games`,
  bots: `${api}/me/bots`,
  bot: (id: string) => `${api}/me/bots/${part(id)}`,
  push: `${api}/me/push`,
  endPush: `${api}/me/push/end`,
  pushKey: `${api}/push`,
  mutes: `${api}/me/mutes`,
  mute: (guest: string) => `${api}/me/mutes/${part(guest)}`,
  // For administrators.
  admin: `${api}/admin`,
  switches: `${api}/admin/switches`,
  banGuest: `${api}/admin/bans/guests`,
  banNetwork: `${api}/admin/bans/networks`,
  unban: `${api}/admin/bans/lift`,
  closeTable: (id: string) => `${api}/admin/tables/${part(id)}/close`,
  deleteChat: (id: string) => `${api}/admin/tables/${part(id)}/chat/delete`,
  deleteGame: (id: string) => `${api}/admin/games/${part(id)}`,
  resolve: (id: string) => `${api}/admin/reports/${part(id)}/resolve`,
  player: (guest: string) => `${api}/players/${part(guest)}`,
  gamesOf: (guest: string, wanted: Record<string, string>) =>
    `${api}/players/${part(guest)}/games?${new URLSearchParams(wanted)}`,
  career: (guest: string) => `${api}/players/${part(guest)}/statistics`,
  standings: (game: string, edition: string) => `${api}/ladder/${part(game)}/${part(edition)}`,
};

// Secrets stand after the #, which browsers never send: no server, proxy or log on the way sees them.
export const secretIn = (hash: string): string => (SECRET.test(hash.slice(1)) ? hash.slice(1) : '');
export const inviteIn = (hash: string): string => new URLSearchParams(hash.slice(1)).get(INVITE) ?? '';

// Links of version 0.1 had them before the #, and still work. Such a link in the new form; null for other addresses.
export function moved(address: string, search: string): string | null {
  const [first, second, ...more] = address.split('/').filter(Boolean);
  if (first === FIRST.me && SECRET.test(second ?? '') && !more.length) return `/${FIRST.me}#${second}`;
  const invite = new URLSearchParams(search).get(INVITE);
  if (first === FIRST.table && second && invite) return `/${FIRST.table}/${second}#${INVITE}=${part(invite)}`;
  return null;
}

export const isApi = (address: string): boolean => address.startsWith(`${api}/`);
