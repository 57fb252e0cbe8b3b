// Load of SMTP submission: connections with TLS and a password, each of which sends one message after the other.
import { connect, type TLSSocket } from 'node:tls';
import { answerQuestions } from '../side-process.ts';

export type SubmissionLoad = {
  port: number;
  password: string;
  from: string;
  body: string;
  connections: number;
  duration_ms: number;
  max_messages: number;
};

type Connection = {
  /** Sends lines and waits for as many replies; throws unless each has the expected code. */
  exchange(lines: string, codes: readonly string[]): Promise<void>;
};

let open: Promise<Connection[]> | undefined;
let number = 0;

answerQuestions<SubmissionLoad, { sent: number; seconds: number }>(async (load) => {
  open ??= Promise.all(Array.from({ length: load.connections }, () => openConnection(load)));
  const connections = await open;
  const start = performance.now();
  let sent = 0;
  const sendUntilTheEnd = async ({ exchange }: Connection) => {
    while (performance.now() - start < load.duration_ms && sent < load.max_messages) {
      const at = number++;
      sent++;
      await exchange(`MAIL FROM:<${load.from}>\r\nRCPT TO:<p${at}@sink.test>\r\nDATA\r\n`, [
        '250',
        '250',
        '354',
      ]);
      await exchange(messageOf(load, at), ['250']);
    }
  };
  await Promise.all(connections.map(sendUntilTheEnd));
  return { sent, seconds: (performance.now() - start) / 1000 };
});

const messageOf = ({ from, body }: SubmissionLoad, at: number): string =>
  `From: ${from}\r\nTo: p${at}@sink.test\r\nSubject: Order ${at}\r\nMessage-ID: <${process.pid}.${at}@client.test>\r\n` +
  `MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${body}\r\n.\r\n`;

async function openConnection({ port, password }: SubmissionLoad): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  const connection = connectionOn(socket);
  await connection.exchange('', ['220']);
  await connection.exchange('EHLO client.test\r\n', ['250']);
  const secret = Buffer.from(`\0parley\0${password}`).toString('base64');
  await connection.exchange(`AUTH PLAIN ${secret}\r\n`, ['235']);
  return connection;
}

function connectionOn(socket: TLSSocket): Connection {
  let unread = '';
  let expected: string[] = [];
  let settle: { resolve(): void; reject(error: Error): void } | null = null;
  socket.setNoDelay(true);
  socket.on('error', (error) => settle?.reject(error));
  socket.on('data', (chunk) => {
    unread += chunk.toString('latin1');
    for (let end = unread.indexOf('\r\n'); end !== -1; end = unread.indexOf('\r\n')) {
      const line = unread.slice(0, end);
      unread = unread.slice(end + 2);
      // A line of a reply that goes on.
      if (line[3] === '-') continue;
      if (line.slice(0, 3) !== expected.shift()) settle?.reject(new Error(`Unexpected reply: ${line}`));
      else if (expected.length === 0) settle?.resolve();
    }
  });
  return {
    exchange: (lines, codes) =>
      new Promise((resolve, reject) => {
        expected = [...codes];
        settle = { resolve, reject };
        if (lines) socket.write(lines);
      }),
  };
}
