// Relays a carrier's audio socket that arrived at this process to the process that leads the call.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import WebSocket, { type RawData } from 'ws';
import { untilCut } from '../../platform/drain.ts';
import type { MediaClock } from '../media/media-clock.ts';
import type { MediaSocket } from './carrier.ts';

/** Marks a socket between two of our processes. It is never relayed again, so a wrong address cannot make a loop. */
export const relayed_header = 'x-parley-relayed';
export const isRelayed = ({ headers }: IncomingMessage): boolean => headers[relayed_header] === '1';

/** A message contains some tens of milliseconds of audio. */
export const max_message_bytes = 64 * 1024;
const connect_ms = 2000;
/** Above this the sender is not read until the receiver has caught up. */
const pause_bytes = 64 * 1024;
/** Audio that is later than this is useless, and it would fill the memory. */
const max_buffered_bytes = 1024 * 1024;
/** A receiver that takes nothing for this long is gone, even if its connection is not closed. */
const stalled_ms = 10_000;

export type RelayDeps = {
  /** The address of the process that leads the call with this token; null when no other process does. */
  locate(token_hash: Buffer): Promise<string | null>;
  clock: MediaClock;
  log: { warn(fields: object, text: string): void };
};

export type RelayedStream = {
  carrier: string;
  query: URLSearchParams;
  token_hash: Buffer;
  /** The messages of the carrier that were read so far. */
  messages: string[];
};

export function mediaRelay(deps: RelayDeps) {
  const open = new Set<WebSocket>();
  return {
    /** How many sockets are relayed now. */
    count: () => open.size,
    /** Resolves when no socket is relayed, or the signal aborts. */
    async idle(cut: AbortSignal): Promise<void> {
      while (open.size > 0 && !cut.aborted)
        await untilCut(Promise.all([...open].map((socket) => once(socket, 'close'))), cut);
    },
    /** Resolves when the socket is connected to the leader; false when no other process expects the token. */
    async relay(socket: MediaSocket, stream: RelayedStream): Promise<boolean> {
      const carrier_side = socket.connection;
      if (!carrier_side || socket.is_relayed) return false;
      carrier_side.removeAllListeners('message');
      // What arrives from here on waits in the network until the leader is connected.
      carrier_side.pause();
      const early: RawData[] = [];
      carrier_side.on('message', (bytes) => void early.push(bytes));
      const leader_url = await deps.locate(stream.token_hash).finally(() => carrier_side.resume());
      if (leader_url === null) return false;
      carrier_side.pause();
      open.add(carrier_side);
      carrier_side.on('close', () => open.delete(carrier_side));
      const leader_side = await connectTo(leader_url, stream);
      if (!leader_side || carrier_side.readyState !== WebSocket.OPEN) {
        if (!leader_side) deps.log.warn({ carrier: stream.carrier }, 'the leader of a call does not respond');
        leader_side?.terminate();
        carrier_side.close(1011, 'the process of this call does not respond');
        carrier_side.resume();
        return true;
      }
      for (const text of stream.messages) leader_side.send(text);
      connectBoth(deps, carrier_side, leader_side, early);
      return true;
    },
  };
}
export type MediaRelay = ReturnType<typeof mediaRelay>;

/** Null when the process does not respond in time. */
function connectTo(
  leader_url: string,
  { carrier, query }: Pick<RelayedStream, 'carrier' | 'query'>,
): Promise<WebSocket | null> {
  const url = new URL(`/v1/carriers/${carrier}/media`, leader_url.replace(/^http/, 'ws'));
  url.search = query.toString();
  const socket = new WebSocket(url, {
    headers: { [relayed_header]: '1' },
    handshakeTimeout: connect_ms,
    maxPayload: max_message_bytes,
    perMessageDeflate: false,
  });
  return new Promise((resolve) => {
    socket.once('open', () => resolve(socket));
    // An error is followed by the close event.
    socket.on('error', () => {});
    socket.once('close', () => resolve(null));
  });
}

function connectBoth(
  deps: RelayDeps,
  carrier_side: WebSocket,
  leader_side: WebSocket,
  early: RawData[],
): void {
  carrier_side.removeAllListeners('message');
  const fail = (detail: string) => {
    deps.log.warn({ detail }, 'relayed media socket closed');
    carrier_side.close(1011, detail);
    // The close of the carrier is read, too.
    carrier_side.resume();
    leader_side.terminate();
  };
  const forward = passOn(deps.clock, carrier_side, leader_side, fail);
  for (const bytes of early) forward(bytes);
  carrier_side.on('message', forward);
  leader_side.on('message', passOn(deps.clock, leader_side, carrier_side, fail));
  carrier_side.on('close', (code, reason) => closeLike(leader_side, code, reason));
  leader_side.on('close', (code, reason) => {
    // A process that crashed or was killed closes without a code. Then the carrier must end the stream.
    closeLike(carrier_side, code === 1006 || code === 1005 ? 1011 : code, reason);
    carrier_side.resume();
  });
  carrier_side.resume();
}

/** Passes messages on unread. A receiver that is too slow makes the sender wait, through the flow control of TCP. */
function passOn(clock: MediaClock, from: WebSocket, to: WebSocket, fail: (detail: string) => void) {
  let cancelLimit: (() => void) | null = null;
  const sent = () => {
    if (!cancelLimit || to.bufferedAmount > pause_bytes / 2) return;
    cancelLimit();
    cancelLimit = null;
    from.resume();
  };
  from.on('close', () => cancelLimit?.());
  return (bytes: RawData): void => {
    if (to.readyState !== WebSocket.OPEN) return;
    to.send(bytes, { binary: false }, sent);
    const waiting_bytes = to.bufferedAmount;
    if (waiting_bytes > max_buffered_bytes) fail('the receiver is too slow');
    else if (waiting_bytes > pause_bytes && !cancelLimit) {
      from.pause();
      cancelLimit = clock.after(stalled_ms, () => fail('the receiver does not respond'));
    }
  };
}

/** A connection that broke has no code that may be sent: the other one is broken, too. */
function closeLike(socket: WebSocket, code: number, reason: Buffer): void {
  if (code === 1005) socket.close();
  else if (code === 1006 || code === 1015) socket.terminate();
  else socket.close(code, reason);
}
