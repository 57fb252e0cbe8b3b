// Journey: the process is killed while it erases a person or applies a retention; the next one continues and finishes it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nil_uuid } from '@parley/contract/limits';
import pg from 'pg';
import { makeHome, requester, sharedDatabase, until } from './process.ts';

const person = '+14155550164';
/** More than a batch, so that the last one is in the second batch. */
const texts = 5100;
const idOf = (n: number) => `0192f0c0-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;

/** Delivered texts of the year 2024 to the person. */
const insertTexts = (database: pg.Client) =>
  database.query(
    `insert into sms_messages (id, organization_id, conversation_id, direction, "from", "to", body, status, segments, encoding,
                               provider, requested_at, metadata, origin, is_shared_sender, attempts, claims)
     select (left($4, 24) || lpad(to_hex(n), 12, '0'))::uuid, $1, $4::uuid, 'outbound', '+15005554001', $2,
            'a secret word', 'delivered', 1, 'gsm7', 'sandbox', now(), '{}', 'api', false, 1, 1
       from generate_series(1, $3::int) n`,
    [nil_uuid, person, texts, idOf(0)],
  );

/** The batch with the last text waits until the returned function is called. */
async function blockLastText(url: string): Promise<() => Promise<void>> {
  const blocker = new pg.Client(url);
  await blocker.connect();
  await blocker.query('begin');
  await blocker.query('select from sms_messages where id = $1 for update', [idOf(texts)]);
  return () => blocker.end();
}

test('a kill in the middle of an erasure leaves nothing half done', async (t) => {
  const operator_key = 'an-operator-key-that-only-this-story-knows';
  const settings = { ...(await sharedDatabase(t)), PARLEY_OPERATOR_KEY: operator_key };
  const first = await makeHome(t).start(settings);
  const database = new pg.Client(settings.DATABASE_URL);
  await database.connect();
  // The database is dropped at the end of the test, which ends this connection too.
  database.on('error', () => {});
  await insertTexts(database);
  const unblock = await blockLastText(settings.DATABASE_URL);
  const created = await requester(first.url, operator_key)<{ id: string }>('POST', '/v1/erasures', {
    parties: [person],
  });
  assert.equal(created.status, 201, created.text);
  const left = async () =>
    Number((await database.query('select count(*) from sms_messages where body <> $1', [''])).rows[0].count);
  await until(async () => (await left()) < texts);
  await first.kill();
  await unblock();
  const erasure = await database.query('select done_at from erasures');
  assert.equal(erasure.rows[0].done_at, null);
  assert.ok((await left()) > 0);

  const second = await makeHome(t).start(settings);
  const ask = requester(second.url, operator_key);
  // The lease of the killed process ends.
  await ask('POST', '/v1/sandbox/clock', { advance_seconds: 300 });
  await until(
    async () =>
      (await ask<{ status: string }>('GET', `/v1/erasures/${created.body.id}`)).body.status === 'done',
  );
  const { counts } = (await ask<{ counts: { sms: number } }>('GET', `/v1/erasures/${created.body.id}`)).body;
  assert.ok(counts.sms >= texts);
  const found = await database.query('select count(*) from sms_messages where "to" = $1 or body <> $2', [
    person,
    '',
  ]);
  assert.equal(Number(found.rows[0].count), 0);
  await database.end();
  await second.stop('SIGTERM');
});

test('a kill in the middle of a retention run costs one batch', async (t) => {
  const operator_key = 'an-operator-key-that-only-this-story-knows';
  const settings = { ...(await sharedDatabase(t)), PARLEY_OPERATOR_KEY: operator_key };
  const first = await makeHome(t).start(settings);
  const database = new pg.Client(settings.DATABASE_URL);
  await database.connect();
  // The database is dropped at the end of the test, which ends this connection too.
  database.on('error', () => {});
  await insertTexts(database);
  const unblock = await blockLastText(settings.DATABASE_URL);
  const path = '/v1/organization/retention';
  const changed = await requester(first.url, operator_key)('PATCH', path, { messages: 30 });
  assert.equal(changed.status, 200, changed.text);
  const left = async () =>
    Number((await database.query('select count(*) from sms_messages where body <> $1', [''])).rows[0].count);
  await until(async () => (await left()) < texts);
  await first.kill();
  await unblock();
  const run = await database.query('select step, done_at from retention');
  assert.deepEqual(run.rows, [{ step: 'sms', done_at: null }]);
  assert.ok((await left()) > 0);

  const second = await makeHome(t).start(settings);
  const ask = requester(second.url, operator_key);
  // The lease of the killed process ends.
  await ask('POST', '/v1/sandbox/clock', { advance_seconds: 300 });
  type Run = { last_run: { status: string; counts: { sms: number } } };
  await until(async () => (await ask<Run>('GET', path)).body.last_run.status === 'done');
  assert.equal(await left(), 0);
  const { counts } = (await ask<Run>('GET', path)).body.last_run;
  assert.ok(counts.sms >= texts - 5000 && counts.sms <= texts);
  await database.end();
  await second.stop('SIGTERM');
});
