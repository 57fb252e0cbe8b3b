// Inbound texts: stored once, published, answered by agents, returned to waiting requests; opt-out keywords come first.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PhoneNumber } from '@parley/contract/channels/numbers/numbers';
import type { Sms } from '@parley/contract/channels/sms/sms';
import { prompt_agent } from '../../../../../testing/agents.ts';
import { type Client, startTestApp } from '../../../../../testing/app.ts';
import { sql } from '../../../../platform/db/sql.ts';

type Problem = { code: string };
type Waited = { sms: Sms | null; code: string | null };

const { app, db, url, organization } = await startTestApp({});

const number = async (of: Client): Promise<PhoneNumber> => {
  const bought = await of.request<PhoneNumber>('POST', '/v1/numbers', { country_code: 'US' });
  assert.equal(bought.status, 201, bought.text);
  return bought.body;
};
const inbound = async (of: Client, text: { from: string; to: string; body: string }): Promise<Sms> => {
  const answer = await of.request<Sms>('POST', '/v1/sandbox/inbound-sms', text);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};
const send = (of: Client, to: string) =>
  of.request<Sms & Problem>('POST', '/v1/sms', { to, body: 'Hello', recipient_consent: true });
const texts = async (of: Client, query = '') => {
  await app.jobs.drain();
  return (await of.request<{ items: Sms[] }>('GET', `/v1/sms${query}`)).body.items;
};
const person = '+14155552671';

describe('an inbound text', () => {
  test('is stored, sent to webhooks, and part of the conversation with that phone', async () => {
    const own = organization();
    const { e164 } = await number(own);
    const sent = await send(own, person);
    const got = await inbound(own, { from: person, to: e164, body: 'Is Tuesday possible?' });
    assert.equal(got.direction, 'inbound');
    assert.equal(got.status, 'received');
    assert.equal(got.conversation_id, sent.body.conversation_id);
    const events = await db.rows<{ payload: string }>(sql`
      select payload from events where resource_id = ${got.id} and type = 'sms.received'`);
    assert.equal(events.length, 1);
    const { data } = JSON.parse(events[0]!.payload);
    assert.deepEqual(data, {
      id: got.id,
      from: person,
      to: e164,
      body: 'Is Tuesday possible?',
      error_code: null,
    });
    const listed = await texts(own, `?conversation_id=${got.conversation_id}`);
    assert.deepEqual(listed.map((text) => text.id).sort(), [sent.body.id, got.id].sort());
    assert.deepEqual(
      (await texts(own, '?direction=inbound')).map((text) => text.id),
      [got.id],
    );
    assert.deepEqual(
      (await texts(own, '?status=received')).map((text) => text.id),
      [got.id],
    );
    assert.deepEqual(
      (await texts(own, `?to=${encodeURIComponent(e164)}`)).map((text) => text.id),
      [got.id],
    );
  });

  test('to a number of another organization, of the pool or an unknown one is refused', async () => {
    const own = organization();
    const other = await number(organization());
    for (const to of [other.e164, '+15005550100', '+15005559999']) {
      const answer = await own.request<Problem>('POST', '/v1/sandbox/inbound-sms', {
        from: person,
        to,
        body: 'x',
      });
      assert.equal(answer.status, 422);
      assert.equal(answer.body.code, 'number_not_yours');
    }
  });

  test('to the shared sender belongs to the organization that texted the phone', async () => {
    const [own, other] = [organization(), organization()];
    const phone = '+14155550777';
    await send(own, phone);
    await inbound(own, { from: phone, to: '+15005550110', body: 'STOP' });
    assert.equal((await send(own, phone)).body.code, 'recipient_suppressed');
    assert.equal((await send(other, phone)).status, 201);
  });

  test('has no path with the sandbox off', async () => {
    const off = await startTestApp({ PARLEY_SANDBOX: 'off' });
    const answer = await off.client.request('POST', '/v1/sandbox/inbound-sms', {
      from: person,
      to: person,
      body: 'x',
    });
    assert.equal(answer.status, 404);
    const text = await off.client.request<Problem>('POST', '/v1/sms', {
      to: person,
      body: 'x',
      recipient_consent: true,
    });
    assert.deepEqual([text.status, text.body.code], [422, 'no_sms_sender']);
    const quote = await off.client.request<Problem>('POST', '/v1/numbers/quotes', { country_code: 'US' });
    assert.deepEqual([quote.status, quote.body.code], [503, 'carrier_not_configured']);
  });
});

