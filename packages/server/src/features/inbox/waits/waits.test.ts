// Waits over HTTP: every kind of condition ends a wait in the background, once.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Call } from '@parley/contract/channels/calls/call-records';
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { WaitCondition } from '@parley/contract/inbox/waits';
import type { Approval } from '@parley/contract/rules/approvals/approvals';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { people, place } from '../../../../testing/calls.ts';
import { failed, ok, receiveEmail, sendEmail, sendText } from '../../../../testing/conversations.ts';
import { createWait, getWait, newNumber, receiveTextAt, settledWait } from '../../../../testing/waits.ts';
import { sql } from '../../../platform/db/sql.ts';

const service = await startTestApp();
const { app, client, operator, organization, db, later } = service;
const settled = settledWait(service);
const eventsOf = (id: string) =>
  db.rows<{ type: string; payload: string }>(sql`
    select type, payload from events where resource_id = ${id} order by id`);
const person = '+14155552671';

/** The wait goes on, then `happen` ends it in the background. */
async function resolvesBy(of: Client, condition: WaitCondition, happen: () => Promise<unknown>) {
  const wait = await createWait(of, [condition]);
  assert.deepEqual([wait.status, wait.matched, wait.resolved_at], ['pending', null, null]);
  assert.equal((await settled(of, wait)).status, 'pending');
  await happen();
  const resolved = await settled(of, wait);
  assert.equal(resolved.status, 'resolved', JSON.stringify(resolved));
  assert.equal(resolved.matched!.kind, condition.kind);
  assert.ok(resolved.resolved_at);
  const types = (await eventsOf(wait.id)).map(({ type }) => type);
  assert.deepEqual(types, ['wait.resolved']);
  return resolved.matched!;
}

