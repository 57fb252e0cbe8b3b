// A service in this process that can crash: its connections break, its work never continues, and a new one can start on the
// same database.
import { randomBytes } from 'node:crypto';
import type { AddressInfo, Socket } from 'node:net';
import { type AppOptions, buildApp } from '../../src/app/app.ts';
import { readConfig } from '../../src/config/config.ts';
import {
  type Database,
  type Listening,
  openDatabase,
  type Queryable,
} from '../../src/platform/db/database.ts';
import type { Authenticator } from '../../src/platform/http/context.ts';
import { makeLog } from '../../src/platform/log.ts';
import type { Llm } from '../../src/providers/llm/llm.ts';
import { codedSpeech } from '../calls.ts';
import type { Recorder } from './recorder.ts';

const never = <T>(): Promise<T> => new Promise<T>(() => {});

/** After `die` no statement begins, ends or fails, and the server rolls back what was open. */
function mortalDatabase(url: string): { db: Database; die(): void } {
  const real = openDatabase({ url, max_connections: 10, onError() {} });
  let is_dead = false;
  const sockets = new Set<Socket>();
  real.pool.on('connect', (client) => {
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    sockets.add(stream);
    stream.on('close', () => sockets.delete(stream));
  });
  let listening: Listening | null = null;
  async function alive<T>(work: () => Promise<T>): Promise<T> {
    if (is_dead) return never();
    try {
      const result = await work();
      return is_dead ? never() : result;
    } catch (error) {
      if (is_dead) return never();
      throw error;
    }
  }
  const mortal = (on: Queryable): Queryable => ({
    rows: (query) => alive(() => on.rows(query)),
    maybe: (query) => alive(() => on.maybe(query)),
    run: (query) => alive(() => on.run(query)),
  });
  const db: Database = {
    ...mortal(real),
    give_up_ms: real.give_up_ms,
    get pool() {
      return real.pool;
    },
    transaction: (work) => alive(() => real.transaction((tx) => work({ ...tx, ...mortal(tx) }))),
    session: (work) => alive(() => real.session((session) => work(mortal(session)))),
    listen: (channel, received) =>
      alive(async () => {
        listening = await real.listen(channel, (payload) => !is_dead && received(payload));
        return { ...listening, closed: alive(() => listening!.closed) };
      }),
    close: (cut) => real.close(cut),
  };
  return {
    db,
    die() {
      is_dead = true;
      for (const socket of sockets) socket.destroy();
      listening?.close();
    },
  };
}

export type MortalApp = {
  url: string;
  app: ReturnType<typeof buildApp>;
  /** Ends without any of the steps of an orderly stop. */
  crash(): void;
  stop(): Promise<void>;
};

export type MortalOptions = {
  database_url: string;
  data_dir: string;
  shared_key: string;
  authenticator: Authenticator;
  recorder: Recorder;
  clock: NonNullable<AppOptions['clock']>;
  llm: Llm;
};

const master_keys = [{ id: 'test', key: randomBytes(32) }];

export async function startMortalApp(options: MortalOptions): Promise<MortalApp> {
  const { db, die } = mortalDatabase(options.database_url);
  const providers = options.recorder.providers();
  const app = buildApp({
    config: readConfig(
      {
        PORT: '0',
        PARLEY_REQUESTS_PER_MINUTE: '1000000',
        PARLEY_DATA_DIR: options.data_dir,
        PARLEY_SANDBOX: 'on',
      },
      process.cwd(),
    ),
    db,
    log: makeLog({ level: process.env.TEST_LOG ?? 'silent', show_personal_data: true }),
    shared_key: options.shared_key,
    // A person who can decide about every rule.
    operator_key: `${options.shared_key}_operator`,
    authenticators: [options.authenticator],
    master_keys,
    check_answers: true,
    clock: options.clock,
    replace_providers: providers,
    speech: () => codedSpeech({ llm: options.llm }),
  });
  await app.prepare();
  await app.workers.start();
  await app.http.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.http.server.address() as AddressInfo;
  app.listening(port);
  const end = async () => {
    await app.http.close();
    await app.workers.stop(AbortSignal.abort());
    await app.close();
  };
  return {
    url: `http://127.0.0.1:${port}`,
    app,
    crash() {
      providers.die();
      die();
      app.http.server.closeAllConnections();
      // Not in order, because a stop would wait for the database: only what keeps this process alive must end.
      void app.http.close().catch(() => {});
      void app.workers.stop(AbortSignal.abort()).catch(() => {});
      void app.close().catch(() => {});
    },
    async stop() {
      await end();
      await db.close();
    },
  };
}
