// Texts over HTTP, with the whole service and the sandbox carrier.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NumberOffer, PhoneNumber } from '@parley/contract/channels/numbers/numbers';
import type { Sms } from '@parley/contract/channels/sms/sms';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { sql } from '../../../platform/db/sql.ts';

type Problem = { code: string; detail: string; errors?: { path: string }[] };

const { app, db, client, organization, later } = await startTestApp();

const send = async (of: Client, body: Record<string, unknown>, headers = {}) => {
  const answer = await of.request<Sms>(
    'POST',
    '/v1/sms',
    { recipient_consent: true, body: 'Hello', ...body },
    headers,
  );
  return answer;
};
const settled = async (of: Client, id: string): Promise<Sms> => {
  for (;;) {
    await app.jobs.drain();
    const { body } = await of.request<Sms>('GET', `/v1/sms/${id}`);
    if (body.status !== 'queued' && body.status !== 'sent') return body;
  }
};
const number = async (of: Client): Promise<string> => {
  const bought = await of.request<PhoneNumber>('POST', '/v1/numbers', { country_code: 'US' });
  assert.equal(bought.status, 201, bought.text);
  return bought.body.e164;
};
const inbound = async (of: Client, text: { from: string; to: string; body: string }): Promise<Sms> => {
  const answer = await of.request<Sms>('POST', '/v1/sandbox/inbound-sms', text);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};
const eventsOf = async (id: string) =>
  (
    await db.rows<{ type: string; payload: string }>(
      sql`select type, payload from events where resource_id = ${id} order by id`,
    )
  ).map(({ type, payload }) => ({ type, data: JSON.parse(payload).data }));

describe('a new installation', () => {
  test('an organization buys a number by quote, sends a text with it, and sees it delivered', async () => {
    const own = organization();
    const quotes = await own.request<{ offers: NumberOffer[] }>('POST', '/v1/numbers/quotes', {
      country_code: 'us',
    });
    assert.equal(quotes.status, 201, quotes.text);
    const offer = quotes.body.offers[0]!;
    const bought = await own.request<PhoneNumber>('POST', '/v1/numbers', {
      country_code: 'US',
      quote_id: offer.quote_id,
    });
    assert.equal(bought.status, 201, bought.text);
    assert.equal(bought.body.e164, offer.e164);
    assert.equal(bought.body.provisioning_state, 'active');
    assert.equal(bought.body.inbound_registered, true);
    const sent = await send(own, { to: '+1 (500) 555-0001' });
    assert.equal(sent.status, 201, sent.text);
    assert.equal(sent.body.status, 'queued');
    assert.equal(sent.body.from, offer.e164);
    const done = await settled(own, sent.body.id);
    assert.equal(done.status, 'delivered');
    assert.deepEqual(await eventsOf(done.id), [
      {
        type: 'sms.delivered',
        data: {
          id: done.id,
          from: offer.e164,
          to: '+15005550001',
          status: 'delivered',
          error_code: null,
          occurred_at: done.delivered_at,
        },
      },
    ]);
    const listed = await own.request<{ items: Sms[] }>('GET', '/v1/sms');
    assert.deepEqual(listed.body.items, [done]);
  });

  test('an organization without a number sends with the default sender', async () => {
    const sent = await send(client, { to: '+14155552671' });
    assert.equal(sent.status, 201, sent.text);
    assert.equal(sent.body.from, '+15005550110');
    assert.equal((await settled(client, sent.body.id)).status, 'delivered');
  });
});

