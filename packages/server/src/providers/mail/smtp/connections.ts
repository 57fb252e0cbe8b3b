// A pool of connections to the relay; each carries one message at a time.
import { type Dialogue, SmtpFailure } from './dialogue.ts';
import { type Extensions, openRelay, type Relay } from './opening.ts';

export type Connection = {
  dialogue: Dialogue;
  extensions: Extensions;
  /** How many messages it carried; zero for a new one. */
  messages: number;
  /** When the relay sent its last reply, on the clock of `performance.now()`. */
  last_reply_ms: number;
  is_broken: boolean;
};

const messages_per_connection = 200;
/** Relays close idle connections after minutes; ours close earlier. */
const idle_ms = 20_000;

/** `open` counts connections that are being opened, in use or idle; `waiting` the sends without a connection. */
export type PoolState = { open: number; idle: number; waiting: number };

type Pool = {
  relay: Relay;
  max: number;
  idle: { connection: Connection; timer: NodeJS.Timeout }[];
  waiting: (() => void)[];
  open: number;
  is_closed: boolean;
};

export function connectionPool(options: { relay: Relay; max: number }) {
  const pool: Pool = { ...options, idle: [], waiting: [], open: 0, is_closed: false };
  return {
    acquire: (signal: AbortSignal) => acquire(pool, signal),
    release: (connection: Connection) => release(pool, connection),
    drop: (connection: Connection) => drop(pool, connection),
    state: (): PoolState => ({ open: pool.open, idle: pool.idle.length, waiting: pool.waiting.length }),
    close: () => closePool(pool),
  };
}

async function acquire(pool: Pool, signal: AbortSignal): Promise<Connection> {
  for (;;) {
    if (pool.is_closed) throw new SmtpFailure('lost', 'The transport is closed');
    if (signal.aborted) {
      // It may have been woken for a free connection that it no longer needs: wake the next one.
      wakeOne(pool);
      throw signal.reason;
    }
    const ready = pool.idle.pop();
    if (ready) {
      clearTimeout(ready.timer);
      return ready.connection;
    }
    if (pool.open < pool.max) return connect(pool, signal);
    await waitForTurn(pool, signal);
  }
}

function release(pool: Pool, connection: Connection): void {
  connection.messages++;
  connection.last_reply_ms = performance.now();
  if (connection.is_broken) return;
  if (pool.is_closed || connection.messages >= messages_per_connection) {
    drop(pool, connection);
    return;
  }
  pool.idle.push({ connection, timer: setTimeout(() => drop(pool, connection), idle_ms).unref() });
  wakeOne(pool);
}

function drop(pool: Pool, connection: Connection): void {
  if (connection.is_broken) return;
  connection.is_broken = true;
  pool.open--;
  connection.dialogue.end(new SmtpFailure('lost', 'Connection closed'));
  const at = pool.idle.findIndex((each) => each.connection === connection);
  if (at !== -1) clearTimeout(pool.idle.splice(at, 1)[0]!.timer);
  wakeOne(pool);
}

const wakeOne = (pool: Pool): void => pool.waiting.shift()?.();

const waitForTurn = (pool: Pool, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const wake = () => {
      signal.removeEventListener('abort', stopWaiting);
      resolve();
    };
    const stopWaiting = () => {
      const at = pool.waiting.indexOf(wake);
      if (at !== -1) pool.waiting.splice(at, 1);
      resolve();
    };
    pool.waiting.push(wake);
    signal.addEventListener('abort', stopWaiting, { once: true });
  });

async function connect(pool: Pool, signal: AbortSignal): Promise<Connection> {
  pool.open++;
  try {
    const connection: Connection = {
      ...(await openRelay(pool.relay, signal)),
      messages: 0,
      last_reply_ms: performance.now(),
      is_broken: false,
    };
    // From now on the relay may close the connection at any time.
    connection.dialogue.onEnd(() => drop(pool, connection));
    if (connection.dialogue.ended) throw connection.dialogue.ended;
    return connection;
  } catch (error) {
    pool.open--;
    wakeOne(pool);
    throw error;
  }
}

/** Idle connections are closed immediately, the others after their message. No new ones are opened. */
function closePool(pool: Pool): void {
  pool.is_closed = true;
  for (const wake of pool.waiting.splice(0)) wake();
  for (const { connection } of [...pool.idle]) {
    connection.dialogue.write('QUIT\r\n');
    drop(pool, connection);
  }
}
