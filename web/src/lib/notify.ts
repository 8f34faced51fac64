// Notifications that it is one's turn. They are asked for only when somebody presses for them. While a tab is hidden,
// the page shows them itself; for games that take days the server reminds a browser that is closed (Web Push).
import { get, post, put } from './api';
import type { PushKey } from './http';
import { currentLanguage, t } from './i18n.svelte';
import { path } from './paths';
import { save, settings } from './settings.svelte';

export const canNotify = (): boolean => typeof Notification !== 'undefined';

const worker = async (): Promise<ServiceWorkerRegistration | null> =>
  (await navigator.serviceWorker?.getRegistration().catch(() => undefined)) ?? null;

// Whether it worked: somebody may say no.
export async function turnOn(): Promise<boolean> {
  if (!canNotify() || (await Notification.requestPermission()) !== 'granted') return false;
  settings.notify = true;
  save();
  await subscribe().catch(() => {}); // notifications of the page itself work all the same
  return true;
}

export async function turnOff(): Promise<void> {
  settings.notify = false;
  save();
  const found = await (await worker())?.pushManager?.getSubscription();
  if (!found) return;
  await post(path.endPush, { endpoint: found.endpoint }).catch(() => {});
  await found.unsubscribe().catch(() => {});
}

async function subscribe(): Promise<void> {
  const registration = await worker();
  if (!registration?.pushManager) return;
  const { key } = await get<PushKey>(path.pushKey);
  if (!key) return;
  const found = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: key,
  });
  const { endpoint, keys } = found.toJSON();
  if (!endpoint || !keys?.['p256dh'] || !keys['auth']) return;
  const { p256dh, auth } = keys;
  await put(path.push, { endpoint, p256dh, auth, language: currentLanguage() });
}

// It is the reader's turn, and the tab is hidden.
export async function notifyTurn(table: string, game: string): Promise<void> {
  if (!settings.notify || !document.hidden || !canNotify() || Notification.permission !== 'granted') return;
  const what = { body: game, tag: table, icon: '/icon-192.png' };
  const registration = await worker();
  if (registration) {
    await registration.showNotification(t('table.yourturn'), { ...what, data: { url: path.table(table) } });
    return;
  }
  const shown = new Notification(t('table.yourturn'), what);
  shown.onclick = () => {
    window.focus();
    shown.close();
  };
}
