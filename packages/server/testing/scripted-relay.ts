// A mail relay by script: notes what it is told, and answers as a test wants it to.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { after } from 'node:test';
import { getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls';
import { selfSignedCertificate } from '../src/protocols/self-signed-certificate.ts';
import { smtpTransport } from '../src/providers/mail/smtp/index.ts';

export const relay_certificate = selfSignedCertificate({ host: 'localhost', now: new Date(), days: 2 });
setDefaultCACertificates([...getCACertificates('default'), relay_certificate.cert]);

type Answer = string | null | ((socket: Socket) => void);
type Relay = {
  /** What EHLO offers. */
  offers?: string[];
  /** By the start of the line; the rest is answered as every relay does. Null hangs up. */
  answers?: Record<string, Answer | Answer[]>;
  greeting?: string;
};

const sockets = new Set<Socket>();
const servers: { close(): void }[] = [];
after(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
});

/** Notes each packet of lines it hears, and answers by the script. */
export async function relayOf({ offers = ['PIPELINING'], answers = {}, greeting = '220 relay.test' }: Relay) {
  const packets: string[][] = [];
  const contents: string[] = [];
  const scripts = new Map(
    Object.entries(answers).map(([line, answer]) => [line, [answer].flat() as Answer[]]),
  );
  let connections = 0;

  const serve = (socket: Socket) => {
    let rest = '';
    let in_content = false;
    const usual = (line: string): Answer => {
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
    const reply = (line: string) => {
      const script = scripts.get([...scripts.keys()].find((start) => line.startsWith(start)) ?? '');
      const answer =
        (script && script.length > 1 ? script.shift() : script?.[0]) ?? (script ? null : usual(line));
      if (answer === null) return socket.destroy();
      if (typeof answer === 'function') return answer(socket);
      socket.write(`${answer}\r\n`);
      if (line === 'DATA' && answer.startsWith('354')) in_content = true;
    };
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      rest += chunk.toString('utf8');
      const packet: string[] = [];
      for (;;) {
        const end = in_content ? rest.search(/(?:^|\r\n)\.\r\n/) : rest.indexOf('\r\n');
        if (end === -1) break;
        if (in_content) {
          contents.push(rest.slice(0, rest.startsWith('.\r\n') ? 0 : end + 2));
          rest = rest.slice(end + (rest.startsWith('.\r\n') ? 3 : 5));
          in_content = false;
          reply('.');
        } else {
          const line = rest.slice(0, end);
          const chunk_bytes = Number(/^BDAT (\d+) LAST$/.exec(line)?.[1] ?? 0);
          const bytes = Buffer.from(rest.slice(end + 2));
          if (bytes.length < chunk_bytes) break;
          rest = bytes.toString('utf8', chunk_bytes);
          packet.push(line);
          if (chunk_bytes > 0) contents.push(bytes.toString('utf8', 0, chunk_bytes));
          reply(line);
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
    const made = smtpTransport({
      url: `smtp://localhost:${port}`,
      max_connections: 1,
      tls: 'opportunistic',
      hostname: 'sender.test',
      timeout_ms: 5000,
      ...change,
    });
    servers.push(made);
    return made;
  };
  return { packets, contents, transport, port, connections: () => connections, said: () => packets.flat() };
}

/** What a mail is made of, for `outgoing`. */
export const message = (content: Buffer | (() => Readable)) => ({
  compose: async () => ({
    size_bytes: Buffer.isBuffer(content) ? content.length : 1,
    content: () => (Buffer.isBuffer(content) ? content : content()),
    dispose: async () => {},
  }),
});
