// Where carriers bring the sound of calls: each call has a token of its own, and a token opens once.
import { createHash, randomBytes } from 'node:crypto';
import type { MediaClock } from '../media/media-clock.ts';
import type { MediaSession } from '../media/media-session.ts';
import type { MediaSocket } from './carrier.ts';
import { textField } from './carrier-http.ts';
import { parsed, type StreamDialect, streamSession } from './stream-session.ts';

type Expected = {
  call_id: string;
  provider_call_id: string | null;
  token: string;
  media: PromiseWithResolvers<MediaSession | null>;
};

export type MediaSocketDeps = {
  clock: MediaClock;
  log: { warn(fields: object, text: string): void };
};

/** From the socket's opening to the message that says whose it is. */
const start_ms = 10_000;
/** For what comes between the last ring and the socket. */
const spare_seconds = 60;
/** So much of a token may be read in a log. */
const fingerprint = (token: string) => createHash('sha256').update(token).digest('hex').slice(0, 8);

export function mediaSockets(
  deps: MediaSocketDeps & {
    carrier: string;
    /** The token and the dialect of a stream, by its first message and the query of its address. */
    opening(
      start: unknown,
      query: URLSearchParams,
    ): { token: string; dialect: StreamDialect; is_readable: boolean };
    /** Null: keys are played as tones. */
    sendDigits: ((provider_call_id: string, digits: string) => Promise<void>) | null;
    hangUp(provider_call_id: string): void;
  },
) {
  const { log, carrier } = deps;
  const by_token = new Map<string, Expected>();
  const by_call = new Map<string, Expected>();
  const by_carrier = new Map<string, Expected>();

  const name = (expected: Expected, provider_call_id: string) => {
    expected.provider_call_id = provider_call_id;
    by_carrier.set(provider_call_id, expected);
  };
  const forget = (expected: Expected, media: MediaSession | null) => {
    by_token.delete(expected.token);
    expected.media.resolve(media);
  };
  const remove = (expected: Expected) => {
    forget(expected, null);
    by_call.delete(expected.call_id);
    if (expected.provider_call_id !== null) by_carrier.delete(expected.provider_call_id);
  };

  const enter = (socket: MediaSocket, start: unknown, query: URLSearchParams) => {
    const { token, dialect, is_readable } = deps.opening(start, query);
    const expected = by_token.get(token);
    if (!expected) {
      log.warn({ carrier, token: fingerprint(token) }, 'a media socket came with a wrong or used token');
      socket.close(1008, 'wrong or used token');
      return null;
    }
    if (!is_readable) {
      log.warn({ carrier }, 'a media socket speaks a codec that was not asked for');
      socket.close(1003, 'unknown codec');
      remove(expected);
      return null;
    }
    const id = () => expected.provider_call_id ?? '';
    const stream = streamSession({
      ...deps,
      socket,
      dialect,
      sendDigits: deps.sendDigits && ((digits) => deps.sendDigits!(id(), digits)),
      hangUp: () => deps.hangUp(id()),
    });
    forget(expected, stream.session);
    void stream.session.closed.then(() => remove(expected));
    return stream;
  };

  return {
    /** The token that this call's sound will come with, for as long as it may ring. */
    expect(
      call_id: string,
      seconds: number,
    ): { token: string; named(provider_call_id: string): void; cancel(): void } {
      const token = randomBytes(32).toString('base64url');
      const media = Promise.withResolvers<MediaSession | null>();
      const expected: Expected = { call_id, provider_call_id: null, token, media };
      by_token.set(token, expected);
      by_call.set(call_id, expected);
      const cancel = deps.clock.after((seconds + spare_seconds) * 1000, () => remove(expected));
      void media.promise.then(cancel);
      return { token, named: (id) => name(expected, id), cancel: () => remove(expected) };
    },
    /** After a lost answer the carrier's id becomes known by other ways. */
    named(call_id: string, provider_call_id: string): void {
      const expected = by_call.get(call_id);
      if (expected && expected.provider_call_id === null) name(expected, provider_call_id);
    },
    /** The carrier says that the call is over. */
    ended(call: { provider_call_id: string; call_id: string | null }): void {
      const expected = by_carrier.get(call.provider_call_id) ?? by_call.get(call.call_id ?? '');
      if (expected && by_token.has(expected.token)) remove(expected);
    },
    media: (provider_call_id: string): Promise<MediaSession | null> =>
      by_carrier.get(provider_call_id)?.media.promise ?? Promise.resolve(null),

    openMedia(socket: MediaSocket, query: URLSearchParams): void {
      const ignore = () => {};
      const cancel = deps.clock.after(start_ms, () => {
        socket.onMessage(ignore);
        log.warn({ carrier }, 'a media socket did not say whose it is');
        socket.close(1008, 'no start');
      });
      socket.onClose(cancel);
      socket.onMessage((text) => {
        const message = parsed(text);
        if (textField(message, 'event') !== 'start') return;
        cancel();
        const stream = enter(socket, message, query);
        // From here on the sockets is not in the way.
        socket.onMessage(stream ? stream.receive : ignore);
      });
    },
  };
}
export type MediaSockets = ReturnType<typeof mediaSockets>;
