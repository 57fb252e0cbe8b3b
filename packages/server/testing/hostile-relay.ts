// An SMTP relay on loopback that gives hostile replies at random steps. The seed makes a run repeatable.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { type RandomNumbers, randomNumbers } from './random.ts';
import { relay_certificate } from './scripted-relay.ts';

const steps = [
  'greeting',
  'EHLO',
  'STARTTLS',
  'AUTH',
  'MAIL',
  'RCPT',
  'DATA',
  'BDAT',
  'end of data',
  'RSET',
  'idle',
] as const;
/** The probability of a hostile reply: at the step that the connection attacks, and at any other step. */
const at_its_step = 0.8;
const at_others = 0.03;
/** The probability that a sender or recipient is refused normally, so that connections are reset. */
const ordinary_refusals = 0.15;

export type HostileOptions = {
  seed: number;
  /** The extensions in the reply to EHLO. */
  offers: string[];
};

type Hostile = (socket: Socket, usual: string) => void;

const odd_replies = [
  '999 What',
  '150 Preliminary',
  '000 Zero',
  '220 Again',
  '235 Ok',
  '250 Ok',
  '334 Y2hhbGxlbmdl',
  '354 Go on',
  '421 4.3.2 Going away',
  '450 9.99.999 Strange code',
  '451 4.4.4.4 Too many dots',
  '452 4..1 Missing number',
  '500 5.5.1 Unknown command',
  '502 Not implemented',
  '503 5.5.1 Bad sequence',
  '535 5.7.8 Wrong password',
  '550 5.1.1 No such user',
  '550 5.999.999 Out of range',
  '554 -5.0.0 Negative',
  '550',
  '250',
  '250 \xff\xfe\xc3',
  '550 \u001b[31mred\u0007',
  '250-',
  '2500 Five digits',
  ' 250 Leading space',
  '',
];

function hostileReplies(random: RandomNumbers, every: (ms: number, socket: Socket, act: () => void) => void) {
  const close: Hostile[] = [
    (socket) => socket.end(),
    (socket) => socket.destroy(),
    (socket) => void (socket instanceof TLSSocket ? socket.destroy() : socket.resetAndDestroy()),
    (socket, usual) => socket.end(`${usual}\r\n`),
  ];
  const replies: Hostile[] = [
    (socket) => socket.write(`${random.pick(odd_replies)}\r\n`, 'latin1'),
    (socket) => socket.write(`${random.pick(odd_replies)}\r\n`, 'latin1'),
    (socket) => socket.write(`${random.pick(odd_replies)}\r\n`, 'latin1'),
    (socket) => socket.write('How nice of you to call\r\n'),
    (socket) => socket.write(Buffer.concat([random.bytes(40), Buffer.from('\r\n')])),
    (socket, usual) => socket.write(`${usual.replaceAll('\r\n', '\n')}\n`),
    (socket, usual) => socket.write(`${usual}\r`),
    (socket, usual) => socket.write(`${usual}\0\0\r\n`),
    (socket) => socket.write('250 o\0k\r\n550 5.1.1 n\0o\r\n'),
    (socket) => socket.write('\0\0\0\r\n'),
    // The same reply twice, or replies to commands that were not sent yet.
    (socket, usual) => socket.write(`${usual}\r\n${usual}\r\n`),
    (socket, usual) => socket.write(`${usual}\r\n250 Ok\r\n354 Go on\r\n250 Ok\r\n`),
  ];
  const endless: Hostile[] = [
    (socket) => socket.write('250-and so on\r\n'.repeat(random.pick([1, 127, 128, 5000]))),
    (socket) => socket.write(`abc-${'y'.repeat(50)}\r\n`.repeat(500)),
    (socket) => socket.write('x'.repeat(random.pick([4095, 4097, 300_000]))),
    (socket) => socket.write(`250 ${'y'.repeat(random.pick([3000, 300_000]))}\r\n`),
    (socket) => socket.write('\n'.repeat(60_000)),
    (socket) => every(15, socket, () => socket.write(random.pick(['2', '5', '0', '-', 'x']))),
    (socket) => every(15, socket, () => socket.write('250-still more\r\n')),
  ];
  const silence: Hostile[] = [() => {}, (socket, usual) => socket.write(usual.slice(0, 2))];
  const garbage: Hostile[] = [
    (socket) => socket.write(Buffer.concat([Buffer.from('220 Go on\r\n'), random.bytes(200)])),
    (socket) => void socket.write('220 Go on\r\n', () => socket.destroyed || socket.write(random.bytes(500))),
    (socket) =>
      void socket.write('220 Go on\r\n', () => {
        const record = Buffer.from([0x16, 3, 3, 0xff, 0xff]);
        if (!socket.destroyed) socket.write(Buffer.concat([record, random.bytes(300)]));
      }),
  ];
  const groups = [replies, replies, replies, close, endless, silence];
  return (step: string): Hostile =>
    random.pick(step === 'STARTTLS' && random.next() < 0.5 ? garbage : random.pick(groups));
}

