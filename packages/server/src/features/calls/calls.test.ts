// Placing, reading, waiting for and ending calls, over HTTP.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Call } from '@parley/contract/call-records';
import { type Client, startTestApp } from '../../../testing/app.ts';
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
} from '../../../testing/calls.ts';
import { standIn } from '../../../testing/stand-in.ts';
import { sql } from '../../platform/db/sql.ts';

const { client, db, organization } = await startTestApp({}, { speech: () => codedSpeech() });

type Problem = { code: string; errors?: { path: string }[] };
const refused = async (of: Client, body: unknown) => {
  const answer = await of.request<Problem>('POST', '/v1/calls', body);
  return { status: answer.status, ...answer.body };
};
const callsOf = async (of: Client) =>
  (await of.request<{ items: Call[] }>('GET', '/v1/calls')).body.items.length;

test('the smallest body is enough, and is answered before anybody dials', async () => {
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
    const answer = await refused(own, { to: people.busy, recipient_consent });
    assert.deepEqual([answer.status, answer.code], [422, 'consent_required']);
  }
  assert.equal(await callsOf(own), 0);
});

test('what is no number, an emergency or a premium number is refused', async () => {
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
    const answer = await refused(own, { to, recipient_consent: true });
    assert.equal(answer.status, 422, String(to));
    assert.ok(['validation_failed', 'destination_not_allowed'].includes(answer.code), answer.code);
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
    const answer = await refused(client, { to: people.busy, recipient_consent: true, [field]: value });
    assert.deepEqual([answer.status, answer.code], [422, 'validation_failed'], field);
    assert.ok(
      answer.errors?.some(({ path }) => path.startsWith(`body.${field}`)),
      field,
    );
  }
});

test('a model of the caller’s own may not have an address that is never allowed', async () => {
  for (const base_url of [
    'ftp://example.com',
    'not a url',
    'http://169.254.169.254/v1',
    'http://a:b@example.com',
  ]) {
    const answer = await refused(client, {
      to: people.busy,
      recipient_consent: true,
      llm: { base_url, model: 'm' },
    });
    assert.deepEqual([answer.status, answer.errors?.[0]?.path], [422, 'body.llm.base_url'], base_url);
  }
});

test('an agent of another organization is unknown', async () => {
  const other = await organization().request<{ id: string }>('POST', '/v1/agents', { name: 'Theirs' });
  for (const agent_id of [other.body.id, randomUUID()]) {
    const answer = await refused(client, { to: people.busy, recipient_consent: true, agent_id });
    assert.deepEqual([answer.status, answer.code], [422, 'agent_not_found']);
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
    const answer = await refused(own, { to: people.busy, recipient_consent: true, from });
    assert.deepEqual([answer.status, answer.code], [422, 'from_not_allowed'], from);
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
    'a number that is gone is not called from, however often it was before',
  );
  await own.request('DELETE', `/v1/numbers/${second.id}`);
  assert.equal((await place(own, people.busy)).from, null, 'one of the pool, once it is dialed');
  const third = await buy(own);
  assert.equal((await place(own, people.busy)).from, third.e164);
});

test('the same key places one call, also when two requests race', async () => {
  const own = organization();
  const key = { 'idempotency-key': randomUUID() };
  const body = { to: people.busy, recipient_consent: true };
  const answers = await Promise.all([1, 2, 3].map(() => own.request<Call>('POST', '/v1/calls', body, key)));
  const made = answers.filter(({ status }) => status === 201);
  assert.ok(made.length >= 1 && answers.every(({ status }) => status === 201 || status === 409));
  const again = await own.request<Call>('POST', '/v1/calls', body, key);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.equal(again.text, made[0]!.text);
  assert.equal(await callsOf(own), 1);
  const other = await own.request<Problem>('POST', '/v1/calls', { ...body, to: people.declines }, key);
  assert.equal(other.body.code, 'idempotency_key_reused');
});

test('the list is newest first and filters by status and number', async () => {
  const own = organization();
  const ids: string[] = [];
  for (const to of [people.busy, people.declines, people.busy]) ids.push((await place(own, to)).id);
  for (const id of ids) await ended(own, id);
  const listed = async (query: string) => {
    const answer = await own.request<{ items: Call[]; next_cursor: string | null }>(
      'GET',
      `/v1/calls${query}`,
    );
    assert.equal(answer.status, 200, answer.text);
    return { ids: answer.body.items.map(({ id }) => id), next: answer.body.next_cursor };
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

test('waiting answers with the end, or with how it stands when the time is up', async () => {
  const { id } = await place(client, people.never_answers, { ring_timeout_seconds: 120 });
  assert.equal((await read(client, id, '?wait_seconds=1')).ended_at, null);
  const waiting = read(client, id, '?wait_seconds=55');
  await client.request('POST', `/v1/calls/${id}/cancel`);
  assert.equal((await waiting).status, 'canceled');
  for (const bad of ['0', '56', 'x', '']) {
    assert.equal((await client.request('GET', `/v1/calls/${id}?wait_seconds=${bad}`)).status, 422, bad);
  }
});

test('before the answer a call is canceled, its number is free, and it stays canceled', async () => {
  const { id } = await place(client, people.never_answers, { ring_timeout_seconds: 120 });
  await until(client, id, 'ringing');
  const answer = await client.request<Call>('POST', `/v1/calls/${id}/cancel`);
  assert.deepEqual(
    [answer.status, answer.body.status, answer.body.end_reason],
    [200, 'canceled', 'canceled'],
  );
  const again = await client.request<Problem>('POST', `/v1/calls/${id}/cancel`);
  assert.deepEqual([again.status, again.body.code], [409, 'call_already_ended']);
  assert.equal(await db.maybe(sql`select id from pool_numbers where bound_call_id = ${id}`), null);
  assert.equal((await read(client, id)).status, 'canceled');
});

test('a conversation is hung up with api_hangup', async () => {
  const { id } = await place(client, people.converses, {
    system_prompt: 'Ask when they open. Ask for their name.',
  });
  await until(client, id, 'in_progress');
  const answer = await client.request<Call>('POST', `/v1/calls/${id}/cancel`);
  assert.deepEqual([answer.body.status, answer.body.end_reason], ['completed', 'api_hangup']);
  assert.ok((await timeline(client, id)).some(({ kind }) => kind === 'hang_up_requested'));
  assert.equal((await client.request('POST', `/v1/calls/${id}/cancel`)).status, 409);
});

test('the fields of a call go before those of its agent', async () => {
  const agent = await client.request<{ id: string }>('POST', '/v1/agents', {
    name: 'Front desk',
    first_message: 'The words of the agent.',
    ai_disclosure: false,
  });
  const agent_id = agent.body.id;
  const plain = await place(client, people.converses, { agent_id, max_duration_seconds: 30 });
  const own = await place(client, people.converses, {
    agent_id,
    first_message: 'The words of the call.',
    max_duration_seconds: 30,
  });
  assert.equal(plain.agent_id, agent_id);
  for (const [{ id }, words] of [
    [plain, /^The words of the agent/],
    [own, /^The words of the call/],
  ] as const) {
    await ended(client, id);
    assert.match(said(await transcript(client, id), 'agent'), words);
  }
});

test('a model of the caller’s own that refuses ends the call as failed, and its key is nowhere to be read', async () => {
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
