// Matches the WebSockets that carriers open to calls: each call has its own token, which works once.
import { createHash, randomBytes } from 'node:crypto';
import type { MediaClock } from '../media/media-clock.ts';
import type { MediaSession } from '../media/media-session.ts';
import type { MediaSocket } from './carrier.ts';
import { parseJson, textField } from './carrier-http.ts';
import type { MediaRelay } from './media-relay.ts';
import { type StreamDialect, streamSession } from './stream-session.ts';

/** A call whose audio is expected or connected. */
type ExpectedCall = {
  call_id: string;
  provider_call_id: string | null;
  token: string;
  media: PromiseWithResolvers<MediaSession | null>;
};

export type MediaSocketDeps = {
  /** Null where every carrier reaches the process of its call directly. */
  relay: Pick<MediaRelay, 'relay'> | null;
  /**
   * Stores the hash of a call's token, so that other processes find this one. False when another process leads the call.
   * Null where other processes cannot reach this one.
   */
  announce: ((call_id: string, token_hash: Buffer) => Promise<boolean>) | null;
  clock: MediaClock;
  log: { warn(fields: object, text: string): void };
};

type Opening = { token: string; dialect: StreamDialect; is_readable: boolean };

type Deps = MediaSocketDeps & {
  carrier: string;
  /** The token and the dialect of a stream, from its first message and the query of its URL. */
  opening(start: unknown, query: URLSearchParams): Opening;
  /** Null: digits are played as tones. */
  sendDigits: ((provider_call_id: string, digits: string) => Promise<void>) | null;
  hangUp(provider_call_id: string): void;
};

type State = {
  deps: Deps;
  /** Only calls whose socket has not connected yet. */
  by_token: Map<string, ExpectedCall>;
  by_call: Map<string, ExpectedCall>;
  by_provider_call: Map<string, ExpectedCall>;
};

/** The longest time from the opening of a socket to its start message. */
const start_ms = 10_000;
/** Added to the ring timeout: time between the last ring and the socket. */
const spare_seconds = 60;
/** Carriers send one or two messages before the start message. */
const max_early_messages = 10;
const hashOf = (token: string) => createHash('sha256').update(token).digest();
/** Enough of a token's hash to find it in the logs, without the token itself. */
const fingerprint = (token: string) => hashOf(token).toString('hex').slice(0, 8);

export const not_leading = {
  outcome: 'refused',
  code: 'not_leading',
  detail: 'Another process leads the call.',
} as const;

export type ExpectedMedia = {
  token: string;
  named(provider_call_id: string): void;
  cancel(): void;
};

export function mediaSockets(deps: Deps) {
  const state: State = { deps, by_token: new Map(), by_call: new Map(), by_provider_call: new Map() };
  return {
    /**
     * Creates the token for a call's audio. It is valid for as long as the call may ring. Null when another process leads
     * the call.
     */
    async expect(call_id: string, seconds: number): Promise<ExpectedMedia | null> {
      const token = randomBytes(32).toString('base64url');
      const media = Promise.withResolvers<MediaSession | null>();
      const call: ExpectedCall = { call_id, provider_call_id: null, token, media };
      state.by_token.set(token, call);
      state.by_call.set(call_id, call);
      const cancelTimeout = deps.clock.after((seconds + spare_seconds) * 1000, () => remove(state, call));
      void media.promise.then(cancelTimeout);
      if (deps.announce && !(await deps.announce(call_id, hashOf(token)))) {
        remove(state, call);
        return null;
      }
      return { token, named: (id) => setProviderId(state, call, id), cancel: () => remove(state, call) };
    },
    /** Stores the carrier's id of a call whose response was lost; it becomes known by a callback or a lookup. */
    named(call_id: string, provider_call_id: string): void {
      const call = state.by_call.get(call_id);
      if (call && call.provider_call_id === null) setProviderId(state, call, provider_call_id);
    },
    /** The carrier reports that the call is over. */
    ended(call: { provider_call_id: string; call_id: string | null }): void {
      const expected =
        state.by_provider_call.get(call.provider_call_id) ?? state.by_call.get(call.call_id ?? '');
      if (expected && state.by_token.has(expected.token)) remove(state, expected);
    },
    media: (provider_call_id: string): Promise<MediaSession | null> =>
      state.by_provider_call.get(provider_call_id)?.media.promise ?? Promise.resolve(null),
    openMedia: (socket: MediaSocket, query: URLSearchParams): void => openMedia(state, socket, query),
  };
}
export type MediaSockets = ReturnType<typeof mediaSockets>;

