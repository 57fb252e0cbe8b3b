// A small mail client over a socket: what is said and what is answered, line by line, faults included.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export type Dialogue = {
  /** Says something and waits for one answer; the answer is its last line. */
  say(line: string): Promise<string>;
  /** Sends bytes as they are. */
  send(bytes: Buffer | string): void;
  /** The next answer, in full. */
  answer(): Promise<string>;
  /** Goes on encrypted, after STARTTLS was answered. */
  secure(): Promise<void>;
  /** Cuts the connection. */
  cut(): void;
  closed: Promise<unknown>;
};

export async function dialogue(port: number, options: { helo?: string | null } = {}): Promise<Dialogue> {
  let socket: Socket = connect(port, '127.0.0.1');
  let text = '';
  let wake = () => {};
  const listen = () => {
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      wake();
    });
    socket.on('error', () => wake());
    socket.on('close', () => wake());
  };
  listen();
  const closed = new Promise((resolve) => socket.on('close', resolve));
  const answer = async (): Promise<string> => {
    for (;;) {
      const whole = /^(?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n/.exec(text)?.[0];
      if (whole) {
        text = text.slice(whole.length);
        return whole.trimEnd();
      }
      if (socket.closed) throw new Error(`The connection was closed; unread: ${JSON.stringify(text)}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const say = async (line: string) => {
    socket.write(`${line}\r\n`);
    return (await answer()).split('\r\n').at(-1)!;
  };
  assert.match(await answer(), /^220 /);
  if (options.helo !== null) assert.match(await say(`EHLO ${options.helo ?? 'client.test'}`), /^250 /);
  return {
    say,
    answer,
    closed,
    send: (bytes) => void socket.write(bytes),
    async secure() {
      socket.removeAllListeners('data');
      const secured = connectTls({ socket, rejectUnauthorized: false });
      await once(secured, 'secureConnect');
      socket = secured;
      text = '';
      listen();
    },
    cut: () => socket.destroy(),
  };
}

/** Delivers one message and returns the answer to its end. */
export async function deliver(
  port: number,
  mail: { from?: string; to: string | string[]; raw: Buffer | string; helo?: string },
): Promise<string> {
  const talk = await dialogue(port, mail.helo === undefined ? {} : { helo: mail.helo });
  assert.match(await talk.say(`MAIL FROM:<${mail.from ?? 'bob@example.org'}>`), /^250 /);
  for (const to of [mail.to].flat()) {
    const answer = await talk.say(`RCPT TO:<${to}>`);
    if (!answer.startsWith('250')) return answer;
  }
  assert.match(await talk.say('DATA'), /^354 /);
  const stuffed = Buffer.from(mail.raw)
    .toString('latin1')
    .replaceAll(/^\./gm, '..')
    .replace(/(\r\n)?$/, '\r\n');
  talk.send(Buffer.from(`${stuffed}.\r\n`, 'latin1'));
  const answer = await talk.answer();
  await talk.say('QUIT');
  return answer;
}

/** A plain letter; each has a Message-ID of its own. */
export const letter = (fields: {
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
