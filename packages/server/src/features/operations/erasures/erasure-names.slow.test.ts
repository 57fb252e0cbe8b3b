// The names of an erasure: nobody but the organization chooses them, and they damage nothing that is not the person's.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { Erasure } from '@parley/contract/operations/erasures';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { createMailbox } from '../../../../testing/mail-app.ts';
import { sql } from '../../../platform/db/sql.ts';

const { app, db, organization, later } = await startTestApp();

async function mailboxOwner(): Promise<Client> {
  const client = organization({ credential_kind: 'session', role: 'owner' });
  await createMailbox(client);
  return client;
}

async function post<T = { id: string }>(of: Client, path: string, body: unknown): Promise<T> {
  const answer = await of.request<T>('POST', path, body, { 'idempotency-key': randomUUID() });
  assert.equal(answer.status, 201, `${path}: ${answer.text}`);
  return answer.body;
}

const receive = (of: Client, from: string, text: string, subject = 'Hello') =>
  post(of, '/v1/sandbox/inbound-emails', { from, subject, text });

const textOf = async (of: Client, id: string): Promise<string> =>
  (await of.request<Email>('GET', `/v1/emails/${id}`)).body.body_text!.trim();

/** The dry run and then the erasure. */
async function erase(of: Client, body: Record<string, unknown>): Promise<{ dry: Erasure; done: Erasure }> {
  await app.projector.drain();
  await app.jobs.drain();
  const dry = await post<Erasure>(of, '/v1/erasures', { ...body, dry_run: true });
  const { id } = await post(of, '/v1/erasures', body);
  for (let round = 0; round < 20; round++) {
    await app.jobs.drain();
    const { body: done } = await of.request<Erasure>('GET', `/v1/erasures/${id}`);
    assert.notEqual(done.status, 'failed');
    if (done.status === 'done') return { dry, done };
    await later(3);
  }
  assert.fail('the erasure did not end');
}

test('S6: the display names that a stranger wrote mail under change no text of others and no agent', async () => {
  const own = await mailboxOwner();
  const phrases = ['Kind regards', 'order number', 'invoice is', 'Never promise'];
  for (const name of phrases) await receive(own, `${name} <eve@evil.example>`, 'Hi');
  const text = 'The invoice is attached. Kind regards, Carl. Reply to Kind regards <eve@evil.example> too.';
  const carl = await receive(own, 'Carl <carl@cust.example>', text);
  const agent = await post<{ id: string }>(own, '/v1/agents', {
    name: 'Support',
    system_prompt: 'End every answer with: Kind regards. Never promise refunds. Ask eve@evil.example.',
  });
  const silent = await receive(own, 'Dora <dora@cust.example>', 'My order number is 7. Kind regards');
  const before = await own.request('GET', `/v1/agents/${agent.id}`);
  const { dry, done } = await erase(own, { parties: ['eve@evil.example'] });
  assert.deepEqual([dry.names, dry.display_names?.toSorted()], [[], phrases.toSorted()]);
  assert.deepEqual(dry.settings, ['agents']);
  assert.deepEqual(dry.counts, done.counts);
  assert.equal(
    await textOf(own, carl.id),
    `The invoice is attached. Kind regards, Carl. Reply to <erased:${done.id}> too.`,
  );
  assert.equal(await textOf(own, silent.id), 'My order number is 7. Kind regards');
  assert.equal((await own.request('GET', `/v1/emails/${silent.id}/raw`)).status, 302);
  assert.deepEqual((await own.request('GET', `/v1/agents/${agent.id}`)).body, before.body);
});

test('S6: a name of a contact that is also JSON, a bracket or a backslash breaks no record', async () => {
  const names = ['"version": 1', '{ "a"', 'x \\ y', 'null , true', '$& $1 name', 'Zoë "Z" O\'Neil'];
  for (const name of names) {
    const own = await mailboxOwner();
    await post(own, '/v1/contacts', { name, email: 'odd@cust.example' });
    const text = `{"version": 1, "note": ${JSON.stringify(`by ${name}.`)}} and ${name}.`;
    const json = JSON.stringify({ version: 1, 'odd@cust.example': 'ok', list: [{ by: name }] });
    const group = await receive(own, 'Dora <dora@cust.example>', text);
    const as_json = await receive(own, 'Dora <dora@cust.example>', json, 'Other');
    await receive(own, 'odd@cust.example', 'Hi');
    await db.run(sql`
      insert into audit_entries (organization_id, id, credential_id, action, detail, created_at)
      values (${own.organization_id}, ${randomUUID()}, 'x', 'test', ${JSON.stringify({ name, text, version: 1 })}::jsonb, now())`);
    const { dry, done } = await erase(own, { parties: ['odd@cust.example'] });
    assert.deepEqual(dry.counts, done.counts, name);
    const erased = `erased:${done.id}`;
    if (!dry.names?.includes(name)) continue;
    assert.ok((await textOf(own, group.id)).endsWith(`and ${erased}.`), name);
    assert.deepEqual(JSON.parse(await textOf(own, as_json.id)), {
      version: 1,
      [erased]: 'ok',
      list: [{ by: erased }],
    });
    const row = await db.maybe<{ detail: Record<string, unknown> }>(sql`
      select detail from audit_entries where organization_id = ${own.organization_id} and action = 'test'`);
    assert.deepEqual([row!.detail.name, row!.detail.version], [erased, 1]);
  }
});

test('S6: a name is replaced as whole words only, and the request says which names', async () => {
  const own = await mailboxOwner();
  const { id: contact_id } = await post(own, '/v1/contacts', { name: 'Ann Lee', email: 'ann@cust.example' });
  const text = 'Joann Leeds and ann lee met Ann\nLee, Ann Leé and Mark. Mark the date, remark.';
  const mail = () => receive(own, 'Dora <dora@cust.example>', text);
  const [first, second] = [await mail(), await mail()];
  const none = await erase(own, { contact_id, names: [] });
  assert.deepEqual([none.dry.names, none.dry.counts], [[], none.done.counts]);
  assert.equal(await textOf(own, first.id), text);
  await post(own, '/v1/contacts', { name: 'Ann Lee', email: 'ann@cust.example' });
  const { dry, done } = await erase(own, { parties: ['ann@cust.example'], names: ['Ann Lee', 'Mark.'] });
  assert.deepEqual([dry.names, dry.counts], [['Ann Lee', 'Mark.'], done.counts]);
  const erased = `erased:${done.id}`;
  assert.equal(
    await textOf(own, second.id),
    `Joann Leeds and ${erased} met ${erased}, Ann Leé and ${erased} Mark the date, remark.`,
  );
  const refused = await own.request('POST', '/v1/erasures', { parties: ['a@cust.example'], names: ['{}'] });
  assert.equal(refused.status, 422);
});
