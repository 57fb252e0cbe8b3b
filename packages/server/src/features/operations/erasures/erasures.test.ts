// Erasures over HTTP: an erased person is in no table and in no stored object, others are untouched, and nothing reaches them again.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { Receipt } from '@parley/contract/inbox/receipts';
import type { Erasure } from '@parley/contract/operations/erasures';
import { type ReceiptKeySet, verifyReceipts } from '@parley/sdk';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { ended, eventually, people } from '../../../../testing/calls.ts';
import { filesWith, finishConversations, type Someone, useTools } from '../../../../testing/erased-person.ts';
import { createMailbox } from '../../../../testing/mail-app.ts';
import { startReceiver } from '../../../../testing/receiver.ts';
import { newPath, subscribe } from '../../../../testing/webhooks.ts';
import { sql } from '../../../platform/db/sql.ts';

const { app, url, db, client, operator, organization, later, data_dir } = await startTestApp();
const receiver = await startReceiver();

const ana: Someone = {
  name: 'Ana Kowalska-Test',
  phone: people.converses,
  email: 'ana.k@example.org',
  word: 'marzipan',
};
/** The same person in another organization. */
const ana_elsewhere: Someone = { ...ana, name: 'Ana Elsewhere-Test', word: 'nougat' };
const bob: Someone = {
  name: 'Robert Quickfield',
  phone: people.presses_digits,
  email: 'robert.q@example.net',
  word: 'gingerbread',
};

const owner = (organization_id?: string): Client =>
  organization({
    credential_kind: 'session',
    role: 'owner',
    ...(organization_id ? { organization_id } : {}),
  });

async function post<T = { id: string }>(of: Client, path: string, body: unknown, status = 201): Promise<T> {
  const answer = await of.request<T>('POST', path, body, { 'idempotency-key': randomUUID() });
  assert.equal(answer.status, status, `${path}: ${answer.text}`);
  return answer.body;
}

async function upload(of: Client, filename: string, content: string): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([content], { type: 'text/plain' }), filename);
  const headers = { authorization: `Bearer ${of.key}` };
  const answer = await fetch(`${url}/v1/email-attachments`, { method: 'POST', headers, body: form });
  const body = (await answer.json()) as { id?: string; items?: { id: string }[] };
  return body.id ?? body.items![0]!.id;
}

/** Everything that the service can have of a person. */
async function contact(of: Client, person: Someone, { is_recorded = true } = {}): Promise<void> {
  const { name, phone, email, word } = person;
  await post(of, '/v1/contacts', { name, phone_e164: phone, email });
  const proof = await upload(of, `${word}.txt`, `${name} agreed`);
  await post(of, '/v1/consents', {
    recipient: phone,
    channels: ['sms', 'call'],
    purposes: ['conversational'],
    basis: 'express',
    source: { kind: 'web_form', text_shown: `${name} agreed` },
    proof_attachment_id: proof,
  });
  const sent = await post<Sms>(of, '/v1/sms', {
    to: phone,
    body: `Hello ${name}: ${word}`,
    recipient_consent: true,
    metadata: { who: name },
  });
  await post(of, '/v1/sandbox/inbound-sms', { from: phone, to: sent.from, body: `I like ${word}` });
  const soon = new Date(Date.now() + 20 * 86_400_000).toISOString();
  await post(of, '/v1/sms', { to: phone, body: word, recipient_consent: true, scheduled_at: soon });
  const attachment = await upload(of, `offer ${word}.txt`, `For ${name}: ${word}`);
  await post(of, '/v1/emails', {
    to: [email],
    subject: `About ${word}`,
    body_text: `Dear ${name}, ${word}`,
    recipient_consent: true,
    attachment_ids: [attachment],
  });
  const content_base64 = Buffer.from(`${word} of ${name}`).toString('base64');
  await post(of, '/v1/sandbox/inbound-emails', {
    from: `${name} <${email}>`,
    subject: `Re: ${word}`,
    text: `${word}, says ${name}`,
    attachments: [{ filename: `${word}.txt`, content_base64 }],
  });
  await post(of, '/v1/waits', { any_of: [{ kind: 'sms', from: phone }], metadata: { who: name } });
  if (!is_recorded) return;
  await requestApproval(of, person);
  const call = await post(of, '/v1/calls', {
    to: phone,
    system_prompt: `Ask ${name} about ${word}.`,
    recipient_consent: true,
    record: true,
  });
  await ended(of, call.id);
}

