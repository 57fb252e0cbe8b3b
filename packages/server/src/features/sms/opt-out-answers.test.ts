// Opt-out keywords: they take effect immediately, get few replies, and never reach an agent.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PhoneNumber } from '@parley/contract/numbers';
import type { Sms } from '@parley/contract/sms';
import { prompt_agent } from '../../../testing/agents.ts';
import { type Client, startTestApp } from '../../../testing/app.ts';
import { sql } from '../../platform/db/sql.ts';

const { app, db, organization, later } = await startTestApp({ PARLEY_SMS_AUTOMATIC_REPLIES: '5' });

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
  of.request<Sms & { code: string }>('POST', '/v1/sms', { to, body: 'Hello', recipient_consent: true });
const texts = async (of: Client, query = '') => {
  await app.jobs.drain();
  return (await of.request<{ items: Sms[] }>('GET', `/v1/sms${query}`)).body.items;
};
const person = '+14155552671';

describe('opt-out keywords', () => {
  test('STOP suppresses and is confirmed once; START removes the suppression, and texts are sent again', async () => {
    const own = organization();
    const { e164 } = await number(own);
    await inbound(own, { from: person, to: e164, body: ' stop. ' });
    await inbound(own, { from: person, to: e164, body: 'STOP' });
    const confirmations = (await texts(own, '?direction=outbound')).map((text) => [
      text.to,
      text.status,
      text.body,
    ]);
    assert.deepEqual(confirmations, [
      [person, 'delivered', 'You will get no more texts from this number. Reply START to get them again.'],
    ]);
    assert.equal((await send(own, person)).body.code, 'recipient_suppressed');
    await inbound(own, { from: person, to: e164, body: 'Start' });
    assert.equal(
      (await texts(own, '?direction=outbound'))[0]!.body,
      'You will get texts from this number again. Reply STOP to stop them.',
    );
    assert.equal((await send(own, person)).status, 201);
    assert.deepEqual((await own.request<{ items: unknown[] }>('GET', '/v1/sms/suppressions')).body.items, []);
  });

  test('HELP gets a reply, within the limit of automatic replies', async () => {
    const own = organization();
    const { e164 } = await number(own);
    for (let i = 0; i < 8; i++) {
      await inbound(own, { from: person, to: e164, body: 'HELP' });
      await later(301);
    }
    assert.equal((await texts(own, '?direction=outbound')).length, 5);
  });

  test('STOP and HELP get a reply once in five minutes, START once, so that two automatic senders stop (R1)', async () => {
    const own = organization();
    const { e164 } = await number(own);
    for (const body of ['HELP', 'STOP', 'START', 'STOP', 'HELP', 'START', 'HELP']) {
      await inbound(own, { from: person, to: e164, body });
    }
    const answered = await texts(own, '?direction=outbound');
    assert.deepEqual(answered.map(({ body }) => body.split(' ').slice(0, 4).join(' ')).sort(), [
      'This is an automated',
      'You will get texts',
    ]);
    assert.equal((await send(own, person)).status, 201, 'what they ask for is done all the same');
    await later(301);
    await inbound(own, { from: person, to: e164, body: 'HELP' });
    const answers = await texts(own, '?direction=outbound');
    assert.equal(answers.filter(({ body }) => body.startsWith('This is an automated')).length, 2);
  });

  test('are sent to webhooks but never reach an agent', async () => {
    const own = organization();
    const { e164, id } = await number(own);
    const agent = await own.request<{ id: string }>('POST', '/v1/agents', prompt_agent);
    await own.request('PATCH', `/v1/numbers/${id}`, { sms_agent_id: agent.body.id });
    const stop = await inbound(own, { from: person, to: e164, body: 'Please stop texting me' });
    const start = await inbound(own, { from: person, to: e164, body: 'UNSTOP' });
    const bodies = (await texts(own, '?direction=outbound')).map((text) => text.body);
    assert.equal(bodies.length, 2);
    assert.ok(bodies.every((body) => body.startsWith('You will get')));
    for (const text of [stop, start]) {
      const [row] = await db.rows<{ count: number }>(sql`
        select count(*) as count from events where resource_id = ${text.id} and type = 'sms.received'`);
      assert.equal(row!.count, 1);
    }
  });

  test('YES is an ordinary text while nothing is suppressed', async () => {
    const own = organization();
    const { e164, id } = await number(own);
    const agent = await own.request<{ id: string }>('POST', '/v1/agents', prompt_agent);
    await own.request('PATCH', `/v1/numbers/${id}`, { sms_agent_id: agent.body.id });
    await inbound(own, { from: person, to: e164, body: 'Yes' });
    assert.deepEqual(
      (await texts(own, '?direction=outbound')).map((text) => text.body),
      ['You said: "Yes"'],
    );
  });
});
