// Retention over HTTP: each organization sets its days, and what is older is deleted from all tables and from the object storage.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Call } from '@parley/contract/channels/calls/call-records';
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { Conversation } from '@parley/contract/inbox/conversations';
import type { Retention } from '@parley/contract/operations/retention';
import type { Approval } from '@parley/contract/rules/approvals/approvals';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { ended, people } from '../../../../testing/calls.ts';
import { sql } from '../../../platform/db/sql.ts';
import { firstIdAt } from '../../../platform/ids.ts';

const day_seconds = 86_400;
const { app, url, db, client, operator, organization, later, data_dir } = await startTestApp();

const owner = (organization_id: string = randomUUID()): Client =>
  organization({ organization_id, credential_kind: 'session', role: 'owner' });
const path = '/v1/organization/retention';
const read = async (of: Client) => (await of.request<Retention>('GET', path)).body;
async function set(of: Client, patch: object): Promise<Retention> {
  const answer = await of.request<Retention>('PATCH', path, patch);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

async function post<T = { id: string }>(of: Client, to: string, body: unknown): Promise<T> {
  const answer = await of.request<T>('POST', to, body, { 'idempotency-key': randomUUID() });
  assert.equal(answer.status, 201, `${to}: ${answer.text}`);
  return answer.body;
}

async function upload(of: Client, content: string): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([content], { type: 'text/plain' }), 'offer.txt');
  const headers = { authorization: `Bearer ${of.key}` };
  const answer = await fetch(`${url}/v1/email-attachments`, { method: 'POST', headers, body: form });
  return ((await answer.json()) as { id: string }).id;
}

/** A message of each kind and direction with the word, and a recorded call about it. */
async function exchange(of: Client, word: string) {
  const sent = await post<Sms>(of, '/v1/sms', {
    ...{ to: people.converses, body: `About ${word}`, recipient_consent: true },
  });
  const answer = await post<Sms>(of, '/v1/sandbox/inbound-sms', {
    ...{ from: people.converses, to: sent.from, body: `I like ${word}` },
  });
  const email = await post<Email>(of, '/v1/emails', {
    ...{ to: ['ana@example.org'], subject: word, body_text: `Dear Ana, ${word}`, recipient_consent: true },
    attachment_ids: [await upload(of, `The offer: ${word}`)],
  });
  await post<Email>(of, '/v1/emails', {
    ...{ to: ['ana@example.org', 'bob@example.org'], subject: `${word} for two`, body_text: word },
    recipient_consent: true,
  });
  const content_base64 = Buffer.from(`My ${word}`).toString('base64');
  const received = await post<Email>(of, '/v1/sandbox/inbound-emails', {
    ...{ from: 'ana@example.org', subject: `Re: ${word}`, text: `Yes, ${word}` },
    attachments: [{ filename: 'answer.txt', content_base64 }],
  });
  const call = await post<Call>(of, '/v1/calls', {
    ...{ to: people.converses, system_prompt: `Speak about ${word}.`, recipient_consent: true, record: true },
  });
  await ended(of, call.id);
  return { texts: [sent.id, answer.id], emails: [email.id, received.id], call: call.id };
}