/** A text of a program that waits for a person. */
async function requestApproval(of: Client, { phone, word }: Someone): Promise<void> {
  const set = (rules: object[]) => of.request('PUT', '/v1/approval-policy', { rules });
  const held = await set([{ name: 'All', when: ['always'], then: 'hold' }]);
  assert.equal(held.status, 200, held.text);
  await post(client, '/v1/sms', { to: phone, body: `May I say ${word}?`, recipient_consent: true });
  await set([]);
}

/** A mail of Bob to the organization and Ana, and one of the organization to both. */
async function writeToBoth(of: Client): Promise<{ sent_id: string; received_id: string }> {
  const sent = await post(of, '/v1/emails', {
    to: [bob.email],
    cc: [ana.email],
    subject: 'The plan',
    body_text: `Both of you: gingerbread. ${ana.name} starts.`,
    recipient_consent: true,
  });
  const received = await post(of, '/v1/sandbox/inbound-emails', {
    from: `${bob.name} <${bob.email}>`,
    cc: [`${ana.name} <${ana.email}>`],
    subject: 'The plan again',
    text: `I agree with ${ana.email} on gingerbread`,
  });
  return { sent_id: sent.id, received_id: received.id };
}

/** A mail of Ana with a file, which the organization forwards. Returns the id of her mail. */
async function forwardToColleague(of: Client): Promise<string> {
  const content_base64 = Buffer.from('A map').toString('base64');
  const { id } = await post(of, '/v1/sandbox/inbound-emails', {
    from: `${ana.name} <${ana.email}>`,
    subject: 'The map',
    text: 'Here it is',
    attachments: [{ filename: 'map.txt', content_base64 }],
  });
  await post(of, `/v1/emails/${id}/forward`, { to: [bob.email], recipient_consent: true });
  return id;
}

const wordsOf = ({ name, phone, email, word }: Someone) => [name, phone.slice(1), email, word];

/** The tables whose rows contain one of the words, with the number of rows. */
async function tablesWith(words: string[], organization_id?: string): Promise<Record<string, number>> {
  const tables = await db.rows<{ name: string; has_organization: boolean }>(sql`
    select format('%I.%I', n.nspname, c.relname) as name, exists (
             select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id') as has_organization
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('public', 'accounts') and c.relkind in ('r', 'p') and not c.relispartition order by 1`);
  const found: Record<string, number> = {};
  for (const { name, has_organization } of tables) {
    const own =
      organization_id && has_organization ? sql`and organization_id::text = ${organization_id}` : sql.empty;
    const row = await db.maybe<{ count: number }>(
      sql.replanned(sql`
        select count(*)::int as count from ${sql.raw(name)} t where to_jsonb(t)::text ilike any(${words.map((word) => `%${word}%`)}) ${own}`),
    );
    if (row!.count > 0) found[name] = row!.count;
  }
  return found;
}

const objectsWith = (words: string[]) => filesWith(data_dir, words);

async function erase(of: Client, body: Record<string, unknown>): Promise<Erasure> {
  const { id } = await post(of, '/v1/erasures', body);
  for (let round = 0; round < 20; round++) {
    await app.jobs.drain();
    const { body: erasure } = await of.request<Erasure>('GET', `/v1/erasures/${id}`);
    if (erasure.status === 'done') return erasure;
    await later(3);
  }
  assert.fail('the erasure did not end');
}