describe('a wait is resolved by', () => {
  test('an email from or to an address, with its text and the code in it', async () => {
    const own = organization();
    const { to_addresses } = await receiveEmail(own, { from: 'ana@example.com', text: 'Before' });
    const condition: WaitCondition = { kind: 'email', from: 'ANA@example.com', to: to_addresses![0]! };
    const matched = await resolvesBy(own, condition, async () => {
      await receiveEmail(own, { from: 'bob@example.com', text: 'Not this one' });
      await receiveEmail(own, {
        from: 'Ana <ana@example.com>',
        subject: 'Code',
        html: '<b>Your code is 482913</b>',
      });
    });
    assert.equal(matched.object.noun, 'email');
    const record = matched.object.record as Email;
    assert.deepEqual(
      [record.from_address, record.body_text, record.body_html, matched.code],
      ['ana@example.com', 'Your code is 482913', null, '482913'],
    );
  });

  test('a text, by sender and by number', async () => {
    const own = organization();
    const to = await newNumber(own);
    const other = await newNumber(own);
    const by_number = await resolvesBy(own, { kind: 'sms', to }, async () => {
      await receiveTextAt(own, person, other, 'Elsewhere');
      await receiveTextAt(own, person, to, 'Here');
    });
    assert.equal((by_number.object.record as Sms).body, 'Here');
    const condition: WaitCondition = { kind: 'sms', from: '+1 (415) 555-2671', to: null };
    const by_sender = await resolvesBy(own, condition, () => receiveTextAt(own, person, other, 'Again'));
    assert.equal((by_sender.object.record as Sms).body, 'Again');
  });

  test('a code on any channel, and not by messages without one', async () => {
    const own = organization();
    const to = await newNumber(own);
    const by_text = await resolvesBy(own, { kind: 'code', to }, async () => {
      await receiveTextAt(own, person, to, 'Welcome!');
      await app.jobs.drain();
      await receiveTextAt(own, person, to, 'Your code is 771204');
    });
    assert.deepEqual([by_text.object.noun, by_text.code], ['sms', '771204']);
    const by_email = await resolvesBy(own, { kind: 'code', from: 'shop@example.com' }, () =>
      receiveEmail(own, { from: 'shop@example.com', subject: '902104 is your code' }),
    );
    assert.deepEqual([by_email.object.noun, by_email.code], ['email', '902104']);
  });

  test('a reply in the thread of a message, but no automatic or forged one', async () => {
    const own = organization();
    const sent = await sendEmail(own, ['ana@example.com']);
    const { message_id } = await ok<Email>(own, 'POST', '/v1/emails', {
      to: ['eve@example.com'],
      subject: 'Other',
      recipient_consent: true,
    });
    const answer = { from: 'ana@example.com', subject: 'Re: Order', in_reply_to: sent.message_id };
    const condition: WaitCondition = { kind: 'reply', conversation_id: sent.conversation_id };
    const matched = await resolvesBy(own, condition, async () => {
      await receiveEmail(own, { ...answer, headers: { 'Auto-Submitted': 'auto-replied' }, text: 'Away' });
      await receiveEmail(own, { from: 'eve@example.com', in_reply_to: message_id, text: 'Elsewhere' });
      await receiveEmail(own, { from: 'ana@example.com', subject: 'Order', text: 'Forged', ...failed });
      await app.jobs.drain();
      await receiveEmail(own, { ...answer, text: 'Thank you' });
    });
    assert.equal((matched.object.record as Email).extracted_text, 'Thank you');
  });

  test('a reply on another channel of the same person, and only on the channel that it names', async () => {
    const own = organization();
    await ok(own, 'POST', '/v1/contacts', { name: 'Ana', email: 'ana@example.com', phone_e164: person });
    const sent = await sendEmail(own, ['ana@example.com']);
    const number = await newNumber(own);
    await app.jobs.drain();
    const by_email = await createWait(own, [
      { kind: 'reply', conversation_id: sent.conversation_id, channel: 'email' },
    ]);
    const matched = await resolvesBy(own, { kind: 'reply', conversation_id: sent.conversation_id }, () =>
      receiveTextAt(own, person, number, 'By text'),
    );
    assert.equal((matched.object.record as Sms).body, 'By text');
    assert.equal((await settled(own, by_email)).status, 'pending');
    const { id: agent_id } = await ok<{ id: string }>(own, 'POST', '/v1/agents', { name: 'Desk' });
    const { items } = await ok<{ items: { id: string }[] }>(own, 'GET', '/v1/numbers');
    await ok(own, 'PATCH', `/v1/numbers/${items[0]!.id}`, { voice_agent_id: agent_id });
    const by_call = { kind: 'reply', conversation_id: sent.conversation_id, channel: 'call' } as const;
    const called = await resolvesBy(own, by_call, () =>
      ok(own, 'POST', '/v1/sandbox/inbound-calls', { from: person, to: number, script: [{ do: 'hang_up' }] }),
    );
    assert.equal((called.object.record as Call).direction, 'inbound');
  });

  test('the answer and the end of a call, also by a call that is not answered or is canceled', async () => {
    const own = organization();
    const call = await place(own, people.converses);
    const ended = await createWait(own, [{ kind: 'call', call_id: call.id }]);
    const answered = await getWait(
      own,
      await createWait(own, [{ kind: 'call', call_id: call.id, until: 'answered' }]),
      50,
    );
    assert.ok((answered.matched!.object.record as Call).answered_at);
    const over = await getWait(own, ended, 50);
    assert.deepEqual([over.status, (over.matched!.object.record as Call).status], ['resolved', 'completed']);
    const busy = await place(own, people.busy);
    const unanswered = await createWait(own, [{ kind: 'call', call_id: busy.id, until: 'answered' }], {
      wait_seconds: 50,
    });
    assert.equal((unanswered.matched!.object.record as Call).status, 'busy');
    const in_an_hour = new Date(Date.now() + 3_600_000).toISOString();
    const held = await place(own, people.busy, { scheduled_at: in_an_hour });
    const matched = await resolvesBy(own, { kind: 'call', call_id: held.id }, () =>
      ok(own, 'POST', `/v1/calls/${held.id}/cancel`),
    );
    assert.equal((matched.object.record as Call).status, 'canceled');
  });

  test('the outcome of an email and of a text', async () => {
    const own = organization();
    const email = await sendEmail(own, ['ana@example.com']);
    const delivered = await createWait(own, [{ kind: 'outcome', noun: 'email', id: email.id }]);
    assert.deepEqual([delivered.status, delivered.matched!.outcome], ['resolved', 'delivered']);
    const in_an_hour = new Date(Date.now() + 3_600_000).toISOString();
    const held = await sendEmail(own, ['ana@example.com'], { scheduled_at: in_an_hour });
    const canceled = await resolvesBy(own, { kind: 'outcome', noun: 'email', id: held.id }, () =>
      ok(own, 'POST', `/v1/emails/${held.id}/cancel`),
    );
    assert.equal(canceled.outcome, 'canceled');
    const sms = await sendText(own, '+15005550002');
    const outcome = await createWait(own, [{ kind: 'outcome', noun: 'sms', id: sms.id }]);
    await later(5);
    const { matched } = await settled(own, outcome);
    assert.equal(matched!.outcome, 'undelivered');
    assert.equal((matched!.object.record as Sms).status, 'undelivered');
  });

  test('the decision about an approval', async () => {
    const rule = { name: 'All texts', channels: ['sms'], when: [{ recipients_over: 0 }], then: 'hold' };
    const set = await operator.request('PUT', '/v1/approval-policy', { rules: [rule] });
    assert.equal(set.status, 200, set.text);
    const sms = await ok<Sms>(client, 'POST', '/v1/sms', { to: person, body: 'Hi', recipient_consent: true });
    const approval_id = sms.hold!.approval_id!;
    const matched = await resolvesBy(client, { kind: 'approval', approval_id }, () =>
      ok(operator, 'POST', `/v1/approvals/${approval_id}/reject`, { note: 'No' }),
    );
    const record = matched.object.record as Approval;
    assert.deepEqual([record.status, record.note], ['rejected', 'No']);
    assert.equal((await operator.request('PUT', '/v1/approval-policy', { rules: [] })).status, 200);
  });
});