describe('an agent behind a number', () => {
  test('answers the first text after it was assigned', async () => {
    const own = organization();
    const { id, e164 } = await number(own);
    await inbound(own, { from: person, to: e164, body: 'Is anybody there?' });
    const agent = await own.request<{ id: string }>('POST', '/v1/agents', prompt_agent);
    await own.request('PATCH', `/v1/numbers/${id}`, { sms_agent_id: agent.body.id });
    await inbound(own, { from: person, to: e164, body: 'And now?' });
    const answers = await texts(own, '?direction=outbound');
    assert.deepEqual(
      answers.map((answer) => answer.metadata),
      [{ agent_id: agent.body.id }],
    );
  });

  const withAgent = async () => {
    const own = organization();
    const { e164, id } = await number(own);
    const agent = await own.request<{ id: string }>('POST', '/v1/agents', prompt_agent);
    await own.request('PATCH', `/v1/numbers/${id}`, { sms_agent_id: agent.body.id });
    return { own, e164, agent_id: agent.body.id };
  };

  test('answers a text once, from the number that received it', async () => {
    const { own, e164, agent_id } = await withAgent();
    const got = await inbound(own, { from: person, to: e164, body: 'Hello!' });
    const [answer, ...more] = await texts(own, '?direction=outbound');
    assert.deepEqual(more, []);
    assert.equal(answer!.body, 'Hello! How can I help you?');
    assert.deepEqual([answer!.from, answer!.to], [e164, person]);
    assert.equal(answer!.conversation_id, got.conversation_id);
    assert.deepEqual(answer!.metadata, { agent_id });
    // The job may run twice; the reply is sent once.
    await db.run(sql`
      insert into jobs (id, kind, payload, run_at, attempts, claims)
      values (gen_random_uuid(), 'answer_sms',
              ${JSON.stringify({ organization_id: own.organization_id, sms_id: got.id, agent_id })}, now(), 0, 0)`);
    assert.equal((await texts(own, '?direction=outbound')).length, 1);
  });

  test('stops replying to another automatic sender', async () => {
    const { own, e164 } = await withAgent();
    // This number returns every text.
    await inbound(own, { from: '+15005550007', to: e164, body: 'Hello' });
    // The first text and the echo of the reply, which the agent would answer with the same words.
    while ((await texts(own, '?direction=inbound')).length < 2);
    assert.equal((await texts(own, '?direction=outbound')).length, 1);
    const { body } = await own.request<{ items: { data: { reason: string } }[] }>(
      'GET',
      '/v1/events?type=sms.not_answered',
    );
    assert.deepEqual(
      body.items.map(({ data }) => data.reason),
      ['repeated_message'],
    );
  });

  test('does not answer a phone that opted out', async () => {
    const { own, e164 } = await withAgent();
    await inbound(own, { from: person, to: e164, body: 'STOP' });
    await inbound(own, { from: person, to: e164, body: 'Hello again' });
    const bodies = (await texts(own, '?direction=outbound')).map((text) => text.body);
    assert.equal(bodies.length, 1);
    assert.match(bodies[0]!, /no more texts/);
  });
});

