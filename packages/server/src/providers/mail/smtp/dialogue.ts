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

/**
 * Bounds of one reply. RFC 5321 section 4.5.3.1.5 allows 512 octets a line, and EHLO answers have a few dozen lines; more than
 * this is an attack or a fault, and the connection is given up.
 */
const max_line_chars = 4096;
const max_reply_lines = 128;
const max_reply_chars = 64 * 1024;
/** How much of an unreadable reply is quoted in the failure. */
const quoted_chars = 500;

type Waiting = { resolve(reply: Reply): void; reject(failure: SmtpFailure): void };

export function dialogue(first: Socket, timeout_ms: number) {
  let socket = first;
  let rest = '';
  let text = '';
  let lines = 0;
  /** When the first byte of an unfinished reply came, on the clock of `performance.now()`. */
  let begun_ms: number | null = null;
  let ended: SmtpFailure | null = null;
  const waiting: Waiting[] = [];
  const farewells: (() => void)[] = [];

  /** Every waiting command fails with it: none may be left behind, or its pool slot would never be given back. */
  const end = (failure: SmtpFailure) => {
    if (ended) return;
    ended = failure;
    socket.destroy();
    for (const each of waiting.splice(0)) each.reject(failure);
    for (const farewell of farewells) farewell();
  };
  const endLost = (why: string, said: string) =>
    end(new SmtpFailure('lost', `${why}: ${readable(said.slice(0, quoted_chars))}`));

  const readLine = (line: string) => {
    // Words out of turn are mostly a goodbye; after them no reply could be told from another.
    if (waiting.length === 0) return endLost('Unexpected words', line);
    if (!/^[2-5]\d\d(?:[ -]|$)/.test(line)) return endLost('Not an SMTP reply', line);
    text += text === '' ? line : `\n${line}`;
    lines++;
    if (line[3] === '-') {
      if (lines >= max_reply_lines || text.length > max_reply_chars) endLost('A reply without an end', text);
      return;
    }
    const reply = { code: Number(line.slice(0, 3)), text: readable(text) };
    text = '';
    lines = 0;
    begun_ms = null;
    waiting.shift()!.resolve(reply);
    // The relay closes (RFC 5321 section 3.8): commands that still wait get this reply instead of silence.
    if (reply.code === 421) end(new SmtpFailure('refused', reply.text, { reply }));
  };

  const onData = (chunk: Buffer) => {
    const heard = (rest + chunk.toString('latin1')).split('\n');
    rest = heard.pop()!;
    for (const line of heard) {
      if (ended) return;
      if (line.length > max_line_chars) return endLost('A reply line without an end', line);
      readLine(line.endsWith('\r') ? line.slice(0, -1) : line);
    }
    if (ended || (rest === '' && text === '')) return;
    if (waiting.length === 0) return endLost('Unexpected words', rest);
    if (rest.length > max_line_chars) return endLost('A reply line without an end', rest);
    // Bytes that trickle in restart the idle timer of the socket, so an unfinished reply has a limit of its own.
    begun_ms ??= performance.now();
    if (performance.now() - begun_ms > timeout_ms) onTimeout();
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

/** Replies are ASCII, or UTF-8 where the relay knows it. Control characters are replaced: NUL cannot be stored. */
const readable = (text: string) => {
  const decoded = /[\x80-\xff]/.test(text) ? Buffer.from(text, 'latin1').toString('utf8') : text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not stay.
  return decoded.replaceAll(/[\x00-\x08\x0b-\x1f\x7f]/g, '\ufffd');
};
