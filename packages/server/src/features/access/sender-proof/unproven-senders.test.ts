// An email whose sender is not proven is delivered, and nothing trusts it.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { Approval } from '@parley/contract/rules/approvals/approvals';
import type { SuspectedRevocation } from '@parley/contract/rules/people/consents';
import type { Contact } from '@parley/contract/rules/people/contacts';
import { startTestApp } from '../../../../testing/app.ts';
import { conversationReads, ok, type Page, sendEmail } from '../../../../testing/conversations.ts';
import { emailDesk, sentEmails } from '../../../../testing/message-desks.ts';
import { messageModel } from '../../../../testing/message-model.ts';
import { isOptOutReply, isSuspectedReply } from '../../channels/emails/receive/replies/opt-out-reply.ts';

const service = await startTestApp({ WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8' });
const { later } = service;
const { itemsOf, list, settled } = conversationReads(service);
const model = await messageModel(() => 'Thank you.');

/** What is left of a check that a forger disturbed, and what a provider may report instead. */
const unproven_verdicts = [
  { dmarc: 'PROCESSING_FAILED' },
  { dmarc: 'GRAY' },
  { dmarc: 'DISABLED' },
  { dmarc: 'GRAY', dkim: 'PASS' },
  { spf: 'FAIL', dkim: 'FAIL', dmarc: 'GRAY' },
] as const;
const ana = 'ana@example.org';

function organization() {
  const organization_id = randomUUID();
  return {
    person: service.organization({ organization_id, credential_kind: 'session' }),
    program: service.organization({ organization_id }),
  };
}
type Program = ReturnType<typeof organization>['program'];
let count = 0;
const receive = (of: Program, more: object) =>
  ok<Email>(of, 'POST', '/v1/sandbox/inbound-emails', {
    from: ana,
    subject: `Order ${++count}`,
    text: 'Hello, it is me.',
    ...more,
  });

describe('S3: an email whose sender is not proven', () => {
  test('is delivered, unless the domain asks for something else', async () => {
    const { program } = organization();
    for (const verdicts of unproven_verdicts) {
      assert.equal((await receive(program, { verdicts })).folder, 'inbox');
      const strict = await receive(program, { verdicts: { ...verdicts, dmarc_policy: 'quarantine' } });
      assert.deepEqual([strict.folder, strict.quarantine_reason], ['quarantine', 'unauthenticated']);
    }
  });

  test('gets an answer of an agent only with the consent of a person', async () => {
    const desk = await emailDesk(model, organization().program);
    for (const verdicts of unproven_verdicts) {
      await receive(desk.of, { to: [desk.own], verdicts });
      await later(31);
      const reply = (await sentEmails(desk)).at(-1)!;
      assert.equal(reply.hold?.kind, 'approval', JSON.stringify(verdicts));
      const approval = await ok<Approval>(desk.of, 'GET', `/v1/approvals/${reply.hold!.approval_id}`);
      assert.deepEqual(
        approval.reasons.map(({ code }) => code),
        ['sender_unproven'],
      );
    }
    await receive(desk.of, { to: [desk.own], verdicts: { dmarc: 'GRAY', spf: 'PASS' } });
    await later(31);
    assert.equal((await sentEmails(desk)).at(-1)!.status, 'sent', 'SPF of the same domain is proof');
  });

  test('has a conversation of its own, and is no reply that a wait waits for', async () => {
    const { program } = organization();
    const first = await receive(program, {});
    await settled();
    const [conversation] = await list(program);
    const wait = await ok<{ id: string }>(program, 'POST', '/v1/waits', {
      any_of: [{ kind: 'reply', conversation_id: conversation!.id }],
    });
    for (const verdicts of unproven_verdicts)
      await receive(program, { subject: 'Re: Order', in_reply_to: first.message_id, verdicts });
    const { items } = await itemsOf(program, conversation!.id);
    assert.deepEqual(
      items.map(({ authenticity }) => authenticity),
      ['verified'],
    );
    const { status } = await ok<{ status: string }>(program, 'GET', `/v1/waits/${wait.id}`);
    assert.equal(status, 'pending');
  });

  test('joins the conversation when it answers an email that was sent to its sender', async () => {
    const { program } = organization();
    const sent = await sendEmail(program, [ana]);
    const verdicts = { dmarc: 'GRAY' };
    const answer = { in_reply_to: sent.message_id, subject: 'Re: Order', verdicts };
    const email = await receive(program, answer);
    await receive(program, { ...answer, from: 'eve@example.com' });
    await settled();
    const [conversation] = (await list(program)).filter(({ channels }) => channels.length > 0).slice(-1);
    const { items } = await itemsOf(program, conversation!.id);
    assert.deepEqual(items.map(({ id }) => id).sort(), [sent.id, email.id].sort());
  });

  test('opens no quiet hours, and is no exchange with a known party', async () => {
    const { person, program } = organization();
    const phone = '+14155552671';
    const { now } = await ok<{ now: string }>(program, 'GET', '/v1/sandbox/clock');
    const ahead = ((3 - new Date(now).getUTCHours() + 36) % 24) - 12;
    const time_zone = ahead === 0 ? 'Etc/GMT' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
    await ok<Contact>(person, 'POST', '/v1/contacts', {
      name: 'Ana',
      phone_e164: phone,
      email: ana,
      time_zone,
    });
    await ok(person, 'PUT', '/v1/quiet-hours', { sms: { from: '08:00', to: '21:00' } });
    await ok(person, 'PUT', '/v1/contact-rules', { new_recipients_per_day: 1 });
    const text = () =>
      ok<Sms>(program, 'POST', '/v1/sms', { to: phone, body: 'Hello', recipient_consent: true });
    for (const verdicts of unproven_verdicts) {
      await receive(program, { verdicts });
      await receive(program, { from: 'carl@example.com', verdicts });
    }
    assert.equal((await text()).hold?.kind, 'quiet_hours');
    await sendEmail(program, ['dora@example.com']);
    const refused = await program.request<{ code: string }>('POST', '/v1/emails', {
      to: ['carl@example.com'],
      subject: 'Hello',
      body_text: 'Hello',
      recipient_consent: true,
    });
    assert.deepEqual([refused.status, refused.body.code], [429, 'new_recipient_capped']);
    await receive(program, {});
    assert.equal((await text()).hold, null, 'a proven one does');
  });

  test('is no refusal of the person whom it names, but a person decides about it', async () => {
    const { program } = organization();
    const sent = await sendEmail(program, [ana]);
    await receive(program, { text: 'STOP', in_reply_to: sent.message_id, verdicts: { dmarc: 'GRAY' } });
    const { items } = await ok<Page<SuspectedRevocation>>(program, 'GET', '/v1/consents/suspected');
    assert.deepEqual(
      items.map(({ recipient, channel }) => [recipient, channel]),
      [[ana, 'email']],
    );
    const listed = await ok<Page<{ recipient: string }>>(program, 'GET', '/v1/email-suppressions');
    assert.deepEqual(listed.items, []);
    const reply = { in_reply_to: '<a@b.test>', body_text: 'STOP' };
    for (const dmarc_verdict of ['GRAY', 'PROCESSING_FAILED', 'DISABLED', 'FAIL'] as const)
      assert.equal(isOptOutReply({ ...reply, dmarc_verdict }), false, dmarc_verdict);
    assert.equal(isSuspectedReply({ ...reply, dmarc_verdict: 'FAIL' }), false, 'the forger decides nothing');
    assert.equal(isOptOutReply({ ...reply, dmarc_verdict: 'GRAY', sender_proof: 'proven' }), true);
  });
});