describe('an erased person', () => {
  // Approvals need a person who can decide: the holder of the operator key.
  const own = operator;
  const elsewhere = owner();
  let group = { sent_id: '', received_id: '' };
  let forwarded_id = '';
  let erased: Erasure;
  const path = newPath();

  test('is counted by a dry run that changes nothing', async () => {
    for (const each of [own, elsewhere]) await createMailbox(each);
    const event_types = [
      'sms.received',
      'email.received',
      'call.completed',
      'consent.recorded',
      'consent.revoked',
      'erasure.completed',
    ];
    await subscribe(own, `${receiver.url}${path}`, { event_types });
    await contact(own, ana);
    await useTools(db, own.organization_id, ana);
    await app.projector.drain();
    await finishConversations(db, own.organization_id, ana);
    forwarded_id = await forwardToColleague(own);
    await contact(own, bob, { is_recorded: false });
    await contact(elsewhere, ana_elsewhere, { is_recorded: false });
    group = await writeToBoth(own);
    await later(10);
    await app.jobs.drain();
    const before = await tablesWith(wordsOf(ana));
    for (const table of [
      'events',
      'search_documents',
      'conversations',
      'idempotency_keys',
      'receipts',
      'call_turns',
      'waits',
      'approvals',
      'tool_calls',
      'sandbox_outbox',
    ])
      assert.ok(before[`public.${table}`], `${table} has nothing of the person: ${JSON.stringify(before)}`);
    assert.ok((await objectsWith(wordsOf(ana))).length > 0);
    const dry = await post<Erasure>(own, '/v1/erasures', { parties: [ana.phone, ana.email], dry_run: true });
    assert.equal(dry.dry_run, true);
    const { emails, sms, calls, recordings, contacts, consents } = dry.counts;
    assert.deepEqual([emails, sms, calls, recordings, contacts, consents], [3, 4, 1, 1, 1, 1]);
    assert.deepEqual(await tablesWith(wordsOf(ana)), before);
    assert.equal((await own.request('GET', `/v1/erasures/${dry.id}`)).status, 404);
  });

  test('is found in no column of any table and in no stored object; others are untouched', async () => {
    const words = wordsOf(ana);
    const elsewhere_words = wordsOf(ana_elsewhere);
    const others_before = await tablesWith(elsewhere_words, elsewhere.organization_id);
    const objects_before = await objectsWith([ana_elsewhere.word]);
    const bob_before = await tablesWith([bob.phone.slice(1), bob.word], own.organization_id);
    const contacts = await own.request<{ items: { id: string; name: string }[] }>('GET', '/v1/contacts');
    const contact_id = contacts.body.items.find(({ name }) => name === ana.name)!.id;
    erased = await erase(own, { contact_id });
    assert.deepEqual([erased.parties, erased.step], [null, null]);
    assert.deepEqual(await tablesWith(words, own.organization_id), {});
    assert.deepEqual(await objectsWith([ana.name, ana.word]), []);
    const { emails, sms, calls, recordings, contacts: erased_contacts } = erased.counts;
    assert.deepEqual([emails, sms, calls, recordings, erased_contacts], [3, 4, 1, 1, 1]);
    assert.deepEqual(await tablesWith(elsewhere_words, elsewhere.organization_id), others_before);
    assert.deepEqual(await objectsWith([ana_elsewhere.word]), objects_before);
    const bob_after = await tablesWith([bob.phone.slice(1), bob.word], own.organization_id);
    assert.deepEqual(
      keysWithout(bob_after, 'public.webhook_deliveries'),
      keysWithout(bob_before, 'public.webhook_deliveries'),
    );
  });

  test('has no file and no answer that waits, also where a colleague got the file', async () => {
    const email = (await own.request<Email>('GET', `/v1/emails/${forwarded_id}`)).body;
    assert.deepEqual([email.body_text, email.attachments], ['', []]);
    const waiting = await db.rows(
      sql`select from suspended_replies where organization_id = ${own.organization_id}`,
    );
    assert.equal(waiting.length, 0);
  });

  test('leaves group mails to the others, without the address and the name', async () => {
    const sent = (await own.request<Email>('GET', `/v1/emails/${group.sent_id}`)).body;
    assert.deepEqual(sent.to_addresses, [bob.email]);
    assert.deepEqual(sent.cc_addresses, [`erased:${erased.id}`]);
    assert.equal(sent.body_text, `Both of you: gingerbread. erased:${erased.id} starts.`);
    const received = (await own.request<Email>('GET', `/v1/emails/${group.received_id}`)).body;
    assert.equal(received.from_address, bob.email);
    const found = await own.request<{ items: unknown[] }>('GET', '/v1/search?q=gingerbread');
    assert.ok(found.body.items.length > 0);
    const gone = await own.request<{ items: unknown[] }>('GET', `/v1/search?q=${ana.word}`);
    assert.deepEqual(gone.body.items, []);
  });

  test('gets no email, no text and no call any more, and what waited is canceled', async () => {
    const recipient_consent = true;
    const refused = [
      await own.request('POST', '/v1/sms', { to: ana.phone, body: 'x', recipient_consent }),
      await own.request('POST', '/v1/calls', { to: ana.phone, system_prompt: 'x', recipient_consent }),
      await own.request('POST', '/v1/emails', {
        to: [ana.email.toUpperCase()],
        subject: 'x',
        body_text: 'x',
        recipient_consent,
      }),
    ];
    assert.deepEqual(
      refused.map(({ body }) => body.code),
      ['recipient_suppressed', 'recipient_suppressed', 'recipient_suppressed'],
    );
    const texts = await own.request<{ items: Sms[] }>('GET', '/v1/sms?status=canceled');
    assert.deepEqual(
      texts.body.items.map(({ to, body }) => [to, body]),
      Array.from({ length: 2 }, () => [`erased:${erased.id}`, '']),
    );
    const consents = await own.request<{ items: { recipient: string; basis: string }[] }>(
      'GET',
      '/v1/consents',
    );
    assert.ok(
      consents.body.items.some(
        ({ recipient, basis }) => recipient === `erased:${erased.id}` && basis === 'express',
      ),
    );
  });

  test('is refused in the events of the erasure without the number and the address', async () => {
    const { party_hashes } = erased;
    const events = await own.request<{ items: { data: { recipient: string } }[] }>(
      'GET',
      '/v1/events?type=consent.revoked',
    );
    const shown = events.body.items.map(({ data }) => data.recipient);
    assert.deepEqual(shown.toSorted(), party_hashes.toSorted());
    const sent = () =>
      receiver.requests.filter(
        (request) => request.path === path && (request.json as { type: string }).type === 'consent.revoked',
      );
    await eventually('both were sent', () => sent().length === 2);
    for (const { body } of sent()) assert.ok(![ana.phone, ana.email].some((word) => body.includes(word)));
  });

  test('leaves receipts that verify', async () => {
    await app.jobs.drain();
    const { items } = (await own.request<{ items: Receipt[] }>('GET', '/v1/receipts?limit=100')).body;
    const keys = (await (await fetch(`${url}/.well-known/parley-receipts.json`)).json()) as ReceiptKeySet;
    const verified = await verifyReceipts(items, keys);
    assert.deepEqual([verified.valid, verified.missing], [true, []]);
    assert.ok(items.some(({ disclosures }) => disclosures === null));
  });

  test('is reported by an event without the person', async () => {
    const events = await own.request<{ items: { data: Record<string, unknown> }[] }>(
      'GET',
      '/v1/events?type=erasure.completed',
    );
    const { id, counts, party_hashes } = erased;
    assert.equal(events.body.items.length, 1);
    const { data } = events.body.items[0]!;
    assert.deepEqual([data.id, data.counts, data.party_hashes], [id, counts, party_hashes]);
  });

  test('who is in restored data is erased again by the hashes', async () => {
    await db.run(sql`
      insert into contacts (id, organization_id, kind, name, phone_e164, email, email_key, search_text, created_at, updated_at)
      values (${randomUUID()}, ${own.organization_id}, 'contact', ${ana.name}, ${ana.phone}, ${ana.email}, ${ana.email}, 'x', now(), now())`);
    const unknown = { party_hashes: [`hmac:${'A'.repeat(43)}`] };
    const { party_hashes } = erased;
    const replayed = await post<{ items: Erasure[] }>(
      own,
      '/v1/erasures/replay',
      { erasures: [{ party_hashes }, unknown] },
      200,
    );
    assert.equal(replayed.items.length, 1);
    await app.jobs.drain();
    assert.deepEqual(await tablesWith([ana.name, ana.email], own.organization_id), {});
  });
});

