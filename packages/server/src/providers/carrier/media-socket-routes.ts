// The WebSocket routes for call audio: carriers open them, and browsers for the sandbox phone.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Log } from '../../platform/log.ts';
import type { Carrier, MediaSocket } from './carrier.ts';
import { isRelayed, max_message_bytes } from './media-relay.ts';

const media_path = /^\/v1\/carriers\/([a-z]+)\/media$/;

/** A socket that carries raw PCM samples without a carrier's protocol. */
export type PcmSocket = {
  send(pcm: Int16Array): void;
  close(): void;
  onAudio(listener: (pcm: Int16Array) => void): void;
  onClose(listener: () => void): void;
};

export function addMediaSockets(
  http: FastifyInstance,
  deps: {
    carriers: { byName(name: string): Pick<Carrier, 'openMedia'> | null | undefined };
    /** Handlers of raw PCM sockets by path; false refuses the socket. */
    pcm_sockets: Record<string, (socket: PcmSocket, query: URLSearchParams) => boolean>;
    /** The path of the public address of this process: a proxy may pass it on or remove it. '' for none. */
    path_prefix: string;
    /** Ends running calls before their sockets are closed. */
    beforeClose(): Promise<void>;
    log: Log;
  },
): void {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: max_message_bytes,
    perMessageDeflate: false,
  });

  const receive = (socket: WebSocket, stream: Duplex, url: URL, is_relayed: boolean) => {
    // An error is followed by the close event, which the sessions handle.
    socket.on('error', () => socket.terminate());
    const carrier = media_path.exec(url.pathname)?.[1];
    const openMedia = carrier ? deps.carriers.byName(carrier)?.openMedia : null;
    if (openMedia) return openMedia({ ...carrierSocket(socket, stream), is_relayed }, url.searchParams);
    if (!deps.pcm_sockets[url.pathname]!(pcmSocket(socket), url.searchParams)) {
      deps.log.warn({ path: url.pathname }, 'media socket with a wrong or used token');
      socket.close(1008, 'wrong or used token');
    }
  };
  const isKnown = ({ pathname }: URL) =>
    pathname in deps.pcm_sockets ||
    deps.carriers.byName(media_path.exec(pathname)?.[1] ?? '')?.openMedia != null;

  http.server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    // After an upgrade the HTTP server does not handle the connection's errors any more.
    stream.on('error', () => stream.destroy());
    const url = URL.parse(request.url ?? '/', 'ws://localhost');
    if (url?.pathname.startsWith(`${deps.path_prefix}/`))
      url.pathname = url.pathname.slice(deps.path_prefix.length);
    if (!url || !isKnown(url))
      return stream.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    server.handleUpgrade(request, stream, head, (socket) => receive(socket, stream, url, isRelayed(request)));
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
    connection: socket,
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

const pcmSocket = (socket: WebSocket): PcmSocket => ({
  send(pcm) {
    // Drop audio for a slow client: late audio is useless, and it would fill the memory.
    if (socket.bufferedAmount > max_message_bytes) return;
    // Copy the frame: its buffer is reused, and the socket may send it later.
    socket.send(Buffer.from(pcm.slice().buffer));
  },
  close: () => socket.close(1000),
  onAudio: (listener) =>
    void socket.on('message', (bytes: Buffer, is_binary) => {
      // Copy: an Int16Array needs an even byte offset, which network buffers do not guarantee.
      if (is_binary) listener(new Int16Array(Uint8Array.from(bytes.subarray(0, bytes.length & ~1)).buffer));
    }),
  onClose: (listener) => void socket.on('close', () => listener()),
});
