// A process of the API that ends with SIGKILL right after one of the statements that count or store a record.
import { type DyingProcess, startProcess } from './dying-process.ts';

export type DyingApi = {
  database_url: string;
  data_dir: string;
  shared_key: string;
  /** A regular expression: which statements are numbered. */
  statements: string;
  /** The number of the statement, from 1. */
  dies_at: number;
};

/** It prints `at <url>` when it listens. */
export const dyingApi = ({
  database_url,
  data_dir,
  shared_key,
  statements,
  dies_at,
}: DyingApi): DyingProcess =>
  startProcess(
    `
    import { buildApp } from './src/app/app.ts';
    import { readConfig } from './src/config/config.ts';
    import { openDatabase } from './src/platform/db/database.ts';
    import { compile } from './src/platform/db/sql.ts';
    import { makeLog } from './src/platform/log.ts';
    import { codedSpeech } from './testing/calls.ts';
    const [, database_url, data_dir, shared_key, statements, dies_at] = process.argv;
    const real = openDatabase({ url: database_url, max_connections: 5, connect_timeout_ms: 30_000, onError() {} });
    let left = Number(dies_at);
    const after = async (query, result) => {
      if (!new RegExp(statements).test(compile(query).text) || --left > 0) return result;
      process.kill(process.pid, 'SIGKILL');
      return new Promise(() => {});
    };
    const dying = (on) => ({
      ...on,
      rows: async (query) => after(query, await on.rows(query)),
      maybe: async (query) => after(query, await on.maybe(query)),
      run: async (query) => after(query, await on.run(query)),
    });
    const db = { ...dying(real), transaction: (work) => real.transaction((tx) => work(dying(tx))) };
    const environment = { PARLEY_DATA_DIR: data_dir, PARLEY_SANDBOX: 'on', PARLEY_ROLES: 'api', PORT: '0' };
    const app = buildApp({
      config: readConfig({ ...environment, DATABASE_URL: database_url }, process.cwd()),
      db,
      log: makeLog({ level: 'fatal', show_personal_data: true }),
      shared_key,
      master_keys: [{ id: 'test', key: Buffer.alloc(32, 7) }],
      speech: () => codedSpeech(),
    });
    await app.prepare();
    await app.http.listen({ port: 0, host: '127.0.0.1' });
    app.listening(app.http.server.address().port);
    process.stdout.write('at http://127.0.0.1:' + app.http.server.address().port + '\\n');
    `,
    database_url,
    data_dir,
    shared_key,
    statements,
    String(dies_at),
  );
