// Opt-out keywords: they take effect immediately, get few replies, and never reach an agent.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PhoneNumber } from '@parley/contract/channels/numbers/numbers';
import type { Sms } from '@parley/contract/channels/sms/sms';
import { prompt_agent } from '../../../../../testing/agents.ts';
import { type Client, startTestApp } from '../../../../../testing/app.ts';
import { sql } from '../../../../platform/db/sql.ts';
import { opt_out_words } from './opt-out-words.ts';

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

  test('U13: HELP is answered soon after STOP, START, other HELPs and the replies of an agent', async () => {
    const own = organization();
    const { e164, id } = await number(own);
    const agent = await own.request<{ id: string }>('POST', '/v1/agents', prompt_agent);
    await own.request('PATCH', `/v1/numbers/${id}`, { sms_agent_id: agent.body.id });
    // More replies of an agent than the limit of automatic replies.
    for (let index = 0; index < 6; index++) {
      await inbound(own, { from: person, to: e164, body: `Question ${index}` });
      await texts(own);
      await later(4);
    }
    const helps = async () =>
      (await texts(own, '?direction=outbound')).filter(
        ({ body, status }) => body.startsWith('This is an automated') && status === 'delivered',
      ).length;
    for (const [index, body] of ['STOP', 'HELP', 'START', 'INFO', 'HELP'].entries()) {
      const before = await helps();
      await inbound(own, { from: person, to: e164, body });
      const is_help = body === 'HELP' || body === 'INFO';
      assert.equal((await helps()) - before, is_help ? 1 : 0, `${body}, text ${index}`);
    }
  });

  test('U13: STOP is confirmed soon after HELP', async () => {
    const own = organization();
    const { e164 } = await number(own);
    for (const body of ['HELP', 'STOP', 'STOP']) await inbound(own, { from: person, to: e164, body });
    const bodies = (await texts(own, '?direction=outbound')).map(({ body }) => body.split(' ')[0]);
    assert.deepEqual(bodies.sort(), ['This', 'You']);
  });

  test('HELP gets a reply five times a day', async () => {
    const own = organization();
    const { e164 } = await number(own);
    for (let i = 0; i < 8; i++) {
      await inbound(own, { from: person, to: e164, body: 'HELP' });
      await later(301);
    }
    assert.equal((await texts(own, '?direction=outbound')).length, 5);
    await later(86_400);
    await inbound(own, { from: person, to: e164, body: 'HELP' });
    assert.equal((await texts(own, '?direction=outbound')).length, 6);
  });

  test('STOP and START get a reply once in five minutes, HELP five times a day, so that two automatic senders stop (R1)', async () => {
    const own = organization();
    const { e164 } = await number(own);
    for (const body of ['HELP', 'STOP', 'START', 'STOP', 'HELP', 'START', 'HELP']) {
      await inbound(own, { from: person, to: e164, body });
    }
    const answered = await texts(own, '?direction=outbound');
    assert.deepEqual(answered.map(({ body }) => body.split(' ').slice(0, 4).join(' ')).sort(), [
      'This is an automated',
      'This is an automated',
      'This is an automated',
      'You will get no',
      'You will get texts',
    ]);
    assert.equal((await send(own, person)).status, 201, 'what they ask for is done all the same');
    for (let index = 0; index < 20; index++)
      for (const body of ['HELP', 'STOP', 'START']) await inbound(own, { from: person, to: e164, body });
    const bodies = (await texts(own, '?direction=outbound&limit=100')).map(({ body }) => body);
    assert.equal(bodies.filter((body) => body !== 'Hello').length, 7);
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

  test('F9: the answer is in the language of the word, in every language', async () => {
    const own = organization();
    const { e164 } = await number(own);
    let phones = 2000;
    for (const [language, words] of Object.entries(opt_out_words)) {
      const [code] = words.calling_codes.split(', ');
      const phone = code ? `+${code}61234${phones++}` : person;
      for (const keyword of ['stop', 'start', 'help'] as const) {
        const [word] = words[keyword].split(', ');
        await inbound(own, { from: phone, to: e164, body: `${word}!` });
        const [answer] = await texts(own, '?direction=outbound&limit=1');
        assert.deepEqual([answer!.to, answer!.body], [phone, words.answers[keyword]], `${language} ${word}`);
      }
    }
  });

  test('F9: HELP is answered five times a day, whatever the languages', async () => {
    const own = organization();
    const { e164 } = await number(own);
    for (const { help } of Object.values(opt_out_words))
      await inbound(own, { from: person, to: e164, body: help.split(', ')[0]! });
    assert.equal((await texts(own, '?direction=outbound')).length, 5);
  });
});
