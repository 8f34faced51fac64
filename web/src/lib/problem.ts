// What went wrong, in the reader's language. The server's own sentence is English: it is for programs and logs.
import { ApiError } from './api';
import { t, tryT, type Key } from './i18n.svelte';
import type { Code } from './protocol';

// Does not compile unless every code of the server has words.
const keyOf = (code: Code | 'offline'): Key => `error.${code}`;

// A code that this page does not know (the server is newer) is a fault like any other.
export function errorText(code: string): string {
  return tryT(keyOf(code as Code)) ?? t('error.internal');
}

export function problem(error: unknown): string {
  return errorText(error instanceof ApiError ? error.code : 'internal');
}

// Of a form that asks for nothing but a name.
export function nameProblem(error: unknown): string {
  return error instanceof ApiError && error.code === 'options' ? t('error.name') : problem(error);
}