describe('waiting for a text', () => {
  const wait = (of: Client, query: string) => of.request<Waited & Problem>('GET', `/v1/sms/wait?${query}`);

  test('ends as soon as one arrives, with the code in it', async () => {
    const own = organization();
    const { e164 } = await number(own);
    const waiting = wait(own, `to=${encodeURIComponent(e164)}&timeout_seconds=55`);
    // After this response, the request before it waits.
    await own.request('GET', '/v1/sms');
    await inbound(own, { from: person, to: e164, body: 'Your code is 482913' });
    const answer = await waiting;
    assert.equal(answer.status, 200);
    assert.equal(answer.body.sms!.from, person);
    assert.equal(answer.body.code, '482913');
  });

  test('also finds an earlier one, with since; and the oldest of several', async () => {
    const own = organization();
    const { e164 } = await number(own);
    const first = await inbound(own, { from: person, to: e164, body: 'First, no digits' });
    await inbound(own, { from: person, to: e164, body: 'Second' });
    const since = encodeURIComponent(first.requested_at);
    const answer = await wait(own, `since=${since}&timeout_seconds=1`);
    assert.equal(answer.body.sms!.id, first.id);
    assert.equal(answer.body.code, null);
    const other = await wait(
      own,
      `since=${since}&from=${encodeURIComponent('+14155550000')}&timeout_seconds=1`,
    );
    assert.deepEqual(other.body, { sms: null, code: null });
    assert.equal(
      (await wait(own, 'timeout_seconds=1')).body.sms,
      null,
      'without since the past does not count',
    );
  });

  test('does not see texts of another organization', async () => {
    const [own, other] = [organization(), organization()];
    const { e164 } = await number(other);
    const since = encodeURIComponent(new Date(Date.now() - 60_000).toISOString());
    await inbound(other, { from: person, to: e164, body: 'Your code is 111111' });
    assert.equal((await wait(own, `since=${since}&timeout_seconds=1`)).body.sms, null);
  });

  test('accepts a time from 1 to 55 seconds and a valid timestamp', async () => {
    for (const query of ['timeout_seconds=0', 'timeout_seconds=56', 'since=yesterday', 'to=abc', 'until=1']) {
      assert.equal((await wait(organization(), query)).status, 422, query);
    }
  });

  test('ends when another process receives a text', async () => {
    const own = organization();
    const { e164 } = await number(own);
    const waiting = wait(own, `to=${encodeURIComponent(e164)}&timeout_seconds=30`);
    // After this response, the request before it has queried once and waits.
    await own.request('GET', '/v1/sms');
    const now = new Date(Date.now() + 1000);
    const id = `${now
      .getTime()
      .toString(16)
      .padStart(12, '0')
      .replace(/^(.{8})/, '$1-')}-7fff-8000-000000000001`;
    await db.run(sql`
      insert into sms_messages (id, organization_id, conversation_id, direction, "from", "to", body, status, segments,
        encoding, provider, requested_at, metadata, origin, is_shared_sender, attempts, claims)
      values (${id}, ${own.organization_id}, ${id}, 'inbound', ${person}, ${e164}, 'OTP 9876', 'received', 1, 'gsm7',
        'sandbox', ${now}, '{}', 'carrier', false, 0, 0)`);
    const answer = await waiting;
    assert.equal(answer.body.code, '9876');
  });

  test('is limited per organization, and a request that is aborted no longer counts', async () => {
    const own = organization();
    const leaving = new AbortController();
    // One more than the limit: whichever comes last is refused, and all others wait.
    const requests = Array.from({ length: 51 }, () =>
      fetch(`${url}/v1/sms/wait?timeout_seconds=55`, {
        headers: { authorization: `Bearer ${own.key}` },
        signal: leaving.signal,
      }),
    );
    const settled = Promise.allSettled(requests);
    const refused = await Promise.race(requests);
    assert.equal(refused.status, 429);
    assert.equal(((await refused.json()) as { code: string }).code, 'too_many_waiters');
    leaving.abort();
    await settled;
    let again = await wait(own, 'timeout_seconds=1');
    while (again.status === 429) again = await wait(own, 'timeout_seconds=1');
    assert.equal(again.status, 200);
  });
});