/** The tables of the organization whose rows contain the word, and the stored objects that do. */
async function placesWith(word: string, organization_id: string): Promise<string[]> {
  const tables = await db.rows<{ name: string }>(sql`
    select c.oid::regclass::text as name from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
     where c.relkind in ('r', 'p') and not c.relispartition`);
  const places: string[] = [];
  for (const { name } of tables) {
    const found = await db.rows(sql`
      select from ${sql.raw(name)} t where organization_id = ${organization_id} and t::text ilike ${`%${word}%`} limit 1`);
    if (found.length > 0) places.push(name);
  }
  for (const file of await readdir(join(data_dir, 'objects'), { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const key = join(file.parentPath, file.name);
    if ((await readFile(key)).includes(word)) places.push(key);
  }
  return places;
}

test('without a setting, the settings of the service apply', async () => {
  const own = owner();
  const { effective, last_run, ...days } = await read(own);
  assert.deepEqual(effective, {
    ...{ messages: null, recordings: null, records: null, events: 90, quarantine: 30, requests: 7 },
  });
  assert.deepEqual([last_run, Object.values(days)], [null, [null, null, null, null, null, null]]);
});

test('only a person with the role owner or admin changes it, within the limits of the service', async () => {
  const own = owner();
  const { organization_id } = own;
  const refused = await Promise.all([
    organization({ organization_id }).request('PATCH', path, { messages: 1 }),
    organization({ organization_id, credential_kind: 'session', role: 'member' }).request('PATCH', path, {
      messages: 1,
    }),
    own.request('PATCH', path, { messages: 0 }),
    own.request('PATCH', path, { events: 91 }),
    own.request('PATCH', path, { requests: 8 }),
    own.request('PATCH', path, { messages: 30, records: 29 }),
  ]);
  assert.deepEqual(
    refused.map(({ status, body }) => [status, body.code]),
    [
      [403, 'person_required'],
      [403, 'person_required'],
      [422, 'validation_failed'],
      [422, 'validation_failed'],
      [422, 'validation_failed'],
      [422, 'validation_failed'],
    ],
  );
  const changed = await set(own, { messages: 30, records: 60 });
  assert.ok(['running', 'done'].includes(changed.last_run!.status), 'the deletion has begun');
  assert.deepEqual([changed.messages, changed.effective.recordings, changed.effective.events], [30, 60, 30]);
  assert.equal((await set(own, { messages: null, records: null })).effective.messages, null);
});

test('recordings, then content, then whole records are deleted when they are old enough, of one organization only', async () => {
  const own = owner();
  const other = owner();
  const [word, other_word] = ['marzipan', 'nougat'];
  const [{ texts, emails, call }] = await Promise.all([exchange(own, word), exchange(other, other_word)]);
  await set(own, { recordings: 1, messages: 3, records: 6, requests: 2 });
  const soon = new Date(Date.now() + 20 * day_seconds * 1000).toISOString();
  const scheduled = await post<Sms>(own, '/v1/sms', {
    ...{ to: people.converses, body: `Later: ${word}`, recipient_consent: true, scheduled_at: soon },
  });
  await db.run(sql`
    update email_events set detail = json_build_object('reason', ${`Refused: ${word}`}::text)
     where organization_id = ${own.organization_id}`);
  const callNow = async () => (await own.request<Call>('GET', `/v1/calls/${call}`)).body;
  assert.ok((await callNow()).recording_url);

  await later(1.5 * day_seconds);
  assert.deepEqual([(await callNow()).recording_url, (await callNow()).content_erased_at], [null, null]);
  assert.equal((await own.request<Sms>('GET', `/v1/sms/${texts[0]}`)).body.body, `About ${word}`);

  await later(2 * day_seconds);
  for (const id of emails) {
    const { body } = await own.request<Email>('GET', `/v1/emails/${id}`);
    assert.ok(body.content_erased_at);
    assert.deepEqual([body.subject, body.body_text, body.attachments, body.raw_url], ['', '', [], null]);
    assert.ok(['sent', 'received'].includes(body.status));
  }
  for (const id of texts) assert.equal((await own.request<Sms>('GET', `/v1/sms/${id}`)).body.body, '');
  const details = await db.rows<{ detail: object }>(sql`
    select detail from email_events where organization_id = ${own.organization_id} and email_id = any(${emails}::uuid[])`);
  assert.ok(details.length > 0 && details.every(({ detail }) => Object.keys(detail).length === 0));
  const { body: transcript } = await own.request<{ turns: unknown[] }>('GET', `/v1/calls/${call}/transcript`);
  assert.deepEqual(transcript.turns, []);
  // What is still to be sent keeps its content.
  assert.equal((await own.request<Sms>('GET', `/v1/sms/${scheduled.id}`)).body.body, `Later: ${word}`);
  const counts = (await read(own)).last_run!.counts;
  assert.deepEqual([(await read(own)).last_run!.status, typeof counts.events], ['done', 'number']);

  await own.request('POST', `/v1/sms/${scheduled.id}/cancel`);
  await later(3 * day_seconds);
  for (const at of [
    ...emails.map((id) => `emails/${id}`),
    ...texts.map((id) => `sms/${id}`),
    `calls/${call}`,
  ])
    assert.equal((await own.request('GET', `/v1/${at}`)).status, 404, at);
  const { body: conversations } = await own.request<{ items: unknown[] }>('GET', '/v1/conversations');
  assert.deepEqual(conversations.items, []);

  const receipts = await db.rows<{ disclosures: unknown }>(
    sql`select disclosures from receipts where organization_id = ${own.organization_id}`,
  );
  assert.ok(receipts.length > 0 && receipts.every(({ disclosures }) => disclosures === null));

  await later(3600);
  const with_ana = await placesWith('ana@example.org', own.organization_id);
  assert.deepEqual(
    with_ana.filter((place) => !place.startsWith(data_dir)),
    [],
  );

  // The uploads that no email has any more are deleted by the job of expired uploads.
  await later(2 * 3600);
  assert.deepEqual(await placesWith(word, own.organization_id), []);
  const of_other = await placesWith(other_word, other.organization_id);
  for (const table of ['emails', 'sms_messages', 'calls', 'search_documents', 'events'])
    assert.ok(of_other.includes(table), table);
  assert.ok(of_other.some((place) => place.startsWith(data_dir)));
});

test('the result of a conversation that was merged into another one is deleted with its messages', async () => {
  const own = owner();
  const { organization_id } = own;
  const { texts, emails } = await exchange(own, 'pistachio');
  await app.projector.drain();
  const conversationOf = async (at: string) => {
    const { body: item } = await own.request<Sms | Email>('GET', `/v1/${at}`);
    return (await own.request<Conversation>('GET', `/v1/conversations/${item.conversation_id}`)).body.id;
  };
  const [of_text, of_email] = [
    await conversationOf(`sms/${texts[0]}`),
    await conversationOf(`emails/${emails[0]}`),
  ];
  await db.run(sql`
    insert into conversation_results (organization_id, id, conversation_id, agent_id, channel, message_id, own, status, summary,
                                      requested_at, settled_at)
    values (${organization_id}, ${randomUUID()}, ${of_text}, ${randomUUID()}, 'sms', ${texts[1]!}, '', 'ready',
            'The person likes pistachio.', now(), now())`);
  const merged = await own.request('POST', `/v1/conversations/${of_text}/merge`, { into: of_email });
  assert.equal(merged.status, 200, merged.text);
  await set(own, { messages: 1 });
  await later(2 * day_seconds);
  const summaries = await db.rows(
    sql`select summary from conversation_results where organization_id = ${organization_id}`,
  );
  assert.deepEqual(summaries, [{ summary: null }]);
});

test('a scheduled message that is older than the retention is erased after it was sent', async () => {
  const own = owner();
  await set(own, { messages: 1 });
  const at = (await db.maybe<{ now: Date }>(
    sql`select run_at as now from jobs where kind = 'begin_retention'`,
  ))!.now;
  const scheduled_at = new Date(at.getTime() + 3 * day_seconds * 1000).toISOString();
  const { id } = await post<Sms>(own, '/v1/sms', {
    ...{ to: people.converses, body: 'Later', recipient_consent: true, scheduled_at },
  });
  const newer = await post<Sms>(own, '/v1/sms', {
    to: people.converses,
    body: 'Now',
    recipient_consent: true,
  });
  const bodyOf = async (sms_id: string) => (await own.request<Sms>('GET', `/v1/sms/${sms_id}`)).body.body;
  await later(2 * day_seconds);
  assert.deepEqual([await bodyOf(id), await bodyOf(newer.id)], ['Later', '']);
  await later(2 * day_seconds);
  assert.deepEqual(
    [(await own.request<Sms>('GET', `/v1/sms/${id}`)).body.status, await bodyOf(id)],
    ['delivered', ''],
  );
});

test('many rows are erased in batches, and a run continues where an earlier one stopped', async () => {
  const own = owner();
  // The rest is more than a batch.
  const [rows, handled] = [5300, 100];
  const first = firstIdAt(new Date(Date.now() - 10 * day_seconds * 1000)).slice(0, 24);
  const id = sql`(${first} || lpad(to_hex(n), 12, '0'))::uuid`;
  await db.run(sql`
    insert into sms_messages (id, organization_id, conversation_id, direction, "from", "to", body, status, segments, encoding,
                              provider, requested_at, metadata, origin, is_shared_sender, attempts, claims)
    select ${id}, ${own.organization_id}, ${randomUUID()}::uuid, 'outbound', '+15005554001', '+14155550164',
           'a secret word', 'delivered', 1, 'gsm7', 'sandbox', now(), '{}', 'api', false, 1, 1
      from generate_series(1, ${rows}) n`);
  // A process that was killed left this behind.
  await db.run(sql`
    insert into retention (organization_id, messages_days, step, reached, positions, counts, started_at)
    select ${own.organization_id}, 1, 'sms', ${id}, json_build_object('sms', ${id}), json_build_object('sms', n), now()
      from (select ${handled}::int as n) handled`);
  await later(3700);
  const { status, counts, step } = (await read(own)).last_run!;
  assert.deepEqual([status, counts.sms, step], ['done', rows, null]);
  const [left] = await db.rows<{ count: number }>(sql`
    select count(*)::int as count from sms_messages where organization_id = ${own.organization_id} and body <> ''`);
  assert.equal(left!.count, handled);
});

test('the approval of a batch loses its content with the last email of the batch', async () => {
  const own = operator;
  const rules = [{ name: 'Everything', when: ['always'], then: 'hold' }];
  const policy = await own.request('PUT', '/v1/approval-policy', { rules });
  assert.equal(policy.status, 200, policy.text);
  await set(own, { messages: 1 });
  const word = 'praline';
  const email = { to: ['ana@example.org'], subject: word, body_text: word, recipient_consent: true };
  const clock = (await client.request<{ now: string }>('GET', '/v1/sandbox/clock')).body;
  const soon = new Date(Date.parse(clock.now) + 20 * day_seconds * 1000).toISOString();
  const batch = await post(client, '/v1/email-batches', {
    emails: [email, { ...email, scheduled_at: soon }],
  });
  await app.jobs.drain();
  const approvalNow = async () => (await own.request<Approval>('GET', `/v1/approvals/${batch.id}`)).body;
  const { payload_sha256, messages } = await approvalNow();
  assert.equal(messages.length, 2);
  const approved = await own.request('POST', `/v1/approvals/${batch.id}/approve`, { payload_sha256 });
  assert.equal(approved.status, 200, approved.text);

  await later(3 * day_seconds);
  assert.equal((await approvalNow()).shown.subject, word, 'one email is still to be sent');
  const { items } = (await own.request<{ items: Email[] }>('GET', '/v1/emails')).body;
  const waiting = items.find(({ status, scheduled_at }) => status === 'queued' && scheduled_at !== null);
  assert.equal((await own.request('POST', `/v1/emails/${waiting!.id}/cancel`)).status, 200);
  await later(3 * day_seconds);
  await later(2 * 3600);
  assert.deepEqual(await placesWith(word, own.organization_id), []);
});
