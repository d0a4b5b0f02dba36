// Transport of requests to a server by HTTP.

import { root } from './address.js';

/** @type {import('./api.js').Transport} */
export async function sendToServer(path, body, language, signal, secret = null, method) {
  const answer = await fetch(`${root}api/v1/${path}`, {
    method: method ?? (body ? 'POST' : 'GET'),
    headers: {
      'Accept-Language': language,
      ...(body && { 'Content-Type': 'application/json' }),
      ...(secret && { Authorization: `Bearer ${secret}` }),
    },
    body: body ? JSON.stringify(body) : undefined,
    signal,
  });
  const { ok, status } = answer;
  // An incomplete response is an error. An error response may come from a proxy and be no JSON.
  const isEmpty = status === 204;
  const found = ok && !isEmpty ? await answer.json() : await answer.json().catch(() => null);
  return { status, body: found, again: Number(answer.headers.get('Retry-After') ?? 2) };
}