const keysWithout = (tables: Record<string, number>, name: string) => ({ ...tables, [name]: 0 });
test('only an owner or admin erases, and neither members nor own addresses can be erased', async () => {
  const parties = ['+14155550199'];
  const key = organization({ credential_kind: 'api_key', role: 'owner' });
  const member = organization({ credential_kind: 'session', role: 'member' });
  for (const each of [key, member, client])
    assert.equal((await each.request('POST', '/v1/erasures', { parties })).body.code, 'person_required');
  const own = owner();
  const { default_address } = await createMailbox(own);
  const refused = await own.request('POST', '/v1/erasures', { parties: [default_address] });
  assert.deepEqual([refused.status, refused.body.code], [422, 'validation_failed']);
  assert.equal((await own.request('POST', '/v1/erasures', { contact_id: randomUUID() })).status, 404);
  assert.equal((await own.request('POST', '/v1/erasures', {})).body.code, 'validation_failed');
});

test('a person erased without suppression can be contacted again; an earlier STOP stays', async () => {
  const own = owner();
  const [stopped, free] = ['+15005550301', '+15005550302'];
  const send = (to: string) =>
    own.request<Sms & { code: string }>('POST', '/v1/sms', { to, body: 'x', recipient_consent: true });
  const { from } = (await send(stopped)).body;
  await post(own, '/v1/sandbox/inbound-sms', { from: stopped, to: from, body: 'STOP' });
  await send(free);
  await later(5);
  for (const party of [stopped, free]) await erase(own, { parties: [party], keep_suppression: false });
  assert.equal((await send(stopped)).body.code, 'recipient_suppressed');
  assert.equal((await send(free)).status, 201);
});
