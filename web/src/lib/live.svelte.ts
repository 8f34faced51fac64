// What a screen reader announces: one polite region for the whole page.
let text = $state('');

export function tell(words: string): void {
  text = text === words ? `${words}\u00a0` : words; // the same words again are announced again
}

export function told(): string {
  return text;
}
