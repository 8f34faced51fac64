// The page for those who are offline, in their language; and back to the game as soon as they are not.
const WORDS = {
  de: [
    'Du bist offline. Deine Partien sind sicher: Spiel weiter, sobald du wieder verbunden bist.',
    'Noch einmal versuchen',
  ],
  fr: ['Tu es hors ligne. Tes parties sont en sécurité : reprends dès que tu es reconnecté.', 'Réessayer'],
  it: ['Sei offline. Le tue partite sono al sicuro: riprendi appena torni in rete.', 'Riprova'],
  pl: [
    'Brak połączenia. Twoje partie są bezpieczne: wrócisz do nich, gdy tylko odzyskasz sieć.',
    'Spróbuj ponownie',
  ],
  ko: ['인터넷에 연결되어 있지 않아요. 게임은 안전하니 다시 연결되면 이어서 하세요.', '다시 시도'],
};
const language = navigator.languages
  .map((each) => each.slice(0, 2))
  .find((each) => each === 'en' || each in WORDS);
if (language in WORDS) {
  const [text, again] = WORDS[language];
  document.documentElement.lang = language;
  document.getElementById('text').textContent = text;
  document.getElementById('again').textContent = again;
}

// The browser says when there is a network again, but not whether the server can be reached.
async function tryAgain() {
  const answer = await fetch('/healthz', { cache: 'no-store' }).catch(() => null);
  if (answer?.ok) location.reload();
}
addEventListener('online', tryAgain);
setInterval(tryAgain, 3000);
