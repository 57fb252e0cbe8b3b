// The promises of texts, over HTTP against the whole service with the sandbox carrier.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NumberOffer, PhoneNumber } from '@parley/contract/numbers';
import type { Sms } from '@parley/contract/sms';
import { type Client, startTestApp } from '../../../testing/app.ts';
import { sql } from '../../platform/db/sql.ts';

const { app, db, client, organization } = await startTestApp();

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
const eventsOf = async (id: string) =>
  (
    await db.rows<{ type: string; payload: string }>(
      sql`select type, payload from events where resource_id = ${id} order by id`,
    )
  ).map(({ type, payload }) => ({ type, data: JSON.parse(payload).data }));

describe('a fresh start', () => {
  test('lets an organization buy a number by quote, text with it, and see it delivered', async () => {
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

  test('lets an organization without a number text under the default sender', async () => {
    const sent = await send(client, { to: '+14155552671' });
    assert.equal(sent.status, 201, sent.text);
    assert.equal(sent.body.from, '+15005550110');
    assert.equal((await settled(client, sent.body.id)).status, 'delivered');
  });
});