function setProviderId(state: State, call: ExpectedCall, provider_call_id: string): void {
  call.provider_call_id = provider_call_id;
  state.by_provider_call.set(provider_call_id, call);
}

/** The token cannot be used any more. */
function settle(state: State, call: ExpectedCall, media: MediaSession | null): void {
  state.by_token.delete(call.token);
  call.media.resolve(media);
}

function remove(state: State, call: ExpectedCall): void {
  settle(state, call, null);
  state.by_call.delete(call.call_id);
  if (call.provider_call_id !== null) state.by_provider_call.delete(call.provider_call_id);
}

/** Waits for the start message; after it the stream handles the socket's messages directly. */
function openMedia(state: State, socket: MediaSocket, query: URLSearchParams): void {
  const { clock, log, carrier } = state.deps;
  const ignore = () => {};
  const cancelTimeout = clock.after(start_ms, () => {
    socket.onMessage(ignore);
    log.warn({ carrier }, 'media socket sent no start message');
    socket.close(1008, 'no start');
  });
  socket.onClose(cancelTimeout);
  const messages: string[] = [];
  socket.onMessage((text) => {
    if (messages.push(text) > max_early_messages) {
      socket.onMessage(ignore);
      return socket.close(1008, 'no start');
    }
    const message = parseJson(text);
    if (textField(message, 'event') !== 'start') return;
    cancelTimeout();
    const opening = state.deps.opening(message, query);
    const call = state.by_token.get(opening.token);
    socket.onMessage(ignore);
    if (!call) return void connectElsewhere(state, socket, { ...opening, query, messages });
    const stream = connectStream(state, socket, call, opening);
    if (stream) socket.onMessage(stream.receive);
  });
}

/** Another process may expect the token. */
async function connectElsewhere(
  { deps }: State,
  socket: MediaSocket,
  { token, query, messages }: Pick<Opening, 'token'> & { query: URLSearchParams; messages: string[] },
): Promise<void> {
  const { log, carrier, relay } = deps;
  const stream = { carrier, query, token_hash: hashOf(token), messages };
  try {
    if (await relay?.relay(socket, stream)) return;
    log.warn({ carrier, token: fingerprint(token) }, 'media socket with a wrong or used token');
    socket.close(1008, 'wrong or used token');
  } catch (error) {
    log.warn({ carrier, err: error }, 'the leader of a call cannot be looked up');
    socket.close(1011, 'the call cannot be looked up');
  }
}

/** Null, with the socket closed, for a wrong codec. */
function connectStream(
  state: State,
  socket: MediaSocket,
  call: ExpectedCall,
  { dialect, is_readable }: Opening,
) {
  const { deps } = state;
  const { log, carrier } = deps;
  if (!is_readable) {
    log.warn({ carrier }, 'media socket with an unexpected codec');
    socket.close(1003, 'unknown codec');
    remove(state, call);
    return null;
  }
  const id = () => call.provider_call_id ?? '';
  const stream = streamSession({
    clock: deps.clock,
    socket,
    dialect,
    sendDigits: deps.sendDigits && ((digits) => deps.sendDigits!(id(), digits)),
    hangUp: () => deps.hangUp(id()),
  });
  settle(state, call, stream.session);
  void stream.session.closed.then(() => remove(state, call));
  return stream;
}
