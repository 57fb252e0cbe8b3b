// Calls over HTTP: create, read, list, wait, cancel.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Call } from '@parley/contract/channels/calls/call-records';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import {
  codedSpeech,
  ended,
  people,
  place,
  read,
  said,
  timeline,
  transcript,
  until,
} from '../../../../testing/calls.ts';
import { standIn } from '../../../../testing/stand-in.ts';
import { sql } from '../../../platform/db/sql.ts';

const { client, db, organization } = await startTestApp({}, { speech: () => codedSpeech() });

type Problem = { code: string; errors?: { path: string }[] };
const refused = async (of: Client, body: unknown) => {
  const response = await of.request<Problem>('POST', '/v1/calls', body);
  return { status: response.status, ...response.body };
};
const callsOf = async (of: Client) =>
  (await of.request<{ items: Call[] }>('GET', '/v1/calls')).body.items.length;

test('the smallest body is enough, and the response comes before the call is dialed', async () => {
  const own = organization();
  const call = await place(own, people.busy);
  assert.deepEqual(
    [call.status, call.direction, call.from, call.to, call.end_reason, call.conversation_id],
    ['queued', 'outbound', null, people.busy, null, call.id],
  );
  assert.equal((await ended(own, call.id)).status, 'busy');
});

test('without consent nothing is stored', async () => {
  const own = organization();
  for (const recipient_consent of [undefined, false, null, 'true', 1]) {
    const response = await refused(own, { to: people.busy, recipient_consent });
    assert.deepEqual([response.status, response.code], [422, 'consent_required']);
  }
  assert.equal(await callsOf(own), 0);
});

test('an invalid, emergency or premium number is refused', async () => {
  const own = organization();
  for (const to of [
    '0123',
    '911',
    '+112',
    'hello',
    '',
    15005550201,
    '+1500555',
    '+19005550123',
    '+499001234567',
  ]) {
    const response = await refused(own, { to, recipient_consent: true });
    assert.equal(response.status, 422, String(to));
    assert.ok(['validation_failed', 'destination_not_allowed'].includes(response.code), response.code);
  }
  assert.equal(await callsOf(own), 0);
});

test('each field has its limits, and an unknown one is refused', async () => {
  const bad: Record<string, unknown> = {
    ring_timeout_seconds: 4,
    max_duration_seconds: 29,
    record: 'yes',
    ai_disclosure: 1,
    language: 'English!',
    conversation_id: 'x',
    metadata: { big: 'x'.repeat(16 * 1024) },
    system_prompt: 'x'.repeat(32_001),
    llm: { base_url: 'https://example.com/v1' },
    surprise: true,
  };
  for (const [field, value] of Object.entries(bad)) {
    const response = await refused(client, { to: people.busy, recipient_consent: true, [field]: value });
    assert.deepEqual([response.status, response.code], [422, 'validation_failed'], field);
    assert.ok(
      response.errors?.some(({ path }) => path.startsWith(`body.${field}`)),
      field,
    );
  }
});

test('a model named in the request may not have a forbidden address', async () => {
  for (const base_url of [
    'ftp://example.com',
    'not a url',
    'http://169.254.169.254/v1',
    'http://a:b@example.com',
  ]) {
    const response = await refused(client, {
      to: people.busy,
      recipient_consent: true,
      llm: { base_url, model: 'm' },
    });
    assert.deepEqual([response.status, response.errors?.[0]?.path], [422, 'body.llm.base_url'], base_url);
  }
});

test('an agent of another organization is unknown', async () => {
  const other = await organization().request<{ id: string }>('POST', '/v1/agents', { name: 'Theirs' });
  for (const agent_id of [other.body.id, randomUUID()]) {
    const response = await refused(client, { to: people.busy, recipient_consent: true, agent_id });
    assert.deepEqual([response.status, response.code], [422, 'agent_not_found']);
  }
});

test('"from" must be an active voice number of the organization; never one of the pool', async () => {
  const [own, other] = [organization(), organization()];
  const buy = async (of: Client) =>
    (await of.request<{ id: string; e164: string }>('POST', '/v1/numbers', { country_code: 'US' })).body;
  const [first, second, theirs, released] = [
    await buy(own),
    await buy(own),
    await buy(other),
    await buy(own),
  ];
  await own.request('DELETE', `/v1/numbers/${released.id}`);
  for (const from of ['+15005550100', theirs.e164, released.e164, '+14155550123']) {
    const response = await refused(own, { to: people.busy, recipient_consent: true, from });
    assert.deepEqual([response.status, response.code], [422, 'from_not_allowed'], from);
  }
  assert.equal((await place(own, people.busy)).from, first.e164, 'the oldest when none is named');
  assert.equal((await place(own, people.busy, { from: second.e164 })).from, second.e164);

  await own.request('DELETE', `/v1/numbers/${first.id}`);
  const together = await Promise.all([
    place(own, people.busy),
    place(own, people.busy, { from: second.e164 }),
    place(own, people.busy),
  ]);
  assert.deepEqual(
    together.map(({ from }) => from),
    [second.e164, second.e164, second.e164],
    'a released number is not used, even if it was used before',
  );
  await own.request('DELETE', `/v1/numbers/${second.id}`);
  assert.equal((await place(own, people.busy)).from, null, 'a pool number is chosen when the call is dialed');
  const third = await buy(own);
  assert.equal((await place(own, people.busy)).from, third.e164);
});

