// WebSockets that bring the sound of calls: opened by carriers, or by a browser at the sandbox's phone.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Log } from '../../platform/log.ts';
import type { Carrier, MediaSocket } from './carrier.ts';

/** A message is some tens of milliseconds of sound. */
const most_bytes = 64 * 1024;
const media_path = /^\/v1\/carriers\/([a-z]+)\/media$/;

/** Sound as samples, for those who speak no protocol around it. */
export type PcmSocket = {
  send(pcm: Int16Array): void;
  close(): void;
  onSound(listener: (pcm: Int16Array) => void): void;
  onClose(listener: () => void): void;
};

export function addMediaSockets(
  http: FastifyInstance,
  deps: {
    carriers: { byName(name: string): Pick<Carrier, 'openMedia'> | null | undefined };
    /** By their path; false refuses the socket. */
    plain: Record<string, (socket: PcmSocket, query: URLSearchParams) => boolean>;
    /** Ends the calls that are on, before their sockets are closed. */
    beforeClose(): Promise<void>;
    log: Log;
  },
): void {
  const server = new WebSocketServer({ noServer: true, maxPayload: most_bytes, perMessageDeflate: false });

  const receive = (socket: WebSocket, stream: Duplex, url: URL) => {
    // What breaks ends in a close, which everybody waits for.
    socket.on('error', () => socket.terminate());
    const carrier = media_path.exec(url.pathname)?.[1];
    const openMedia = carrier ? deps.carriers.byName(carrier)?.openMedia : null;
    if (openMedia) return openMedia(carrierSocket(socket, stream), url.searchParams);
    if (!deps.plain[url.pathname]!(plainSocket(socket), url.searchParams)) {
      deps.log.warn({ path: url.pathname }, 'a media socket came with a wrong or used token');
      socket.close(1008, 'wrong or used token');
    }
  };
  const isKnown = ({ pathname }: URL) =>
    pathname in deps.plain || deps.carriers.byName(media_path.exec(pathname)?.[1] ?? '')?.openMedia != null;

  http.server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    // Nobody else listens for what breaks on a connection that was handed over.
    stream.on('error', () => stream.destroy());
    const url = URL.parse(request.url ?? '/', 'ws://localhost');
    if (!url || !isKnown(url))
      return stream.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    server.handleUpgrade(request, stream, head, (socket) => receive(socket, stream, url));
  });
  http.addHook('preClose', async () => {
    await deps.beforeClose();
    for (const socket of server.clients) socket.terminate();
  });
}

export function carrierSocket(socket: WebSocket, stream: Duplex): MediaSocket {
  let listener = (_text: string) => {};
  socket.on('message', (bytes) => listener(String(bytes)));
  return {
    send(...texts) {
      stream.cork();
      for (const text of texts) socket.send(text);
      stream.uncork();
    },
    close: (code, reason) => socket.close(code, reason),
    onMessage(next) {
      listener = next;
    },
    onClose: (closed) => void socket.on('close', closed),
  };
}

const plainSocket = (socket: WebSocket): PcmSocket => ({
  send(pcm) {
    // Sound that comes too late is of no use, and would take the memory of the service.
    if (socket.bufferedAmount > most_bytes) return;
    // A copy: the frame is lent for now, and the network may take it later.
    socket.send(Buffer.from(pcm.slice().buffer));
  },
  close: () => socket.close(1000),
  onSound: (listener) =>
    void socket.on('message', (bytes: Buffer, is_binary) => {
      // Copied: samples begin at even places, and bytes of the network need not.
      if (is_binary) listener(new Int16Array(Uint8Array.from(bytes.subarray(0, bytes.length & ~1)).buffer));
    }),
  onClose: (listener) => void socket.on('close', () => listener()),
});
