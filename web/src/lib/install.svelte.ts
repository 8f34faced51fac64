// The browser's offer to put the game on the home screen. It comes once, soon after the page was opened.
interface InstallPrompt extends Event {
  prompt(): Promise<unknown>;
}
let offered = $state.raw<InstallPrompt | null>(null);

if (typeof window !== 'undefined') {
  window.addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault(); // asked when somebody wants it, not in the middle of a game
    offered = event as InstallPrompt;
  });
  window.addEventListener('appinstalled', () => (offered = null));
}

export const canInstall = (): boolean => offered !== null;

export async function install(): Promise<void> {
  await offered?.prompt();
  offered = null; // it can be used once
}