describe('sending a text', () => {
  test('needs consent, and stores nothing without it', async () => {
    const own = organization();
    for (const recipient_consent of [undefined, false, null, 'true', 1]) {
      const answer = await send(own, { to: '+15005550001', recipient_consent });
      assert.equal(answer.status, 422);
      assert.equal((answer.body as unknown as Problem).code, 'consent_required');
    }
    assert.deepEqual((await own.request<{ items: unknown[] }>('GET', '/v1/sms')).body.items, []);
  });

  test('lists all problems together', async () => {
    const answer = await organization().request<Problem>('POST', '/v1/sms', {
      to: '555-0123',
      body: '',
      recipient_consent: true,
      from: 'x',
      metadata: [],
      urgent: true,
    });
    assert.equal(answer.status, 422);
    assert.deepEqual(answer.body.errors?.map((error) => error.path).sort(), [
      'body.body',
      'body.from',
      'body.metadata',
      'body.to',
      'body.urgent',
    ]);
    const long = await send(organization(), { to: '+15005550001', body: 'x'.repeat(1601) });
    assert.equal(long.status, 422);
    const fat = await send(organization(), { to: '+15005550001', metadata: { x: 'y'.repeat(17_000) } });
    assert.equal(fat.status, 422);
  });

  test('refuses invalid, emergency and premium-rate numbers', async () => {
    for (const to of [
      '+353999',
      '+1900555012',
      '+19005550123',
      '+449098790123',
      '+4490987901234567'.slice(0, 16),
    ]) {
      const answer = await send(organization(), { to });
      assert.equal(answer.status, 422, to);
      assert.equal((answer.body as unknown as Problem).code, 'destination_not_allowed', to);
    }
  });

  test('counts its segments', async () => {
    const own = organization();
    const short = await send(own, { to: '+15005550001', body: 'a'.repeat(160) });
    assert.deepEqual([short.body.encoding, short.body.segments], ['gsm7', 1]);
    const emoji = await send(own, { to: '+15005550001', body: '😀'.repeat(36) });
    assert.deepEqual([emoji.body.encoding, emoji.body.segments], ['ucs2', 2]);
  });

  test('has the outcome of the reserved number, each with its event', async () => {
    const own = organization();
    for (const [to, status, error_code] of [
      ['+15005550001', 'delivered', null],
      ['+15005550002', 'undelivered', 'unreachable'],
      ['+15005550003', 'failed', 'rejected'],
      ['+15005550004', 'failed', 'recipient_opted_out'],
    ] as const) {
      const sent = await send(own, { to });
      const done = await settled(own, sent.body.id);
      assert.deepEqual([done.status, done.error_code], [status, error_code], to);
      const [event, ...more] = await eventsOf(done.id);
      assert.deepEqual(more, []);
      assert.equal(event!.type, `sms.${status}`);
      assert.equal(event!.data.error_code, error_code);
    }
    const unconfirmed = await send(own, { to: '+15005550005' });
    await app.jobs.drain();
    const { body: still } = await own.request<Sms>('GET', `/v1/sms/${unconfirmed.body.id}`);
    assert.equal(still.status, 'sent');
    assert.deepEqual(await eventsOf(still.id), []);
  });

  test('whose response was lost is found and not sent twice', async () => {
    const own = organization();
    const sent = await send(own, { to: '+15005550009' });
    await app.jobs.drain();
    assert.equal((await own.request<Sms>('GET', `/v1/sms/${sent.body.id}`)).body.status, 'queued');
    await later(6);
    assert.equal((await own.request<Sms>('GET', `/v1/sms/${sent.body.id}`)).body.status, 'sent');
    // No delivery report arrives either: the service looks it up.
    await later(700);
    assert.equal((await own.request<Sms>('GET', `/v1/sms/${sent.body.id}`)).body.status, 'delivered');
  });

  test('is done once for an Idempotency-Key, also when the recipient has opted out since', async () => {
    const own = organization();
    const key = { 'idempotency-key': 'text-1' };
    const first = await send(own, { to: '+14155552671' }, key);
    assert.equal(first.status, 201);
    await own.request('POST', '/v1/sms/suppressions', { recipient: '+14155552671' });
    const again = await send(own, { to: '+14155552671' }, key);
    assert.equal(again.status, 201);
    assert.equal(again.text, first.text);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal((await send(own, { to: '+14155552672' }, key)).status, 422);
    assert.equal((await own.request<{ items: unknown[] }>('GET', '/v1/sms')).body.items.length, 1);
  });
});

describe('the sender of a text', () => {
  test('is the one in the request, if the organization may use it', async () => {
    const own = organization();
    const [first, second] = [await number(own), await number(own)];
    const named = await send(own, {
      to: '+15005550001',
      from: second.replace('+1', '+1 (').replace('(500', '(500) '),
    });
    assert.equal(named.status, 201, named.text);
    assert.equal(named.body.from, second);
    assert.equal((await send(own, { to: '+15005550001' })).body.from, first);
    const other = await number(organization());
    for (const from of [other, '+15005550100', 'Nobody', '+15005550110', 'not/allowed']) {
      const answer = await send(own, { to: '+15005550001', from });
      assert.equal(answer.status, 422, from);
      assert.equal((answer.body as unknown as Problem).code, 'from_not_allowed');
    }
    const voiceOnly = await own.request<{ e164: string }>('POST', '/v1/numbers', {
      country_code: 'GB',
      number_type: 'local',
      capabilities: ['voice'],
    });
    assert.equal((await send(own, { to: '+15005550001', from: voiceOnly.body.e164 })).status, 422);
  });

  test('is the custom sender id if the country allows names, else a number', async () => {
    const own = organization();
    const set = await own.request('PATCH', '/v1/sms/sender-id', { custom_sender_id: 'Acme 24' });
    assert.deepEqual(set.body, { custom_sender_id: 'Acme 24', effective_default: 'Acme 24' });
    assert.equal((await send(own, { to: '+447700900123' })).body.from, 'Acme 24');
    assert.equal((await send(own, { to: '+14155552671' })).body.from, '+15005550110');
    const e164 = await number(own);
    assert.equal((await send(own, { to: '+14155552671' })).body.from, e164);
    assert.equal((await send(own, { to: '+447700900123', from: 'Acme 24' })).status, 201);
    assert.equal((await send(own, { to: '+14155552671', from: 'Acme 24' })).status, 422);
    const unchanged = await own.request<{ custom_sender_id: string }>('PATCH', '/v1/sms/sender-id', {});
    assert.equal(unchanged.body.custom_sender_id, 'Acme 24');
    const cleared = await own.request('PATCH', '/v1/sms/sender-id', { custom_sender_id: null });
    assert.deepEqual(cleared.body, { custom_sender_id: null, effective_default: e164 });
    const fresh = await organization().request('GET', '/v1/sms/sender-id');
    assert.deepEqual(fresh.body, { custom_sender_id: null, effective_default: '+15005550110' });
  });

  test('has 3 to 11 letters, digits or spaces with at least one letter', async () => {
    for (const custom_sender_id of [
      'ab',
      'abcdefghijkl',
      '12345',
      'a_b',
      'Ünï',
      ' ab',
      '   ',
      '',
      'a\nb',
      7,
    ]) {
      const answer = await organization().request('PATCH', '/v1/sms/sender-id', { custom_sender_id });
      assert.equal(answer.status, 422, String(custom_sender_id));
    }
    for (const custom_sender_id of ['abc', 'A 1', '12345678901'.replace('1', 'x')]) {
      const answer = await organization().request('PATCH', '/v1/sms/sender-id', { custom_sender_id });
      assert.equal(answer.status, 200, custom_sender_id);
    }
  });
});

