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

export function connections(options: { relay: Relay; max: number }) {
  const idle: { connection: Connection; timer: NodeJS.Timeout }[] = [];
  const waiting: { resolve(): void; signal: AbortSignal }[] = [];
  let open = 0;

  const drop = (connection: Connection) => {
    if (connection.broken) return;
    connection.broken = true;
    open--;
    connection.talk.end(new SmtpFailure('lost', 'Connection closed'));
    const at = idle.findIndex((each) => each.connection === connection);
    if (at !== -1) clearTimeout(idle.splice(at, 1)[0]!.timer);
    wakeOne();
  };

  const wakeOne = () => {
    const next = waiting.shift();
    next?.resolve();
  };

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
        signal.throwIfAborted();
        const ready = idle.pop();
        if (ready) {
          clearTimeout(ready.timer);
          return ready.connection;
        }
        if (open < options.max) return connect(signal);
        await new Promise<void>((resolve) => {
          const place = { resolve, signal };
          waiting.push(place);
          signal.addEventListener('abort', () => {
            const at = waiting.indexOf(place);
            if (at !== -1) waiting.splice(at, 1);
            resolve();
          });
        });
      }
    },

    giveBack(connection: Connection): void {
      connection.messages++;
      connection.heard_ms = performance.now();
      if (connection.broken) return;
      if (connection.messages >= messages_per_connection) {
        drop(connection);
        return;
      }
      idle.push({ connection, timer: setTimeout(() => drop(connection), idle_ms).unref() });
      wakeOne();
    },

    drop,

    close(): void {
      for (const { connection } of [...idle]) {
        connection.talk.say('QUIT\r\n');
        drop(connection);
      }
    },
  };
}
