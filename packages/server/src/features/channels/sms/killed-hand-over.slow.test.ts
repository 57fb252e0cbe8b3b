// A text whose process is killed at any step of its hand-over is handed to the carrier once and counted once. Real processes die.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sms } from '@parley/contract/channels/sms/sms';
import { startTestApp } from '../../../../testing/app.ts';
import { type DyingProcess, startProcess } from '../../../../testing/dying-process.ts';
import { waitFor } from '../../../../testing/wait-for.ts';
import { sql } from '../../../platform/db/sql.ts';

// This process only takes requests: the workers below send.
const { app, client, operator, db, database_url, data_dir } = await startTestApp({ PARLEY_ROLES: 'api' });
await app.jobs.stop();

/** A worker that ends itself with SIGKILL at one step of a hand-over. */
const worker = (step: string): DyingProcess =>
  startProcess(
    `
    import { buildApp } from './src/app/app.ts';
    import { readConfig } from './src/config/config.ts';
    import { openDatabase } from './src/platform/db/database.ts';
    import { compile } from './src/platform/db/sql.ts';
    import { makeLog } from './src/platform/log.ts';
    import { codedSpeech } from './testing/calls.ts';
    const [, database_url, data_dir, shared_key, step] = process.argv;
    const die = () => {
      process.kill(process.pid, 'SIGKILL');
      return new Promise(() => {});
    };
    const real = openDatabase({ url: database_url, max_connections: 5, connect_timeout_ms: 30_000, onError() {} });
    const dyingAfter = (on) => ({
      ...on,
      async rows(query) {
        const rows = await on.rows(query);
        if (step === 'claimed' && rows.length > 0 && /update sms_messages m\\s/.test(compile(query).text)) await die();
        return rows;
      },
      async run(query) {
        const touched = await on.run(query);
        if (step === 'counting' && touched > 0 && /set admission = /.test(compile(query).text)) await die();
        return touched;
      },
    });
    const db = { ...dyingAfter(real), transaction: (work) => real.transaction((tx) => work(dyingAfter(tx))) };
    const carrier = (each) => ({
      ...each,
      sms: {
        ...each.sms,
        async send(...input) {
          if (step === 'counted') await die();
          const result = await each.sms.send(...input);
          if (step === 'handed') await die();
          return result;
        },
      },
    });
    const environment = { PARLEY_DATA_DIR: data_dir, PARLEY_SANDBOX: 'on', PARLEY_ROLES: 'worker', PORT: '0' };
    const app = buildApp({
      config: readConfig({ ...environment, DATABASE_URL: database_url }, process.cwd()),
      db,
      log: makeLog({ level: 'fatal', show_personal_data: true }),
      shared_key,
      master_keys: [{ id: 'test', key: Buffer.alloc(32, 7) }],
      speech: () => codedSpeech(),
      replace_providers: { carrier, transport: (transport) => transport },
    });
    await app.prepare();
    await app.workers.start();
    process.stdout.write('ready\\n');
    `,
    database_url,
    data_dir,
    client.key,
    step,
  );

/** A worker that stays alive while the promise is pending. */
async function withWorker(work: () => Promise<unknown>): Promise<void> {
  const survivor = worker('none');
  try {
    await work();
  } finally {
    survivor.kill();
    await survivor.exited;
  }
}

const in_an_hour = new Date(Date.now() + 3_600_000).toISOString();
async function scheduled(to: string): Promise<Sms> {
  const created = await client.request<Sms>('POST', '/v1/sms', {
    to,
    body: 'Your appointment is tomorrow.',
    scheduled_at: in_an_hour,
    recipient_consent: true,
  });
  assert.equal(created.status, 201, created.text);
  return created.body;
}
/** Instead of waiting for an hour, and for the leases of killed processes. */
const makeDue = (id: string) =>
  db.run(sql`
    update sms_messages set next_attempt_at = now(), handed_at = handed_at - interval '1 minute' where id = ${id}`);
/** So that the next worker does not get it, however long its start takes. */
const keepLeased = (id: string) =>
  db.run(sql`update sms_messages set next_attempt_at = now() + interval '1 hour' where id = ${id}`);
const letRecurringJobsRun = () => db.run(sql`update jobs set run_at = now() where unique_key like 'every:%'`);

test('F12: a kill at any step of a hand-over leaves a text that is sent once and counted once', {
  timeout: 280_000,
}, async () => {
  const budget = await operator.request<{ id: string }>('POST', '/v1/budgets', {
    subject: { kind: 'organization', id: null },
    channel: 'sms',
    window: 'day',
    max_count: 50,
  });
  assert.equal(budget.status, 201, budget.text);
  const steps = ['claimed', 'counting', 'counted', 'handed'];
  const texts: Sms[] = [];
  const handed = async (id: string) =>
    (await db.maybe(sql`select from sandbox_texts where id = ${id}`)) !== null;
  for (const [index, step] of steps.entries()) {
    const text = await scheduled(`+1415555030${index}`);
    texts.push(text);
    await makeDue(text.id);
    await letRecurringJobsRun();
    assert.equal((await worker(step).exited).signal, 'SIGKILL', step);
    const row = await db.maybe<{ is_called: boolean; status: string }>(sql`
      select handed_at is not null as is_called, status from sms_messages where id = ${text.id}`);
    const is_called = step === 'counted' || step === 'handed';
    assert.deepEqual([step, row], [step, { is_called, status: 'queued' }]);
    assert.equal(await handed(text.id), step === 'handed', step);
    await keepLeased(text.id);
  }
  for (const { id } of texts) await makeDue(id);
  await letRecurringJobsRun();
  const open = () => db.rows(sql`select id from sms_messages where status not in ('sent', 'delivered')`);
  await withWorker(() =>
    waitFor('every text is sent', async () => (await open()).length === 0, { timeout_ms: 120_000 }),
  );
  for (const [index, { id }] of texts.entries()) assert.ok(await handed(id), steps[index]);
  const used = await operator.request<{ used_count: number }>('GET', `/v1/budgets/${budget.body.id}`);
  assert.equal(used.body.used_count, steps.length);
});

test('F2: a text that ends its process twice fails with a true reason, and the others are sent', {
  timeout: 280_000,
}, async () => {
  const text = await scheduled('+14155550320');
  for (let start = 0; start < 2; start++) {
    await makeDue(text.id);
    await letRecurringJobsRun();
    assert.equal((await worker('claimed').exited).signal, 'SIGKILL');
  }
  await makeDue(text.id);
  const other = await scheduled('+14155550321');
  await makeDue(other.id);
  await letRecurringJobsRun();
  const read = async (id: string) => (await client.request<Sms>('GET', `/v1/sms/${id}`)).body;
  const has = async (id: string, ...states: Sms['status'][]) => states.includes((await read(id)).status);
  await withWorker(async () => {
    await waitFor('a final state', () => has(text.id, 'failed'), { timeout_ms: 120_000 });
    await waitFor('the other text', () => has(other.id, 'sent', 'delivered'), { timeout_ms: 120_000 });
  });
  assert.equal((await read(text.id)).error_code, 'carrier_unavailable');
  const entries = await db.rows(sql`
    select object_id::text, organization_id::text, lost_runs from set_aside_work where queue = 'texts'`);
  assert.deepEqual(entries, [{ object_id: text.id, organization_id: client.organization_id, lost_runs: 2 }]);
});