describe('suppressions', () => {
  test('block texts of one organization to one phone, and can be listed and deleted', async () => {
    const own = organization();
    const made = await own.request<{ id: string }>('POST', '/v1/sms/suppressions', {
      recipient: '+1 415 555 2671',
    });
    assert.equal(made.status, 201);
    const again = await own.request<{ id: string }>('POST', '/v1/sms/suppressions', {
      recipient: '+14155552671',
    });
    assert.equal(again.body.id, made.body.id);
    const refused = await send(own, { to: '+14155552671' });
    assert.equal(refused.status, 422);
    assert.equal((refused.body as unknown as Problem).code, 'recipient_suppressed');
    assert.match((refused.body as unknown as Problem).detail, /\+14155552671/);
    assert.equal((await send(own, { to: '+14155552672' })).status, 201);
    assert.equal((await send(organization(), { to: '+14155552671' })).status, 201);
    const listed = await own.request<{ items: Record<string, unknown>[] }>('GET', '/v1/sms/suppressions');
    const { id: _, created_at: __, ...entry } = listed.body.items[0]!;
    assert.deepEqual(entry, {
      organization_id: own.organization_id,
      recipient: '+14155552671',
      channel: 'sms',
      reason: 'manual',
      source: 'api',
    });
    const { organization_id } = own;
    const person = organization({ organization_id, credential_kind: 'session' });
    assert.equal((await person.request('DELETE', `/v1/sms/suppressions/${made.body.id}`)).status, 204);
    assert.equal((await send(own, { to: '+14155552671' })).status, 201);
    await own.request('POST', '/v1/sms/suppressions', { recipient: '+14155552671' });
    assert.equal(
      (await person.request('DELETE', '/v1/sms/suppressions?recipient=%2B14155552671')).status,
      204,
    );
    assert.equal((await own.request('DELETE', '/v1/sms/suppressions?recipient=%2B14155552671')).status, 404);
    assert.equal((await own.request('DELETE', '/v1/sms/suppressions')).status, 422);
  });

  test('are also created when the carrier refuses a recipient', async () => {
    const own = organization();
    const sent = await send(own, { to: '+15005550004' });
    await settled(own, sent.body.id);
    const listed = await own.request<{ items: { recipient: string; reason: string; source: string }[] }>(
      'GET',
      '/v1/sms/suppressions',
    );
    assert.deepEqual(
      listed.body.items.map(({ recipient, reason, source }) => [recipient, reason, source]),
      [['+15005550004', 'carrier_refusal', 'carrier']],
    );
  });

  test('of +15005550004 do not block it: it fails in the same way however often it is used (M10)', async () => {
    const own = organization();
    for (const attempt of [1, 2, 3]) {
      const sent = await send(own, { to: '+15005550004' });
      assert.equal(sent.status, 201, `attempt ${attempt}`);
      const { status, error_code } = await settled(own, sent.body.id);
      assert.deepEqual([status, error_code], ['failed', 'recipient_opted_out']);
    }
    const listed = await own.request<{ items: unknown[] }>('GET', '/v1/sms/suppressions');
    assert.equal(listed.body.items.length, 1);
  });

  test('block a text that was queued before the person opted out', async () => {
    const own = organization();
    const e164 = await number(own);
    await app.jobs.drain();
    const sent = await send(own, { to: '+15005550005' });
    await app.jobs.drain();
    // Simulates that the worker has not sent it yet.
    await db.run(sql`update sms_messages set status = 'queued', handed_at = null, next_attempt_at = now() + interval '10 hours',
      provider_message_id = null where id = ${sent.body.id}`);
    await inbound(own, { from: '+15005550005', to: e164, body: 'STOP' });
    await db.run(sql`update sms_messages set next_attempt_at = now() where id = ${sent.body.id}`);
    const done = await settled(own, sent.body.id);
    assert.deepEqual([done.status, done.error_code], ['failed', 'recipient_opted_out']);
  });
});
