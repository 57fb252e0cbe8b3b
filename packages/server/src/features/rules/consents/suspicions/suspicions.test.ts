// Words that resemble a refusal, decided by a person; and contacts who must not be contacted on any channel.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { SuspectedRevocation } from '@parley/contract/rules/people/consents';
import type { Contact } from '@parley/contract/rules/people/contacts';
import { prompt_agent } from '../../../../../testing/agents.ts';
import { type Client, startTestApp } from '../../../../../testing/app.ts';
import { isSuspectedReply } from '../../../channels/emails/receive/replies/opt-out-reply.ts';
import { optOutKeyword } from '../../../channels/sms/receiving/opt-out-keywords.ts';
import { resemblesRefusal } from './resembles-refusal.ts';

const service = await startTestApp();
const { app } = service;
const ana = { name: 'Ana', phone_e164: '+14155552671', email: 'ana@example.org' };

function organization() {
  const organization_id = randomUUID();
  return {
    program: service.organization({ organization_id }),
    person: service.organization({ organization_id, credential_kind: 'session' }),
  };
}
const events = async (of: Client, type: string) =>
  (
    await of.request<{ items: { data: Record<string, unknown> }[] }>('GET', `/v1/events?type=${type}`)
  ).body.items.map(({ data }) => data);
const suspected = async (of: Client) =>
  (await of.request<{ items: SuspectedRevocation[] }>('GET', '/v1/consents/suspected')).body.items;
const decide = (of: Client, id: string, decision: string) =>
  of.request<SuspectedRevocation & { code: string }>('POST', `/v1/consents/suspected/${id}/decide`, {
    decision,
  });
const text = (of: Client) =>
  of.request<Sms & { code: string }>('POST', '/v1/sms', {
    to: ana.phone_e164,
    body: 'Hello',
    recipient_consent: true,
  });
const call = (of: Client) =>
  of.request<{ code: string }>('POST', '/v1/calls', {
    to: ana.phone_e164,
    recipient_consent: true,
    scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
  });
const email = (of: Client) =>
  of.request<{ code: string; message_id: string }>('POST', '/v1/emails', {
    to: [ana.email],
    subject: 'Hello',
    recipient_consent: true,
  });

test('words that resemble a refusal are recognized, and ordinary answers are not', () => {
  const resembling = [
    'Please stop',
    'stop it already',
    'Wrong number!',
    'I am not interested',
    'how do I unsubscribe?',
    'Don’t call me again',
    'this is spam',
    'Hören Sie auf',
    'No me llame más',
  ];
  for (const words of resembling) assert.ok(resemblesRefusal(words) && optOutKeyword(words) === null, words);
  const ordinary = [
    'Can you stop by at noon?',
    'Please don’t stop',
    'No, thanks',
    'Call me at 9',
    'The bus stop is here',
    `${'A long story. '.repeat(30)} please stop`,
  ];
  for (const words of ordinary) assert.ok(!resemblesRefusal(words), words);
  const reply = {
    in_reply_to: '<a@b>',
    body_text: 'Not interested.\n\n> Hi',
    dmarc_verdict: 'PASS' as const,
  };
  assert.ok(isSuspectedReply(reply));
  assert.ok(!isSuspectedReply({ ...reply, dmarc_verdict: 'FAIL' }), 'a forged sender');
  assert.ok(!isSuspectedReply({ ...reply, body_text: 'Unsubscribe me' }), 'a clear refusal');
});

