// Requests carried to a server.

import { root } from './address.js';

/** @type {import('./api.js').Carry} */
export async function carry(path, body, language, signal, secret = null) {
  const answer = await fetch(`${root}api/v1/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      'Accept-Language': language,
      ...(body && { 'Content-Type': 'application/json' }),
      ...(secret && { Authorization: `Bearer ${secret}` }),
    },
    body: body ? JSON.stringify(body) : undefined,
    signal,
  });
  const { ok, status } = answer;
  // An answer that breaks off is none; a refusal need not be JSON, if it is not damier's own.
  const found = ok ? await answer.json() : await answer.json().catch(() => null);
  return { status, body: found, again: Number(answer.headers.get('Retry-After') ?? 2) };
}
