// Keeps a few connections to the relay open and lends them out, one message at a time.
import SMTPConnection, { type SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';

export type Connection = {
  smtp: SMTPConnection;
  /** How many messages it carried; zero for a fresh one. */
  messages: number;
  broken: boolean;
};

const messages_per_connection = 200;
/** Relays close idle connections after minutes; ours go first. */
const idle_ms = 20_000;

export function connections(options: {
  smtp: SMTPConnectionOptions;
  auth: { user: string; pass: string } | null;
  max: number;
}) {
  const idle: { connection: Connection; timer: NodeJS.Timeout }[] = [];
  const waiting: { resolve(): void; signal: AbortSignal }[] = [];
  let open = 0;

  const drop = (connection: Connection) => {
    if (connection.broken) return;
    connection.broken = true;
    open--;
    connection.smtp.close();
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
    const smtp = new SMTPConnection(options.smtp);
    const connection: Connection = { smtp, messages: 0, broken: false };
    const cut = () => drop(connection);
    signal.addEventListener('abort', cut, { once: true });
    try {
      await new Promise<void>((resolve, reject) => {
        smtp.once('error', reject);
        smtp.once('end', () =>
          reject(Object.assign(new Error('Connection closed'), { code: 'ECONNECTION' })),
        );
        smtp.connect((error) => (error ? reject(error) : resolve()));
      });
      if (options.auth) {
        const { auth } = options;
        await new Promise<void>((resolve, reject) => {
          smtp.login(auth, (error) => (error ? reject(error) : resolve()));
        });
      }
    } catch (error) {
      drop(connection);
      throw error;
    } finally {
      signal.removeEventListener('abort', cut);
    }
    // From now on the relay may hang up at any time; without a listener that would end the process.
    smtp.on('error', () => drop(connection));
    smtp.on('end', () => drop(connection));
    return connection;
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
        connection.smtp.quit();
        drop(connection);
      }
    },
  };
}
