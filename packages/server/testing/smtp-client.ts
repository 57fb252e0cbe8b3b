// A small SMTP client that also allows protocol errors, and a builder of raw messages.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export type SmtpSession = {
  /** Sends one command and returns the last line of the reply. */
  command(line: string): Promise<string>;
  /** Sends bytes unchanged, without waiting for a reply. */
  send(bytes: Buffer | string): void;
  /** The next complete reply. */
  reply(): Promise<string>;
  /** Encrypts the connection. Call it after the reply to STARTTLS. */
  startTls(): Promise<void>;
  /** Closes the connection immediately. */
  destroy(): void;
  closed: Promise<unknown>;
};

/** Connects and sends EHLO, unless `helo` is null. */
export async function smtpSession(
  port: number,
  options: { helo?: string | null; before?: string | Buffer } = {},
): Promise<SmtpSession> {
  let socket: Socket = connect(port, '127.0.0.1');
  let unread = '';
  let wake = () => {};
  const listen = () => {
    socket.on('data', (chunk) => {
      unread += chunk.toString('latin1');
      wake();
    });
    socket.on('error', () => wake());
    socket.on('close', () => wake());
  };
  listen();
  const closed = new Promise((resolve) => socket.on('close', resolve));
  const reply = async (): Promise<string> => {
    for (;;) {
      const complete = /^(?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n/.exec(unread)?.[0];
      if (complete) {
        unread = unread.slice(complete.length);
        return complete.trimEnd();
      }
      if (socket.closed) throw new Error(`The connection was closed; unread: ${JSON.stringify(unread)}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const command = async (line: string) => {
    socket.write(`${line}\r\n`);
    return (await reply()).split('\r\n').at(-1)!;
  };
  // What a balancer writes before the client.
  if (options.before !== undefined) socket.write(options.before);
  assert.match(await reply(), /^220 /);
  if (options.helo !== null) assert.match(await command(`EHLO ${options.helo ?? 'client.test'}`), /^250 /);
  return {
    command,
    reply,
    closed,
    send: (bytes) => void socket.write(bytes),
    async startTls() {
      socket.removeAllListeners('data');
      const secured = connectTls({ socket, rejectUnauthorized: false });
      await once(secured, 'secureConnect');
      socket = secured;
      unread = '';
      listen();
    },
    destroy: () => socket.destroy(),
  };
}

/** Delivers one message and returns the reply to DATA, or the first refusal of a recipient. */
export async function deliver(
  port: number,
  mail: {
    from?: string;
    to: string | string[];
    raw: Buffer | string;
    helo?: string;
    before?: string | Buffer;
  },
): Promise<string> {
  const session = await smtpSession(port, {
    ...(mail.helo === undefined ? {} : { helo: mail.helo }),
    ...(mail.before === undefined ? {} : { before: mail.before }),
  });
  assert.match(await session.command(`MAIL FROM:<${mail.from ?? 'bob@example.org'}>`), /^250 /);
  for (const to of [mail.to].flat()) {
    const reply = await session.command(`RCPT TO:<${to}>`);
    if (!reply.startsWith('250')) return reply;
  }
  assert.match(await session.command('DATA'), /^354 /);
  const dot_stuffed = Buffer.from(mail.raw)
    .toString('latin1')
    .replaceAll(/^\./gm, '..')
    .replace(/(\r\n)?$/, '\r\n');
  session.send(Buffer.from(`${dot_stuffed}.\r\n`, 'latin1'));
  const reply = await session.reply();
  await session.command('QUIT');
  return reply;
}

/** A plain message with a new Message-ID. */
export const rawMessage = (fields: {
  from?: string;
  to?: string;
  subject?: string;
  body?: string;
  headers?: string[];
}): string =>
  [
    `From: ${fields.from ?? 'Bob <bob@example.org>'}`,
    `To: ${fields.to ?? 'somebody@example.net'}`,
    `Subject: ${fields.subject ?? 'Hello'}`,
    `Message-ID: <${crypto.randomUUID()}@example.org>`,
    'Date: Sun, 15 Nov 2026 10:00:00 +0000',
    ...(fields.headers ?? []),
    '',
    fields.body ?? 'Good morning.',
    '',
  ].join('\r\n');
