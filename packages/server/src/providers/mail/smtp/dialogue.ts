// The client's end of an SMTP connection (RFC 5321 section 4.2): lines go out, replies come back in the same order.
import type { Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

/** `text` is the whole reply as it came, code and all. */
export type Reply = { code: number; text: string };

export type FailureKind = 'timeout' | 'lost' | 'refused' | 'password' | 'tls';

export class SmtpFailure extends Error {
  override name = 'SmtpFailure';
  readonly kind: FailureKind;
  readonly reply: Reply | null;
  readonly command: string | null;
  constructor(kind: FailureKind, message: string, at: { reply?: Reply; command?: string } = {}) {
    super(message);
    this.kind = kind;
    this.reply = at.reply ?? null;
    this.command = at.command ?? null;
  }
}

/** Nobody says this much in one reply. */
const reply_max_chars = 64 * 1024;

type Waiting = { resolve(reply: Reply): void; reject(failure: SmtpFailure): void };

export function dialogue(first: Socket, timeout_ms: number) {
  let socket = first;
  let rest = '';
  let text = '';
  let ended: SmtpFailure | null = null;
  const waiting: Waiting[] = [];
  const farewells: (() => void)[] = [];

  const end = (failure: SmtpFailure) => {
    if (ended) return;
    ended = failure;
    socket.destroy();
    for (const each of waiting.splice(0)) each.reject(failure);
    for (const farewell of farewells) farewell();
  };

  const hear = (line: string) => {
    text += text === '' ? line : `\n${line}`;
    if (line[3] === '-') return;
    const reply = readable(text);
    text = '';
    const code = Number(/^[2-5]\d\d(?= |$)/.exec(line)?.[0]);
    const next = waiting.shift();
    // Words out of turn are mostly a goodbye; after them no reply could be told from another.
    if (!code || !next) return end(new SmtpFailure('lost', `Unexpected words: ${reply}`));
    next.resolve({ code, text: reply });
    // The relay closes (RFC 5321 section 3.8): whoever still waits gets these words instead of silence.
    if (code === 421) end(new SmtpFailure('refused', reply, { reply: { code, text: reply } }));
  };

  const onData = (chunk: Buffer) => {
    const heard = (rest + chunk.toString('latin1')).split('\n');
    rest = heard.pop()!;
    for (const line of heard) {
      if (ended) return;
      hear(line.endsWith('\r') ? line.slice(0, -1) : line);
    }
    if (rest.length + text.length > reply_max_chars) end(new SmtpFailure('lost', 'An endless reply'));
  };
  const onError = (error: Error & { code?: string }) =>
    end(
      new SmtpFailure(error.code === 'ETIMEDOUT' ? 'timeout' : 'lost', error.message || String(error.code)),
    );
  const onClose = () => end(new SmtpFailure('lost', 'Connection closed'));
  const onTimeout = () => end(new SmtpFailure('timeout', `No answer within ${timeout_ms} ms`));

  // A relay that ends its side has nothing more to say.
  const listeners = { data: onData, timeout: onTimeout, error: onError, end: onClose, close: onClose };
  const listen = () => {
    socket.setTimeout(timeout_ms);
    socket.setNoDelay(true);
    for (const [event, listener] of Object.entries(listeners)) socket.on(event, listener);
  };
  listen();

  const expect = () =>
    new Promise<Reply>((resolve, reject) => {
      if (ended) reject(ended);
      else waiting.push({ resolve, reject });
    });

  return {
    /** The next reply that nobody waits for yet. */
    expect,
    say: (words: string | Buffer): void => void socket.write(words),
    ask(command: string): Promise<Reply> {
      const reply = expect();
      if (!ended) socket.write(`${command}\r\n`);
      return reply;
    },
    /** Writes at the pace of the other side; false when the connection is gone. */
    async pour(chunk: Buffer): Promise<boolean> {
      if (ended) return false;
      if (!socket.write(chunk))
        await new Promise<void>((resolve) => {
          const goOn = () => {
            socket.off('drain', goOn).off('close', goOn);
            resolve();
          };
          socket.on('drain', goOn).on('close', goOn);
        });
      return !ended;
    },
    /** From here on everything is encrypted. Words that came before must not pass for the relay's own. */
    async encrypt(options: ConnectionOptions): Promise<void> {
      if (ended) throw ended;
      if (rest !== '' || text !== '') {
        end(new SmtpFailure('tls', 'Words before the encryption'));
        throw ended;
      }
      for (const [event, listener] of Object.entries(listeners)) socket.off(event, listener);
      socket.setTimeout(0);
      socket = connectTls({ ...options, socket });
      listen();
      await new Promise<void>((resolve, reject) => {
        socket.once('secureConnect', resolve);
        farewells.push(() => reject(ended));
      });
    },
    end,
    onEnd: (farewell: () => void): void => void farewells.push(farewell),
    get ended() {
      return ended;
    },
  };
}
export type Dialogue = ReturnType<typeof dialogue>;

/** Replies are ASCII, or UTF-8 where the relay knows it. */
const readable = (text: string) =>
  /[\x80-\xff]/.test(text) ? Buffer.from(text, 'latin1').toString('utf8') : text;
