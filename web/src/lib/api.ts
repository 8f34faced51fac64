// Requests to the server. Errors carry the server's code and its sentence.
import type { Problem } from './http';

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    text: string,
    readonly more: Partial<Pick<Problem, 'until' | 'reason' | 'decision'>> = {},
  ) {
    super(text);
  }
}

async function request<T>(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(path, {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
  } catch {
    throw new ApiError(0, 'offline', 'offline');
  }
  const text = await answer.text();
  const found = text ? JSON.parse(text) : null;
  if (!answer.ok) {
    const { code, text: words, ...more } = (found ?? {}) as Partial<Problem>;
    throw new ApiError(answer.status, code ?? 'internal', words ?? answer.statusText, more);
  }
  return found as T;
}

export const get = <T>(path: string) => request<T>('GET', path);
export const post = <T>(path: string, body: unknown = {}) => request<T>('POST', path, body);
export const put = <T>(path: string, body: unknown = {}) => request<T>('PUT', path, body);
export const patch = <T>(path: string, body: unknown) => request<T>('PATCH', path, body);
export const del = <T>(path: string) => request<T>('DELETE', path);
// For administrators: the same with their token.
export const asAdmin =
  (token: string) =>
  <T = unknown>(method: string, path: string, body?: unknown) =>
    request<T>(method, path, body, { authorization: `Bearer ${token}` });
