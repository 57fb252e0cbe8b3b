// Journey: waits are resolved once, over a restart, by two processes at the same time, and when one of them is killed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventEnvelope } from '../../packages/contract/src/event.ts';
import type { Wait } from '../../packages/contract/src/inbox/waits.ts';
import { createDatabase } from '../../packages/server/testing/database.ts';
import { makeHome, type Service, until } from './process.ts';

const senderOf = (index: number) => `person-${index}@example.com`;
const indexes = Array.from({ length: 8 }, (_, index) => index);

async function create({ request }: Service, from: string): Promise<Wait> {
  const { status, body, text } = await request<Wait>('POST', '/v1/waits', {
    any_of: [{ kind: 'email', from }],
  });
  assert.deepEqual([status, body.status], [201, 'pending'], text);
  return body;
}
const read = async ({ request }: Service, { id }: Wait, wait_seconds = 0) =>
  (await request<Wait>('GET', `/v1/waits/${id}?wait_seconds=${wait_seconds}`)).body;
async function receive({ request }: Service, from: string): Promise<string> {
  const { status, body, text } = await request<{ id: string }>('POST', '/v1/sandbox/inbound-emails', {
    from,
    text: 'Hello',
  });
  assert.equal(status, 201, text);
  return body.id;
}

test('a wait is resolved once, whatever happens to the processes', async (t) => {
  const database = await createDatabase();
  t.after(database.drop);
  const settings = {
    DATABASE_URL: database.url,
    PARLEY_SHARED_KEY: 'a-long-key-that-only-this-story-knows',
    PARLEY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    PARLEY_SANDBOX: 'on',
  };

  // Without a worker process no wait is evaluated: the email is in the event log when the process is killed.
  const api = await makeHome(t).start({ ...settings, PARLEY_ROLES: 'api' });
  const early = await create(api, 'early@example.com');
  const email_id = await receive(api, 'early@example.com');
  assert.equal((await read(api, early)).status, 'pending');
  await api.kill();

  const [one, other] = await Promise.all([makeHome(t).start(settings), makeHome(t).start(settings)]);
  await until(async () => (await read(other, early)).status === 'resolved');
  assert.equal((await read(other, early)).matched!.object.id, email_id);

  // Requests on both processes wait for the same waits, and both processes look for them in the background.
  const waits = await Promise.all(indexes.map((index) => create(one, senderOf(index))));
  const held = waits.map((wait) => read(other, wait, 55));
  for (const wait of waits) void read(one, wait, 55).catch(() => {});
  const emails = indexes.map((index) => receive(other, senderOf(index)));
  await emails[0];
  await one.kill();
  const resolved = await Promise.all(held);
  const email_ids = await Promise.all(emails);
  assert.deepEqual(
    resolved.map(({ status, matched }) => [status, matched?.object.id]),
    email_ids.map((id) => ['resolved', id]),
  );
  const { body } = await other.request<{ items: EventEnvelope[] }>('GET', '/v1/events?type=wait.resolved');
  assert.deepEqual(
    body.items.map(({ data }) => data.id).sort(),
    [early, ...waits].map(({ id }) => id).sort(),
  );
});
