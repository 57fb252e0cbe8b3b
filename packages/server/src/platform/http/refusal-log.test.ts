// Log lines of requests that are refused or fail.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../testing/app.ts';
import { sql } from '../db/sql.ts';
import { makeLog } from '../log.ts';

const lines: string[] = [];
const log = makeLog({
  level: 'info',
  show_personal_data: false,
  destination: { write: (line) => void lines.push(line) },
});
const { client, db } = await startTestApp({ PARLEY_SANDBOX: 'off' }, { log });

/** The log lines about requests during `work`. */
async function logged(work: () => Promise<{ status: number }>, status: number) {
  lines.length = 0;
  assert.equal((await work()).status, status);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => 'code' in line);
}

test('an expected refusal is logged at info and without a stack (O7)', async () => {
  const domain = { kind: 'service_mail', local_prefix_user: 'ana', local_prefix_org: 'acme' };
  assert.equal((await client.request('POST', '/v1/email-domains', domain)).status, 201);
  const email = { recipient_consent: true, to: ['ana@example.com'], subject: 'Hello', body_text: 'Hello' };
  const [line, ...others] = await logged(() => client.request('POST', '/v1/emails', email), 503);
  assert.deepEqual(others, []);
  assert.deepEqual([line!.level, line!.code], ['info', 'mail_not_configured']);
  assert.doesNotMatch(lines.join(''), /stack|ana@example/);
});

test('an invalid request is not logged at info (O7)', async () => {
  assert.deepEqual(await logged(() => client.request('GET', '/v1/nothing'), 404), []);
});

test('an internal error is logged as an error with its stack', async () => {
  await db.run(sql`alter table contacts rename to contacts_away`);
  const [line] = await logged(() => client.request('GET', '/v1/contacts'), 500);
  await db.run(sql`alter table contacts_away rename to contacts`);
  assert.deepEqual([line!.level, line!.code], ['error', 'internal_error']);
  assert.match(String((line!.err as { stack: string }).stack), /at /);
});
