// The API client of the page: the SDK with the credential of the signed-in user.
import { createParley } from '@parley/sdk';
import { bearer, signOut } from './credential.ts';
import { noteRequest } from './last-action.ts';
import { operatorKey, setOperatorKey } from './operator-key.ts';
import { setStreamState } from './stream-state.ts';

const stream_path = '/v1/events/stream';

async function authorizedFetch(
  input: RequestInfo | URL,
  init: RequestInit = {},
  operator_key = '',
): Promise<Response> {
  const url = new URL(String(input), location.origin);
  const credential = operator_key || (await bearer());
  const headers = new Headers(init.headers);
  if (credential) headers.set('authorization', `Bearer ${credential}`);
  noteRequest({
    method: init.method ?? 'GET',
    path: url.pathname + url.search,
    body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
  });
  // Browsers do not expose the target of a redirect, so the redirect is followed and its content is returned.
  const sent = fetch(url, { ...init, headers, redirect: 'follow', credentials: 'omit' });
  const response = url.pathname === stream_path ? await watched(sent) : await sent;
  if (response.status === 401 && !operator_key) signOut();
  return response;
}

/** Called when the event stream breaks and when it is open again. */
async function watched(sent: Promise<Response>): Promise<Response> {
  try {
    const response = await sent;
    if (!response.ok || !response.body) return response;
    setStreamState('live');
    const reader = response.body.getReader();
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        try {
          const { value, done } = await reader.read();
          if (!done) return controller.enqueue(value);
          setStreamState('broken');
          controller.close();
        } catch (error) {
          setStreamState('broken');
          controller.error(error);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    });
    return new Response(body, { status: response.status, headers: response.headers });
  } catch (error) {
    setStreamState('broken');
    throw error;
  }
}

const clientWith = (send: typeof authorizedFetch) =>
  createParley({ base_url: location.origin, api_key: '', max_retries: 1, fetch: send as typeof fetch });

export const parley = clientWith(authorizedFetch);

/** Uses the operator key if the person typed one: for decisions and for rules. A wrong one is forgotten. */
export const parleyAsPerson = clientWith(async (input, init) => {
  const key = operatorKey();
  const response = await authorizedFetch(input, init, key);
  if (key && response.status === 401) setOperatorKey('');
  return response;
});
