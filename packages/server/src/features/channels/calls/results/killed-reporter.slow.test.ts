// The result of a call is made although the process that began it was killed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '@parley/contract/channels/calls/call-records';
import { startTestApp } from '../../../../../testing/app.ts';
import { callWorkers } from '../../../../../testing/call-workers.ts';
import { place, read } from '../../../../../testing/calls.ts';
import { standIn } from '../../../../../testing/stand-in.ts';
import { waitFor } from '../../../../../testing/wait-for.ts';
import { sql } from '../../../../platform/db/sql.ts';

let requests = 0;
let is_hanging = true;
const model = await standIn((_, response) => {
  requests++;
  if (is_hanging) return;
  const report = { summary: 'They said hello.', success: null, success_reason: null };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ choices: [{ message: { content: JSON.stringify(report) } }] }));
});

const environment = { WEBHOOK_PRIVATE_TARGETS: 'allow' };
// This process only takes requests.
const service = await startTestApp({ ...environment, PARLEY_ROLES: 'api' });
const { client, db, app } = service;
const { start, kill } = callWorkers(service, environment);

test('a result survives kill -9 of the process that makes it', { timeout: 120_000 }, async () => {
  const { id } = await place(client, '+15005550201', {
    llm: { base_url: `${model.url}/v1`, model: 'small' },
    // No worker runs it: the test ends it and writes what was said.
    scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await db.run(
    sql`update calls set answered_at = now(), ended_at = now(), status = 'completed', hold = null where id = ${id}`,
  );
  await db.run(sql`
    insert into call_turns (id, organization_id, call_id, speaker, text, started_ms, ended_ms, is_interrupted)
    select gen_random_uuid(), organization_id, id, 'person', 'Hello.', 0, 1, false from calls where id = ${id}`);
  assert.equal((await client.request<Call>('POST', `/v1/calls/${id}/result`, {})).status, 200);

  const worker = await start();
  await waitFor('the first request to the model', async () => requests > 0);
  await kill(worker);
  assert.equal((await read(client, id)).result_status, 'pending');
  is_hanging = false;
  // Instead of waiting until the lease of the killed process runs out.
  await db.run(sql`update jobs set run_at = now() where kind = 'settle_result'`);
  await app.jobs.drain();
  const call = await read(client, id);
  assert.deepEqual([call.result_status, call.summary], ['ready', 'They said hello.']);
  assert.ok(requests > 1, 'the model was asked again');
});