describe('an agent', () => {
  const desk = async (of: Client) => {
    const number = await of.request<{ id: string; e164: string }>('POST', '/v1/numbers', {
      country_code: 'US',
    });
    const agent = await of.request<{ id: string }>('POST', '/v1/agents', prompt_agent);
    await of.request('PATCH', `/v1/numbers/${number.body.id}`, { sms_agent_id: agent.body.id });
    return number.body.e164;
  };
  const say = async (of: Client, to: string, body: string) => {
    const received = await of.request('POST', '/v1/sandbox/inbound-sms', { from: ana.phone_e164, to, body });
    assert.equal(received.status, 201, received.text);
    await app.jobs.drain();
  };
  const answers = async (of: Client) =>
    (await of.request<{ items: Sms[] }>('GET', '/v1/sms?direction=outbound')).body.items.length;

  test('does not answer after such words until a person decides; a program cannot decide', async () => {
    const { program, person } = organization();
    const number = await desk(program);
    await say(program, number, 'Is there a table?');
    assert.equal(await answers(program), 1);
    await say(program, number, 'Please stop');
    await say(program, number, 'Hello?');
    assert.equal(await answers(program), 1);
    const silences = await events(program, 'sms.not_answered');
    assert.deepEqual(
      silences.map(({ reason }) => reason),
      ['revocation_suspected', 'revocation_suspected'],
    );
    const [open, ...more] = await suspected(program);
    assert.deepEqual([open!.recipient, open!.channel, more], [ana.phone_e164, 'sms', []]);
    const [event] = await events(program, 'consent.revocation_suspected');
    assert.deepEqual([event!.id, event!.item_id], [open!.id, open!.item_id]);
    const refused = await decide(program, open!.id, 'dismissed');
    assert.deepEqual([refused.status, refused.body.code], [403, 'person_required']);
    assert.equal((await decide(organization().person, open!.id, 'dismissed')).status, 404);
    const dismissed = await decide(person, open!.id, 'dismissed');
    assert.equal(dismissed.body.decision, 'dismissed', dismissed.text);
    assert.equal(
      (await decide(person, open!.id, 'revoked')).body.decision,
      'dismissed',
      'the first decision',
    );
    await say(program, number, 'Are you there?');
    assert.equal(await answers(program), 2);
  });

  test('stays silent when a person decides that it was a refusal, or the person says STOP', async () => {
    const { program, person } = organization();
    const number = await desk(program);
    await say(program, number, 'Wrong number');
    assert.equal((await decide(person, (await suspected(person))[0]!.id, 'revoked')).status, 200);
    assert.equal((await text(program)).body.code, 'recipient_suppressed');
    assert.deepEqual((await events(program, 'consent.revoked'))[0]!.channels, ['sms', 'call']);
    const other = organization().program;
    const others = await desk(other);
    await say(other, others, 'go away');
    await say(other, others, 'STOP');
    assert.deepEqual(await suspected(other), []);
  });
});

test('an email reply with such words is suspected, and emails go on until a person decides', async () => {
  const { program, person } = organization();
  const { body: sent } = await email(program);
  const received = await program.request('POST', '/v1/sandbox/inbound-emails', {
    from: ana.email,
    text: 'I am not interested.\n\n> Hello',
    in_reply_to: sent.message_id,
  });
  assert.equal(received.status, 201, received.text);
  const [open] = await suspected(program);
  assert.deepEqual([open!.recipient, open!.channel], [ana.email, 'email']);
  assert.equal((await email(program)).status, 201);
  assert.equal((await decide(person, open!.id, 'revoked')).status, 200);
  assert.equal((await email(program)).body.code, 'recipient_suppressed');
});

describe('do_not_contact of a contact', () => {
  test('stops all channels, with events, until a person takes it back', async () => {
    const { program, person } = organization();
    const created = await program.request<Contact>('POST', '/v1/contacts', ana);
    assert.equal(created.body.do_not_contact, false, created.text);
    const path = `/v1/contacts/${created.body.id}`;
    const set = (of: Client, do_not_contact: boolean) =>
      of.request<Contact & { code: string }>('PATCH', path, { do_not_contact });
    assert.equal((await set(program, true)).body.do_not_contact, true);
    for (const refused of [await text(program), await call(program), await email(program)])
      assert.equal(refused.body.code, 'recipient_suppressed', refused.text);
    assert.deepEqual(
      (await events(program, 'consent.revoked')).map(({ channels }) => channels),
      [['email'], ['sms', 'call']],
    );
    assert.equal((await set(program, false)).body.code, 'person_required');
    assert.equal((await set(person, false)).body.do_not_contact, false);
    assert.deepEqual(
      [(await text(program)).status, (await call(program)).status, (await email(program)).status],
      [201, 201, 201],
    );
  });

  test('applies to a new contact and to a new number, and ends when a consent lifts it', async () => {
    const { program, person } = organization();
    const { phone_e164, ...rest } = ana;
    const created = await program.request<Contact>('POST', '/v1/contacts', { ...rest, do_not_contact: true });
    assert.equal(created.status, 201, created.text);
    assert.equal((await email(program)).body.code, 'recipient_suppressed');
    assert.equal((await text(program)).status, 201);
    const path = `/v1/contacts/${created.body.id}`;
    await program.request('PATCH', path, { phone_e164 });
    assert.equal((await text(program)).body.code, 'recipient_suppressed');
    await person.request('POST', '/v1/consents', {
      recipient: phone_e164,
      channels: ['sms'],
      purposes: ['conversational'],
      basis: 'express',
      source: { kind: 'verbal' },
    });
    assert.equal((await text(program)).status, 201);
    assert.equal((await program.request<Contact>('GET', path)).body.do_not_contact, false);
  });
});
