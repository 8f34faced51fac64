// What went wrong, in the reader's language where we have words for it.
import { ApiError } from './api';
import { t, tryT } from './i18n.svelte';

export function problem(error: unknown): string {
  if (!(error instanceof ApiError)) return t('home.error.internal');
  return tryT(`home.error.${error.code}`) ?? error.message;
}
