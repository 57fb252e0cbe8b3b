// An SMTP relay that records what it receives and replies as the test's script says.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { after } from 'node:test';
import { getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls';
import { selfSignedCertificate } from '../src/protocols/self-signed-certificate.ts';
import { smtpTransport } from '../src/providers/mail/smtp/index.ts';

export const relay_certificate = selfSignedCertificate({ host: 'localhost', now: new Date(), days: 2 });
setDefaultCACertificates([...getCACertificates('default'), relay_certificate.cert]);

/** Null closes the connection. */
type Reply = string | null | ((socket: Socket) => void);
type RelayScript = {
  /** The extensions in the reply to EHLO. */
  offers?: string[];
  /** Replies by the start of the command; a list is used up one by one. Other commands get the usual reply. */
  answers?: Record<string, Reply | Reply[]>;
  greeting?: string;
};

const sockets = new Set<Socket>();
const servers: { close(): void }[] = [];
/** Registered by every call: test files of one process share this module, and each must close what it opened. */
function closeAll(): void {
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
}

/** `packets` are the lines of each received network packet; `contents` are the received messages. */
export async function relayOf({
  offers = ['PIPELINING'],
  answers = {},
  greeting = '220 relay.test',
}: RelayScript) {
  after(closeAll);
  const packets: string[][] = [];
  const contents: string[] = [];
  const scripts = new Map(
    Object.entries(answers).map(([line, replies]) => [line, [replies].flat() as Reply[]]),
  );
  let connections = 0;

  const serve = (socket: Socket) => {
    let unread = '';
    let in_content = false;
    const usualReply = (line: string): Reply => {
      if (/^EHLO/i.test(line))
        return ['relay.test', ...offers]
          .map((each, at) => `250${at < offers.length ? '-' : ' '}${each}`)
          .join('\r\n');
      if (line === 'DATA') return '354 Go on';
      if (line === 'STARTTLS') {
        return (plain) => {
          plain.removeAllListeners('data');
          plain.write('220 Go on\r\n');
          serve(new TLSSocket(plain, { isServer: true, ...relay_certificate }) as Socket);
        };
      }
      return '250 2.0.0 Ok';
    };
    const sendReply = (line: string) => {
      const start = [...scripts.keys()].find((each) => (each === '' ? line === '' : line.startsWith(each)));
      const script = start === undefined ? undefined : scripts.get(start);
      const reply =
        (script && script.length > 1 ? script.shift() : script?.[0]) ?? (script ? null : usualReply(line));
      if (reply === null) return socket.destroy();
      if (typeof reply === 'function') return reply(socket);
      socket.write(`${reply}\r\n`);
      if (line === 'DATA' && reply.startsWith('354')) in_content = true;
    };
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      unread += chunk.toString('utf8');
      const packet: string[] = [];
      for (;;) {
        const end = in_content ? unread.search(/(?:^|\r\n)\.\r\n/) : unread.indexOf('\r\n');
        if (end === -1) break;
        if (in_content) {
          contents.push(unread.slice(0, unread.startsWith('.\r\n') ? 0 : end + 2));
          unread = unread.slice(end + (unread.startsWith('.\r\n') ? 3 : 5));
          in_content = false;
          sendReply('.');
        } else {
          const line = unread.slice(0, end);
          const chunk_bytes = Number(/^BDAT (\d+) LAST$/.exec(line)?.[1] ?? 0);
          const bytes = Buffer.from(unread.slice(end + 2));
          if (bytes.length < chunk_bytes) break;
          unread = bytes.toString('utf8', chunk_bytes);
          packet.push(line);
          if (chunk_bytes > 0) contents.push(bytes.toString('utf8', 0, chunk_bytes));
          sendReply(line);
        }
      }
      if (packet.length > 0) packets.push(packet);
    });
  };
  const server = createServer((socket) => {
    connections++;
    serve(socket);
    socket.write(`${greeting}\r\n`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  const { port } = server.address() as AddressInfo;
  const transport = (change: object = {}) => {
    const created = smtpTransport({
      url: `smtp://localhost:${port}`,
      max_connections: 1,
      tls: 'opportunistic',
      hostname: 'sender.test',
      timeout_ms: 5000,
      ...change,
    });
    servers.push(created);
    return created;
  };
  return { packets, contents, transport, port, connections: () => connections, said: () => packets.flat() };
}

/** The `message` part of an outgoing mail with this content. */
export const message = (content: Buffer | (() => Readable)) => ({
  message: {
    size_bytes: Buffer.isBuffer(content) ? content.length : 1,
    content: () => (Buffer.isBuffer(content) ? content : content()),
    dispose: async () => {},
  },
});
