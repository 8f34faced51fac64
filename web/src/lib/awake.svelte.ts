// The screen stays on while a game is played. A browser lets go of that when the tab is hidden; it is asked again when
// the tab is back.
export function stayAwake(wanted: () => boolean): void {
  $effect(() => {
    if (!wanted() || !('wakeLock' in navigator)) return;
    let lock: WakeLockSentinel | null = null;
    let asked = false;
    let over = false;
    async function ask(): Promise<void> {
      if (document.hidden || lock || asked) return;
      asked = true;
      try {
        lock = await navigator.wakeLock.request('screen');
        lock.addEventListener('release', () => (lock = null));
        if (over) void lock.release();
      } catch {
        // the device saves its battery
      } finally {
        asked = false;
      }
    }
    const back = () => void ask();
    back();
    document.addEventListener('visibilitychange', back);
    return () => {
      over = true;
      document.removeEventListener('visibilitychange', back);
      void lock?.release();
    };
  });
}
