// A budget counts exactly the records that exist, also when the process is killed while it counts and stores. Real processes die.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nil_uuid } from '@parley/contract/limits';
import { startTestApp } from '../../../testing/app.ts';
import { startProcess } from '../../../testing/dying-process.ts';
import { sql } from '../../platform/db/sql.ts';

const { client, operator, db, database_url, data_dir } = await startTestApp({ PARLEY_ROLES: 'api' });

/** A process of the API that ends with SIGKILL after the statement with this number that changes a budget or stores a record. */
const api = (dies_at: number) =>
  startProcess(
    `
    import { buildApp } from './src/app/app.ts';
    import { readConfig } from './src/config/config.ts';
    import { openDatabase } from './src/platform/db/database.ts';
    import { compile } from './src/platform/db/sql.ts';
    import { makeLog } from './src/platform/log.ts';
    import { codedSpeech } from './testing/calls.ts';
    const [, database_url, data_dir, shared_key, dies_at] = process.argv;
    const real = openDatabase({ url: database_url, max_connections: 5, connect_timeout_ms: 30_000, onError() {} });
    let left = Number(dies_at);
    const after = async (query, result) => {
      const { text } = compile(query);
      const counts = /update budget_uses/.test(text) || /insert into (emails|sms_messages)/.test(text);
      if (!counts || --left > 0) return result;
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
    client.key,
    String(dies_at),
  );

const requests = {
  emails: ['/v1/emails', { to: ['ana@example.org'], subject: 'Hello' }],
  sms: ['/v1/sms', { to: '+14155550301', body: 'Hello' }],
} as const;

for (const channel of ['emails', 'sms'] as const)
  test(`F14: a kill between the count and the record leaves no count without one of the ${channel}`, {
    timeout: 280_000,
  }, async () => {
    // Each one passes a threshold, so that a single statement cannot count it.
    const budget = await operator.request<{ id: string }>('POST', '/v1/budgets', {
      subject: { kind: 'organization', id: null },
      channel,
      window: 'day',
      max_count: 4,
    });
    assert.equal(budget.status, 201, budget.text);
    const table = sql.raw(channel === 'emails' ? 'emails' : 'sms_messages');
    for (const dies_at of [1, 2]) {
      const killed = api(dies_at);
      const url = (await killed.prints('at ')).slice(3);
      const [path, body] = requests[channel];
      await fetch(url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${client.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ recipient_consent: true, ...body }),
      }).catch(() => null);
      assert.equal((await killed.exited).signal, 'SIGKILL');
      const used = await operator.request<{ used_count: number }>('GET', `/v1/budgets/${budget.body.id}`);
      const stored = await db.maybe<{ count: number }>(sql`
        select count(*)::int as count from ${table}
         where organization_id = ${nil_uuid} and direction = 'outbound'`);
      assert.equal(used.body.used_count, stored!.count, `${channel}, statement ${dies_at}`);
    }
  });
