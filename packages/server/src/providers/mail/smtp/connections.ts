// Keeps a few connections to the relay open and lends them out, one message at a time.
import { type Dialogue, SmtpFailure } from './dialogue.ts';
import { type Extensions, openRelay, type Relay } from './opening.ts';

export type Connection = {
  talk: Dialogue;
  extensions: Extensions;
  /** How many messages it carried; zero for a fresh one. */
  messages: number;
  /** When the relay last said something, on the clock of `performance.now()`. */
  heard_ms: number;
  broken: boolean;
};

const messages_per_connection = 200;
/** Relays close idle connections after minutes; ours go first. */
const idle_ms = 20_000;

/** `open` counts connections that are being opened, in use or idle; `waiting` the sends that have none. */
export type PoolState = { open: number; idle: number; waiting: number };

export function connections(options: { relay: Relay; max: number }) {
  const idle: { connection: Connection; timer: NodeJS.Timeout }[] = [];
  const waiting: (() => void)[] = [];
  let open = 0;
  let is_closed = false;

  const drop = (connection: Connection) => {
    if (connection.broken) return;
    connection.broken = true;
    open--;
    connection.talk.end(new SmtpFailure('lost', 'Connection closed'));
    const at = idle.findIndex((each) => each.connection === connection);
    if (at !== -1) clearTimeout(idle.splice(at, 1)[0]!.timer);
    wakeOne();
  };

  const wakeOne = () => waiting.shift()?.();

  const nextTurn = (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        const at = waiting.indexOf(wake);
        if (at !== -1) waiting.splice(at, 1);
        resolve();
      };
      waiting.push(wake);
      signal.addEventListener('abort', giveUp, { once: true });
    });

  const connect = async (signal: AbortSignal): Promise<Connection> => {
    open++;
    try {
      const connection: Connection = {
        ...(await openRelay(options.relay, signal)),
        messages: 0,
        heard_ms: performance.now(),
        broken: false,
      };
      // From now on the relay may hang up at any time.
      connection.talk.onEnd(() => drop(connection));
      if (connection.talk.ended) throw connection.talk.ended;
      return connection;
    } catch (error) {
      open--;
      wakeOne();
      throw error;
    }
  };

  return {
    async take(signal: AbortSignal): Promise<Connection> {
      for (;;) {
        if (is_closed) throw new SmtpFailure('lost', 'The transport is closed');
        if (signal.aborted) {
          // It may have been woken for a free place that it no longer needs: the next one gets it.
          wakeOne();
          throw signal.reason;
        }
        const ready = idle.pop();
        if (ready) {
          clearTimeout(ready.timer);
          return ready.connection;
        }
        if (open < options.max) return connect(signal);
        await nextTurn(signal);
      }
    },

    giveBack(connection: Connection): void {
      connection.messages++;
      connection.heard_ms = performance.now();
      if (connection.broken) return;
      if (is_closed || connection.messages >= messages_per_connection) {
        drop(connection);
        return;
      }
      idle.push({ connection, timer: setTimeout(() => drop(connection), idle_ms).unref() });
      wakeOne();
    },

    drop,

    state: (): PoolState => ({ open, idle: idle.length, waiting: waiting.length }),

    /** Idle connections are closed at once, the others when their message is done; nothing new begins. */
    close(): void {
      is_closed = true;
      for (const wake of waiting.splice(0)) wake();
      for (const { connection } of [...idle]) {
        connection.talk.say('QUIT\r\n');
        drop(connection);
      }
    },
  };
}
