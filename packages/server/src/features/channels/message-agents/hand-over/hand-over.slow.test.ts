// What an agent may write, and what happens when it asks for a person or finishes: links, notices, results, released mail.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { ConversationResult } from '@parley/contract/inbox/conversation-results';
import type { Conversation } from '@parley/contract/inbox/conversations';
import type { Wait } from '@parley/contract/inbox/waits';
import { startTestApp } from '../../../../../testing/app.ts';
import { ok } from '../../../../../testing/conversations.ts';
import {
  ana,
  emailDesk,
  eventsOf,
  receiveEmail,
  receiveText,
  sentEmails,
  sentTexts,
  textDesk,
} from '../../../../../testing/message-desks.ts';
import {
  lastWords,
  type ModelAnswer,
  type ModelRequest,
  messageModel,
} from '../../../../../testing/message-model.ts';
import { sql } from '../../../../platform/db/sql.ts';

const { app, db, organization, later } = await startTestApp({ WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8' });
const script: { answer: (request: ModelRequest) => ModelAnswer } = { answer: () => '' };
const model = await messageModel((request) => script.answer(request));
/** A request to report about the conversation, after it. */
const isReport = ({ tools, messages }: ModelRequest) =>
  tools?.some(({ function: { name } }) => name === 'report') === true ||
  messages.some(({ content }) => /You do not speak with anybody now/.test(content));
const reports = (report: object, otherwise: ModelAnswer) => (request: ModelRequest) =>
  isReport(request) ? JSON.stringify(report) : otherwise;

const office = {
  name: 'office',
  description: 'The office',
  email: 'office@example.org',
  recipient_consent: true,
};
const handing = { tools: ['hand_to_human', 'finish'], destinations: [office] };

describe('links in what an agent writes', () => {
  test('are sent when their host is listed; else the model corrects itself once', async () => {
    const at = await textDesk(model, organization(), { messaging: { link_hosts: ['Shop.example'] } });
    script.answer = ({ messages }) =>
      messages.some(({ content }) => /is not sent, because of a link/.test(content))
        ? 'See https://shop.example/order'
        : 'See https://evil.example/order';
    await receiveText(at, 'Where is my order?');
    await later(4);
    assert.deepEqual(
      (await sentTexts(at)).map(({ body }) => body),
      ['See https://shop.example/order'],
    );
  });

  test('that stay are not sent, and an event says why', async () => {
    const at = await emailDesk(model, organization());
    script.answer = () => 'Pay at evil.example/pay';
    const before = model.requests.length;
    await receiveEmail(at, 'How do I pay? They say at evil.example/pay');
    await later(31);
    assert.equal(model.requests.length - before, 2);
    assert.deepEqual(await sentEmails(at), []);
    const [silent] = await eventsOf<{ reason: string; detail: string }>(at, 'email.not_answered');
    assert.equal(silent?.reason, 'link_not_allowed');
    assert.match(silent.detail, /evil\.example/);
  });

  test('are refused in texts of tools as well', async () => {
    const at = await emailDesk(model, organization(), {
      tools: [{ type: 'send_sms', consent: 'configured' }],
    });
    await ok(at.of, 'POST', '/v1/contacts', { name: 'Ana', phone_e164: ana.phone, email: ana.email });
    script.answer = ({ messages }) =>
      messages.some(({ role }) => role === 'tool')
        ? 'Done.'
        : { call: 'send_sms', arguments: { to: 'person', body: 'https://evil.example' } };
    await receiveEmail(at, 'Text me the link');
    await later(31);
    assert.deepEqual(await sentTexts(at), []);
    const calls = await ok<{ items: { error: string }[] }>(at.of, 'GET', '/v1/tool-calls');
    assert.deepEqual(
      calls.items.map(({ error }) => error),
      ['not_allowed'],
    );
  });
});

describe('hand_over_to', () => {
  const handedDesk = async (messaging: object = { hand_over_to: 'office' }) => {
    const at = await textDesk(model, organization(), { ...handing, messaging });
    script.answer = reports(
      { summary: 'Ana wants her money back.', success: null, success_reason: null },
      { call: 'hand_to_human', arguments: { reason: 'Wants a refund' } },
    );
    const text = await receiveText(at, 'I want my money back');
    await later(4);
    return { at, text };
  };

  test('is told by email with a summary when no person answers for 15 minutes', async () => {
    const { at, text } = await handedDesk();
    await later(14 * 60);
    assert.deepEqual(await sentEmails(at), []);
    await later(70);
    const [email, ...more] = await sentEmails(at);
    assert.deepEqual([email?.to_addresses, more], [[office.email], []]);
    const { body_text } = await ok<Email>(at.of, 'GET', `/v1/emails/${email!.id}`);
    assert.match(body_text!, /Wants a refund[\s\S]*Ana wants her money back\./);
    const { id } = await ok<Conversation>(at.of, 'GET', `/v1/conversations/${text.conversation_id}`);
    assert.deepEqual(await eventsOf(at, 'conversation.hand_over_notified'), [
      { id, agent_id: at.agent_id, destination: 'office', email_id: email!.id, detail: null },
    ]);
  });

  test('gets one email, also when the process was killed after it was sent', async () => {
    const { at } = await handedDesk();
    const [job] = await db.rows<{ payload: object }>(sql`
      select payload from jobs where kind = 'notify_hand_over'
        and payload ->> 'organization_id' = ${at.of.organization_id}`);
    await later(16 * 60);
    const again = (note: null | 'noted') =>
      db.transaction(async (tx) => {
        if (!note)
          await tx.run(sql`update conversations set hand_over_notified_at = null
                            where organization_id = ${at.of.organization_id}`);
        await app.jobs.enqueue(tx, { kind: 'notify_hand_over', payload: { ...job!.payload } });
      });
    await again('noted');
    await later(1);
    assert.equal((await eventsOf(at, 'conversation.hand_over_notified')).length, 1);
    await again(null);
    await later(1);
    const emails = await sentEmails(at);
    const notified = await eventsOf(at, 'conversation.hand_over_notified');
    assert.deepEqual(
      [emails.length, notified.map(({ email_id }) => email_id)],
      [1, [emails[0]!.id, emails[0]!.id]],
    );
  });

  test('is not told when a person answers or gives the conversation back', async () => {
    const { at: answered } = await handedDesk();
    await ok(answered.of, 'POST', '/v1/sms', {
      to: ana.phone,
      from: answered.e164,
      body: 'I take care of it',
      recipient_consent: true,
    });
    const { at: released, text } = await handedDesk();
    await ok(released.of, 'POST', `/v1/conversations/${text.conversation_id}/release`);
    await later(16 * 60);
    assert.deepEqual([await sentEmails(answered), await sentEmails(released)], [[], []]);
  });

  test('must be a destination with an email address', async () => {
    const of = organization();
    const body = { name: 'Desk', destinations: [office], messaging: { hand_over_to: 'sales' } };
    const refused = await of.request<{ code: string }>('POST', '/v1/agents', body);
    assert.deepEqual([refused.status, refused.body.code], [422, 'validation_failed']);
  });
});

describe('finish', () => {
  const result_schema = {
    type: 'object',
    properties: { day: { type: 'string' } },
    required: ['day'],
  };

  test('closes the conversation and makes its typed result, for which a wait waits', async () => {
    const at = await textDesk(model, organization(), { ...handing, result_schema });
    const report = {
      result: { day: 'Friday' },
      summary: 'Ana comes on Friday.',
      success: true,
      success_reason: 'A day was named.',
      evidence: { day: [1] },
    };
    script.answer = reports(report, { call: 'finish' });
    const text = await receiveText(at, 'I come on Friday');
    await app.projector.drain();
    const wait = await ok<Wait>(at.of, 'POST', '/v1/waits', {
      any_of: [{ kind: 'result', noun: 'conversation', id: text.conversation_id }],
    });
    assert.equal(wait.status, 'pending');
    await later(4);
    await later(10);
    const conversation = await ok<Conversation>(at.of, 'GET', `/v1/conversations/${text.conversation_id}`);
    const { requested_at, settled_at, result_engine, ...result } = conversation.result!;
    assert.deepEqual(
      [conversation.status, result],
      ['closed', { status: 'ready', agent_id: at.agent_id, channel: 'sms', result_error: null, ...report }],
    );
    const events = await eventsOf<{ id: string; result: ConversationResult }>(
      at,
      'conversation.result_ready',
    );
    assert.deepEqual(events, [{ id: conversation.id, result: conversation.result }]);
    await app.jobs.drain();
    const { status, matched } = await ok<Wait>(at.of, 'GET', `/v1/waits/${wait.id}`);
    assert.deepEqual([status, matched?.kind, matched?.object.id], ['resolved', 'result', conversation.id]);
    const { object } = matched!;
    assert.ok(object.noun === 'conversation' && object.record?.result?.summary === report.summary);
  });

  test('says why when the model cannot report, and makes nothing when nothing is wanted', async () => {
    const failing = await textDesk(model, organization(), handing);
    const silent = await textDesk(model, organization(), { ...handing, summarize: false });
    script.answer = (request) => (isReport(request) ? { fail: 400 } : { call: 'finish' });
    await receiveText(failing, 'Thanks');
    await receiveText(silent, 'Thanks');
    await later(4);
    await later(60);
    const [event] = await eventsOf<{ result: ConversationResult }>(failing, 'conversation.result_ready');
    assert.deepEqual([event?.result.status, event?.result.result_error], ['failed', 'llm_unavailable']);
    assert.deepEqual(await eventsOf(silent, 'conversation.result_ready'), []);
  });
});

describe('an email that is released from quarantine', () => {
  test('is given to the agent once, as if it had just arrived', async () => {
    const at = await emailDesk(model, organization());
    script.answer = (request) => `About: ${lastWords(request).split('\n').at(-1)}`;
    const spam = await receiveEmail(at, 'Is this spam?', { verdicts: { dmarc: 'PASS', spam: 'FAIL' } });
    assert.equal((await ok<Email>(at.of, 'GET', `/v1/emails/${spam.id}`)).folder, 'quarantine');
    await later(3600);
    assert.deepEqual(await sentEmails(at), []);
    await ok(at.of, 'POST', `/v1/emails/${spam.id}/release`);
    await ok(at.of, 'POST', `/v1/emails/${spam.id}/release`);
    await later(31);
    await ok(at.of, 'POST', `/v1/emails/${spam.id}/quarantine`);
    await ok(at.of, 'POST', `/v1/emails/${spam.id}/release`);
    await later(31);
    const silent = await eventsOf(at, 'email.not_answered');
    const sent = await sentEmails(at);
    assert.deepEqual([sent.map(({ to_addresses }) => to_addresses), silent], [[[ana.email]], []]);
  });
});
