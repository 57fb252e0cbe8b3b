// The client side of an SMTP connection: sends commands, and matches replies to them in order.
import type { Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { type Reply, readable, replyReader } from './reply-reader.ts';

export type { Reply } from './reply-reader.ts';

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

/** How much of an invalid reply is quoted in the failure. */
const quoted_chars = 500;

type Waiting = { resolve(reply: Reply): void; reject(failure: SmtpFailure): void };
type State = {
  socket: Socket;
  timeout_ms: number;
  ended: SmtpFailure | null;
  /** Commands without a reply yet, oldest first. */
  waiting: Waiting[];
  end_listeners: (() => void)[];
  /** When the first byte of an unfinished reply arrived, on the clock of `performance.now()`. */
  partial_since_ms: number | null;
  reader: ReturnType<typeof replyReader>;
  socket_listeners: Record<string, (argument: never) => void>;
};

export function openDialogue(socket: Socket, timeout_ms: number) {
  const state = createState(socket, timeout_ms);
  listen(state);
  return {
    /** Waits for the next reply that no other command waits for. */
    expect: () => expectReply(state),
    write: (data: string | Buffer): void => void state.socket.write(data),
    command(line: string): Promise<Reply> {
      const reply = expectReply(state);
      if (!state.ended) state.socket.write(`${line}\r\n`);
      return reply;
    },
    stream: (chunk: Buffer) => stream(state, chunk),
    startTls: (options: ConnectionOptions) => startTls(state, options),
    end: (failure: SmtpFailure): void => end(state, failure),
    onEnd: (listener: () => void): void => void state.end_listeners.push(listener),
    get ended() {
      return state.ended;
    },
  };
}
export type Dialogue = ReturnType<typeof openDialogue>;

function createState(socket: Socket, timeout_ms: number): State {
  const state: Omit<State, 'reader' | 'socket_listeners'> = {
    socket,
    timeout_ms,
    ended: null,
    waiting: [],
    end_listeners: [],
    partial_since_ms: null,
  };
  const reader = replyReader({
    isWaiting: () => state.waiting.length > 0,
    isEnded: () => state.ended !== null,
    onReply(reply) {
      state.partial_since_ms = null;
      state.waiting.shift()!.resolve(reply);
      // The relay closes the connection (RFC 5321 section 3.8): commands that still wait fail with this reply.
      if (reply.code === 421) end(whole, new SmtpFailure('refused', reply.text, { reply }));
    },
    onInvalid: (problem, text) =>
      end(whole, new SmtpFailure('lost', `${problem}: ${readable(text.slice(0, quoted_chars))}`)),
  });
  const onClose = () => end(whole, new SmtpFailure('lost', 'Connection closed'));
  const whole: State = Object.assign(state, {
    reader,
    socket_listeners: {
      data: (chunk: Buffer) => readChunk(whole, chunk),
      timeout: () => endByTimeout(whole),
      error: (error: Error & { code?: string }) => endByError(whole, error),
      // A relay that ends its side sends no more replies.
      end: onClose,
      close: onClose,
    },
  });
  return whole;
}

function listen({ socket, timeout_ms, socket_listeners }: State): void {
  socket.setTimeout(timeout_ms);
  socket.setNoDelay(true);
  for (const [event, listener] of Object.entries(socket_listeners)) socket.on(event, listener as () => void);
}

/** Every waiting command fails. None may be left, or its connection would never return to the pool. */
function end(state: State, failure: SmtpFailure): void {
  if (state.ended) return;
  state.ended = failure;
  state.socket.destroy();
  for (const each of state.waiting.splice(0)) each.reject(failure);
  for (const listener of state.end_listeners) listener();
}

const endByTimeout = (state: State): void =>
  end(state, new SmtpFailure('timeout', `No answer within ${state.timeout_ms} ms`));

const endByError = (state: State, error: Error & { code?: string }): void =>
  end(
    state,
    new SmtpFailure(error.code === 'ETIMEDOUT' ? 'timeout' : 'lost', error.message || String(error.code)),
  );

function readChunk(state: State, chunk: Buffer): void {
  state.reader.read(chunk);
  if (state.ended || !state.reader.isPartial()) return;
  // Each byte restarts the idle timer of the socket, so an unfinished reply has its own timeout.
  state.partial_since_ms ??= performance.now();
  if (performance.now() - state.partial_since_ms > state.timeout_ms) endByTimeout(state);
}

const expectReply = (state: State): Promise<Reply> =>
  new Promise((resolve, reject) => {
    if (state.ended) reject(state.ended);
    else state.waiting.push({ resolve, reject });
  });

/** Writes with backpressure; false if the connection was closed. */
async function stream(state: State, chunk: Buffer): Promise<boolean> {
  const { socket } = state;
  if (state.ended) return false;
  if (!socket.write(chunk))
    await new Promise<void>((resolve) => {
      const resume = () => {
        socket.off('drain', resume).off('close', resume);
        resolve();
      };
      socket.on('drain', resume).on('close', resume);
    });
  return !state.ended;
}

/** Bytes that arrived before the encryption are refused: an attacker could have injected them. */
async function startTls(state: State, options: ConnectionOptions): Promise<void> {
  if (state.ended) throw state.ended;
  if (state.reader.isPartial()) {
    const failure = new SmtpFailure('tls', 'Data before the encryption');
    end(state, failure);
    throw failure;
  }
  for (const [event, listener] of Object.entries(state.socket_listeners))
    state.socket.off(event, listener as () => void);
  state.socket.setTimeout(0);
  state.socket = connectTls({ ...options, socket: state.socket });
  listen(state);
  await new Promise<void>((resolve, reject) => {
    state.socket.once('secureConnect', resolve);
    state.end_listeners.push(() => reject(state.ended));
  });
}