test('the same key places one call, also when two requests race', async () => {
  const own = organization();
  const key = { 'idempotency-key': randomUUID() };
  const body = { to: people.busy, recipient_consent: true };
  const responses = await Promise.all([1, 2, 3].map(() => own.request<Call>('POST', '/v1/calls', body, key)));
  const created = responses.filter(({ status }) => status === 201);
  assert.ok(created.length >= 1 && responses.every(({ status }) => status === 201 || status === 409));
  const again = await own.request<Call>('POST', '/v1/calls', body, key);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.equal(again.text, created[0]!.text);
  assert.equal(await callsOf(own), 1);
  const other = await own.request<Problem>('POST', '/v1/calls', { ...body, to: people.declines }, key);
  assert.equal(other.body.code, 'idempotency_key_reused');
});

test('the list is newest first and can be filtered by status and number', async () => {
  const own = organization();
  const ids: string[] = [];
  for (const to of [people.busy, people.declines, people.busy]) ids.push((await place(own, to)).id);
  for (const id of ids) await ended(own, id);
  const listed = async (query: string) => {
    const response = await own.request<{ items: Call[]; next_cursor: string | null }>(
      'GET',
      `/v1/calls${query}`,
    );
    assert.equal(response.status, 200, response.text);
    return { ids: response.body.items.map(({ id }) => id), next: response.body.next_cursor };
  };
  const [a, b, c] = ids;
  assert.deepEqual((await listed('')).ids, [c, b, a]);
  assert.deepEqual((await listed(`?to=${encodeURIComponent(people.busy)}`)).ids, [c, a]);
  assert.deepEqual((await listed('?status=busy')).ids, [c, b, a]);
  assert.deepEqual((await listed('?status=queued')).ids, []);
  const page = await listed('?limit=2');
  assert.deepEqual(page.ids, [c, b]);
  assert.deepEqual((await listed(`?limit=2&cursor=${page.next}`)).ids, [a]);
  assert.equal((await own.request('GET', '/v1/calls?status=gone')).status, 422);
});

test('a waiting read returns the ended call, or the current one when the time is up', async () => {
  const { id } = await place(client, people.never_answers, { ring_timeout_seconds: 120 });
  assert.equal((await read(client, id, '?wait_seconds=1')).ended_at, null);
  const waiting = read(client, id, '?wait_seconds=55');
  await client.request('POST', `/v1/calls/${id}/cancel`);
  assert.equal((await waiting).status, 'canceled');
  for (const bad of ['0', '56', 'x', '']) {
    assert.equal((await client.request('GET', `/v1/calls/${id}?wait_seconds=${bad}`)).status, 422, bad);
  }
});

test('a call canceled before the answer releases its number and stays canceled', async () => {
  const { id } = await place(client, people.never_answers, { ring_timeout_seconds: 120 });
  await until(client, id, 'ringing');
  const response = await client.request<Call>('POST', `/v1/calls/${id}/cancel`);
  assert.deepEqual(
    [response.status, response.body.status, response.body.end_reason],
    [200, 'canceled', 'canceled'],
  );
  const again = await client.request<Problem>('POST', `/v1/calls/${id}/cancel`);
  assert.deepEqual([again.status, again.body.code], [409, 'call_already_ended']);
  assert.equal(await db.maybe(sql`select id from pool_numbers where bound_call_id = ${id}`), null);
  assert.equal((await read(client, id)).status, 'canceled');
});

test('canceling an answered call hangs it up with api_hangup', async () => {
  const { id } = await place(client, people.converses, {
    system_prompt: 'Ask when they open. Ask for their name.',
  });
  await until(client, id, 'in_progress');
  const response = await client.request<Call>('POST', `/v1/calls/${id}/cancel`);
  assert.deepEqual([response.body.status, response.body.end_reason], ['completed', 'api_hangup']);
  assert.ok((await timeline(client, id)).some(({ kind }) => kind === 'hang_up_requested'));
  assert.equal((await client.request('POST', `/v1/calls/${id}/cancel`)).status, 409);
});

test('fields of a call take precedence over those of its agent', async () => {
  const agent = await client.request<{ id: string }>('POST', '/v1/agents', {
    name: 'Front desk',
    first_message: 'The text of the agent.',
    ai_disclosure: false,
  });
  const agent_id = agent.body.id;
  const plain = await place(client, people.converses, { agent_id, max_duration_seconds: 30 });
  const own = await place(client, people.converses, {
    agent_id,
    first_message: 'The text of the call.',
    max_duration_seconds: 30,
  });
  assert.equal(plain.agent_id, agent_id);
  for (const [{ id }, expected] of [
    [plain, /^The text of the agent/],
    [own, /^The text of the call/],
  ] as const) {
    await ended(client, id);
    assert.match(said(await transcript(client, id), 'agent'), expected);
  }
});

test('a model named in the request that refuses ends the call as failed, and its key is stored only sealed', async () => {
  const keys: (string | undefined)[] = [];
  const model = await standIn(({ request }, response) => {
    keys.push(request.headers.authorization);
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"no"}');
  });
  const api_key = `sk-${randomUUID()}`;
  const { id } = await place(client, people.converses, {
    llm: { base_url: `${model.url}/v1`, api_key, model: 'm' },
  });
  const call = await ended(client, id);
  assert.deepEqual([call.status, call.end_reason], ['failed', 'setup_error']);
  assert.equal(keys[0], `Bearer ${api_key}`);
  assert.ok(
    (await timeline(client, id)).some(({ kind, detail }) => kind === 'went_wrong' && detail.layer === 'llm'),
  );
  const row = await db.maybe<{ text: string }>(sql`select c::text as text from calls c where id = ${id}`);
  assert.ok(!row!.text.includes(api_key));
});
