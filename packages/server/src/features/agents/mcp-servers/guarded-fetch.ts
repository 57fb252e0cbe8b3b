// A fetch for addresses that users supply: guarded connections, no redirects, responses of limited size.
import { type Dispatcher, fetch, Response } from 'undici';

export type FetchLike = (url: string | URL, init?: RequestInit) => Promise<globalThis.Response>;

export class ResponseTooLarge extends Error {
  override name = 'ResponseTooLarge';
}

export const guardedFetch =
  (dispatcher: Dispatcher, max_bytes: number): FetchLike =>
  async (url, init) => {
    // The types of the library and of undici describe the same objects.
    const options = { ...init, dispatcher, redirect: 'error' } as Parameters<typeof fetch>[1];
    const response = await fetch(url, options);
    const { status, statusText, headers } = response;
    const body = response.body?.pipeThrough(limitBytes(max_bytes) as never) ?? null;
    return new Response(body as never, { status, statusText, headers }) as unknown as globalThis.Response;
  };

function limitBytes(max_bytes: number): TransformStream<Uint8Array, Uint8Array> {
  let received_bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      received_bytes += chunk.byteLength;
      if (received_bytes > max_bytes) controller.error(new ResponseTooLarge('The response is too large.'));
      else controller.enqueue(chunk);
    },
  });
}
