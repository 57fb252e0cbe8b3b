// A worker process that is killed during a call: the call is closed, its number is released, and the timeline says why.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Balance } from '@parley/contract/rules/spending/funds';
import { startTestApp } from '../../../../../testing/app.ts';
import { ended, people, place, read, timeline, until } from '../../../../../testing/calls.ts';
import { sql } from '../../../../platform/db/sql.ts';

// A lease that does not run out while a worker on a busy machine loads its engines: a test lets it run out itself.
const lease = { PARLEY_CALL_LEASE_SECONDS: '120' };

// This process runs no calls itself: it queues them, and its sweeper closes lost ones.
const { client, operator, db, database_url, data_dir } = await startTestApp({
  ...lease,
  PARLEY_CALLS_AT_ONCE: '0',
  PARLEY_FUNDS: 'on',
});

const workers = new Set<ChildProcess>();
after(() => {
  for (const worker of workers) worker.kill('SIGKILL');
});

/** scripts/test.ts bundles the sources for a faster start. */
const main = process.env.PARLEY_TEST_MAIN ?? fileURLToPath(new URL('../../../../main.ts', import.meta.url));

function startWorker(): ChildProcess {
  const worker = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATABASE_URL: database_url,
      PARLEY_SHARED_KEY: client.key,
      PARLEY_DATA_DIR: data_dir,
      PARLEY_SANDBOX: 'on',
      PARLEY_ROLES: 'worker',
      ...lease,
      PARLEY_FUNDS: 'on',
      PARLEY_LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  workers.add(worker);
  return worker;
}

const kill = async (worker: ChildProcess) => {
  const exited = once(worker, 'exit');
  worker.kill('SIGKILL');
  await exited;
  workers.delete(worker);
};
/** Instead of waiting until the leases of the killed process run out. */
const letLeasesRunOut = () =>
  db.run(sql`update calls set lease_until = now() - interval '1 second' where lease_until is not null`);
const balance = async () => (await client.request<Balance>('GET', '/v1/funds')).body;
const boundTo = (call_id: string) =>
  db.maybe(sql`select id from pool_numbers where bound_call_id = ${call_id}`);

test('after kill -9 of the worker, a ringing call and one in progress are closed by force', async () => {
  const worker = startWorker();
  await operator.request('PATCH', '/v1/admin/prices', { call_minute: 50_000 });
  const credits = `/v1/admin/organizations/${client.organization_id}/funds/credits`;
  assert.equal((await operator.request('POST', credits, { amount_micros: 300_000 })).status, 201);
  const calls = [
    await place(client, people.never_answers, { ring_timeout_seconds: 120 }),
    await place(client, people.converses, { system_prompt: 'Ask for their name.' }),
  ];
  await until(client, calls[0]!.id, 'ringing');
  await until(client, calls[1]!.id, 'in_progress');
  for (const { id } of calls) assert.ok(await boundTo(id));
  // Both hold a reservation that the killed process can no longer release (R6).
  assert.ok((await balance()).reserved_micros >= 100_000);
  await kill(worker);
  for (const { id } of calls) assert.equal((await read(client, id)).ended_at, null);
  await letLeasesRunOut();

  for (const { id } of calls) {
    const call = await ended(client, id);
    assert.deepEqual([call.status, call.end_reason], ['failed', 'force_closed']);
    assert.equal(await boundTo(id), null);
    const last = (await timeline(client, id)).at(-1)!;
    assert.deepEqual([last.kind, last.detail.end_reason], ['broke', 'force_closed']);
    assert.match(String(last.detail.detail), /process.*gone/);
  }
  // The unanswered call costs nothing; the conversation costs at most what was reserved for it.
  const { balance_micros, reserved_micros } = await balance();
  assert.equal(reserved_micros, 0);
  assert.ok(balance_micros <= 250_000 && balance_micros >= 200_000, String(balance_micros));
  await operator.request('PATCH', '/v1/admin/prices', { call_minute: 0 });
});

test('a call queued without a worker is run by the next one, and the API process can cancel it', async () => {
  const { id } = await place(client, people.never_answers, { ring_timeout_seconds: 120 });
  const worker = startWorker();
  await until(client, id, 'ringing');
  const canceled = await client.request<{ status: string }>('POST', `/v1/calls/${id}/cancel`);
  assert.equal(canceled.body.status, 'canceled');
  assert.equal(await boundTo(id), null);
  // The worker stops running it and claims the next call.
  const next = await place(client, people.busy);
  assert.equal((await ended(client, next.id)).status, 'busy');
  await kill(worker);
});
