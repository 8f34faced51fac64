// Looking for words in a text as people do: capitals and accents do not matter, and all words have to be there.
const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .replace(/ł/gi, 'l')
    .normalize('NFC')
    .toLowerCase();

export const wordsOf = (wanted: string): string[] => plain(wanted).split(/\s+/).filter(Boolean);

export function matches(text: string, wanted: string): boolean {
  const whole = plain(text);
  return wordsOf(wanted).every((word) => whole.includes(word));
}

// Where words stand in a text. Letters with accents may be one character or two, so it is looked letter by letter.
export function found(text: string, wanted: string): [number, number][] {
  const letters = [...text];
  const starts: number[] = []; // of each letter of the plain text, in the real one
  let whole = '';
  let at = 0;
  for (const letter of letters) {
    const bare = plain(letter);
    for (let i = 0; i < bare.length; i++) starts.push(at);
    whole += bare;
    at += letter.length;
  }
  starts.push(at);
  return wordsOf(wanted).flatMap((word) => {
    const places: [number, number][] = [];
    for (let i = whole.indexOf(word); i >= 0; i = whole.indexOf(word, i + word.length))
      places.push([starts[i]!, starts[i + word.length]!]);
    return places;
  });
}

// The rules in a page of rules: what is marked as one, or a whole section.
export const parts = (root: HTMLElement): HTMLElement[] =>
  [...root.querySelectorAll<HTMLElement>('section, [data-rule]')].filter(
    (part) => !part.querySelector('[data-rule]'),
  );

// Marks the words, without touching what they stand in; not in browsers that cannot. Returns how to undo it.
export function mark(within: readonly HTMLElement[], wanted: string): () => void {
  if (typeof Highlight === 'undefined' || !CSS.highlights) return () => {};
  const ranges: Range[] = [];
  for (const part of wordsOf(wanted).length ? within : []) {
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      for (const [from, to] of found((node as Text).data, wanted)) {
        const range = new Range();
        range.setStart(node, from);
        range.setEnd(node, to);
        ranges.push(range);
      }
  }
  CSS.highlights.set('rule', new Highlight(...ranges));
  return () => void CSS.highlights.delete('rule');
}