type World = {
  random: RandomNumbers;
  choose(step: string): Hostile;
  offers: string[];
  contents: string[];
  /** The number of hostile replies per step. */
  provoked: Map<string, number>;
  is_hostile: boolean;
};

/** Splits the input of a client into command lines, or into messages while `isContent` returns true. */
function readCommands(
  socket: Socket,
  handlers: { line(line: string): void; message(text: string): void; isContent(): boolean },
): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (!socket.destroyed && !socket.writableEnded) {
      const is_content = handlers.isContent();
      const end = rest.indexOf(is_content ? '\r\n.\r\n' : '\r\n');
      if (end === -1) break;
      if (is_content) {
        const text = rest.toString('utf8', 0, end + 2);
        rest = rest.subarray(end + 5);
        handlers.message(text);
        continue;
      }
      const line = rest.toString('latin1', 0, end);
      const bytes = Number(/^BDAT (\d+) LAST$/.exec(line)?.[1] ?? 0);
      if (rest.length < end + 2 + bytes) break;
      rest = rest.subarray(end + 2 + bytes);
      handlers.line(line);
    }
  });
}

function serve(world: World, socket: Socket, hostile_step: string, greeted: boolean): void {
  const { random } = world;
  let in_content = false;
  /** Remaining lines of an authentication exchange. */
  let secrets = 0;
  socket.on('error', () => {});
  const isHostileAt = (step: string) => {
    const chance = step === hostile_step ? at_its_step : at_others;
    const is_now = world.is_hostile && random.next() < chance;
    if (is_now) world.provoked.set(step, (world.provoked.get(step) ?? 0) + 1);
    return is_now;
  };
  const answer = (step: string, usual: string, go?: () => void) => {
    if (socket.destroyed || socket.writableEnded) return;
    if (isHostileAt(step)) return void world.choose(step)(socket, usual);
    socket.write(`${usual}\r\n`);
    go?.();
  };
  const startTls = () => {
    socket.removeAllListeners('data');
    const secure = new TLSSocket(socket, { isServer: true, ...relay_certificate }) as Socket;
    serve(world, secure, hostile_step, true);
  };
  const idle = () => {
    if (!isHostileAt('idle')) return;
    // Unexpected text, or a closed connection, while the client keeps the connection in its pool.
    setTimeout(() => socket.destroyed || world.choose('idle')(socket, '421 Idle'), random.below(30)).unref();
  };
  const password = (line: string) => {
    if (secrets === 0) secrets = /LOGIN/i.test(line) ? 3 : 1;
    secrets--;
    answer('AUTH', secrets > 0 ? '334 UGFzc3dvcmQ6' : '235 Ok');
  };
  const extensions = ['relay.test', ...world.offers]
    .map((each, at) => `250${at < world.offers.length ? '-' : ' '}${each}`)
    .join('\r\n');
  const usual: Record<string, () => void> = {
    EHLO: () => answer('EHLO', extensions),
    STAR: () => answer('STARTTLS', '220 Go on', startTls),
    QUIT: () => answer('QUIT', '221 Bye', () => socket.end()),
    BDAT: () => answer('BDAT', '250 2.0.0 Ok', idle),
    DATA: () =>
      answer('DATA', '354 Go on', () => {
        in_content = true;
      }),
  };
  readCommands(socket, {
    isContent: () => in_content,
    message(text) {
      in_content = false;
      world.contents.push(text);
      answer('end of data', '250 2.0.0 Ok: queued as AB12', idle);
    },
    line(line) {
      const verb = line.slice(0, 4).toUpperCase();
      if (secrets > 0 || verb === 'AUTH') return password(line);
      if (usual[verb]) return usual[verb]();
      const is_refused = /^(?:MAIL|RCPT)/.test(verb) && random.next() < ordinary_refusals;
      answer(verb, is_refused && world.is_hostile ? '550 5.1.1 No such user' : '250 2.0.0 Ok');
    },
  });
  if (!greeted) answer('greeting', '220 relay.test');
}

export async function hostileRelay(options: HostileOptions) {
  const random = randomNumbers(options.seed);
  const sockets = new Set<Socket>();
  const timers = new Set<NodeJS.Timeout>();
  const every = (ms: number, socket: Socket, act: () => void) => {
    const timer = setInterval(() => (socket.destroyed ? undefined : act()), ms);
    timers.add(timer);
    socket.once('close', () => {
      clearInterval(timer);
      timers.delete(timer);
    });
  };
  const world: World = {
    random,
    choose: hostileReplies(random, every),
    offers: options.offers,
    contents: [],
    provoked: new Map(),
    is_hostile: true,
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    serve(world, socket, random.pick(steps), false);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    contents: world.contents,
    provoked: world.provoked,
    /** From now on every reply is correct. */
    behave() {
      world.is_hostile = false;
    },
    connections: () => sockets.size,
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      for (const timer of timers) clearInterval(timer);
      server.close();
      await once(server, 'close');
    },
  };
}
