// Opens the connection to a relay: only to allowed addresses, with limits for time, frames and silence.
import type { Duplex } from 'node:stream';
import { buildConnector, type Dispatcher } from 'undici';
import WebSocket from 'ws';
import type { Clock } from '../../../platform/clock.ts';
import type { AddressPolicy } from '../../../platform/egress/address-policy.ts';
import { checkUrl } from '../../../platform/egress/check-url.ts';
import { guardedConnector } from '../../../platform/egress/guarded-connector.ts';
import { type FromRelay, RelayFailed, type RelayLink, relayHttpUrl } from '../relay.ts';
import type { SoundConverter } from './convert-sound.ts';
import { readFrame } from './frames.ts';
import { loadSound } from './load-sound.ts';
import { handshakeHeaders } from './signature.ts';

export type RelayDeps = { policy: AddressPolicy; agent: Dispatcher; clock: Clock; sounds: SoundConverter };

const connect_timeout_ms = 5_000;
const ping_ms = 20_000;
const max_frame_bytes = 64 * 1024;
/** What comes before the call is answered is kept; more than this is not. */
const max_early_frames = 50;

/** Throws RelayFailed when the relay cannot be reached. */
export async function connectRelay(
  deps: RelayDeps,
  { url, secret }: { url: string; secret: string },
): Promise<RelayLink> {
  const verdict = checkUrl(relayHttpUrl(url), deps.policy);
  if (!verdict.ok) throw new RelayFailed(`the address may not be called (${verdict.reason})`);
  const socket = new WebSocket(url, {
    headers: handshakeHeaders(url, secret, Math.floor(deps.clock.ms() / 1000)),
    handshakeTimeout: connect_timeout_ms,
    maxPayload: max_frame_bytes,
    perMessageDeflate: false,
    followRedirects: false,
    createConnection: guardedConnection(
      deps.policy,
      verdict.url,
    ) as unknown as typeof import('node:net').createConnection,
  });
  const link = linkOf(deps, socket);
  await opened(socket);
  return link;
}

/** Node calls it with a callback for a connection that takes time. */
function guardedConnection(policy: AddressPolicy, url: URL) {
  const connect = guardedConnector({
    policy,
    connect: buildConnector({ timeout: connect_timeout_ms, allowH2: false }),
  });
  return (_options: unknown, done: (error: Error | null, socket?: Duplex) => void): undefined => {
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    connect({ protocol: url.protocol, hostname: url.hostname, port, host: url.host }, (error, socket) => {
      if (error) done(error);
      else done(null, socket!);
    });
  };
}

const opened = (socket: WebSocket): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('error', (error) =>
      reject(new RelayFailed(`not connected: ${error.message}`, { cause: error })),
    );
  });

function linkOf(deps: RelayDeps, socket: WebSocket): RelayLink {
  const { promise: closed, resolve: close } = Promise.withResolvers<{ detail: string }>();
  let listener: ((frame: FromRelay) => void) | null = null;
  const early: FromRelay[] = [];
  let is_answered = true;
  const send: RelayLink['send'] = (frame) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
  };
  const ping = setInterval(() => {
    if (!is_answered) return socket.terminate();
    is_answered = false;
    if (socket.readyState === WebSocket.OPEN) socket.ping();
  }, ping_ms);
  socket.on('pong', () => {
    is_answered = true;
  });
  socket.on('message', (data, is_binary) => {
    is_answered = true;
    const read = is_binary ? { problem: 'Binary messages are not understood.' } : readFrame(String(data));
    if ('problem' in read) send({ type: 'error', description: read.problem });
    else if (listener) listener(read.frame);
    else if (early.length < max_early_frames) early.push(read.frame);
  });
  socket.on('error', (error) => close({ detail: error.message }));
  socket.on('close', (code) => {
    clearInterval(ping);
    close({ detail: `closed ${code}` });
  });
  return {
    send,
    closed,
    onFrame(next) {
      listener = next;
      for (const frame of early.splice(0)) next(frame);
    },
    loadSound: (source, signal) => loadSound(deps, source, signal),
    close: () => socket.close(1000),
  };
}
