// Receive rules and the quarantine: who is received, who is not, and what a release does.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { ReceiveRule } from '@parley/contract/rules/receive-rules';
import type { Client } from '../../../../testing/app.ts';
import {
  conversationReads,
  ok,
  type Page,
  receiveEmail,
  sendEmail,
  sendText,
} from '../../../../testing/conversations.ts';
import { confirmInSandbox } from '../../../../testing/forwards.ts';
import { createMailbox, startMailApp } from '../../../../testing/mail-app.ts';
import { deliver, rawMessage } from '../../../../testing/smtp-client.ts';

const mail_app = await startMailApp();
const { app, operator: client, later, smtp_port } = mail_app;
/** People: programs only make rules stricter. */
const organization = (options: Parameters<typeof mail_app.organization>[0] = {}) =>
  mail_app.organization({ credential_kind: 'session', ...options });
const { list: conversations } = conversationReads(mail_app);

type Rule = Record<string, unknown>;
const rule = (of: Client, body: Rule) => ok<ReceiveRule>(of, 'POST', '/v1/receive-rules', body);
const refused = async (of: Client, body: Rule) =>
  (await of.request<{ code: string }>('POST', '/v1/receive-rules', body)).body.code;
const everyone = { kind: 'everyone' };
const from = (value: string) => ({ kind: 'address', value });
const eventsOf = async (of: Client, type: string) =>
  (await ok<Page<{ data: Record<string, unknown> }>>(of, 'GET', `/v1/events?type=${type}`)).items.map(
    ({ data }) => data,
  );
const ids = async (of: Client, query: string) =>
  (await ok<Page<{ id: string }>>(of, 'GET', `/v1/emails?${query}`)).items.map(({ id }) => id);
const received = async (of: Client, body: object) => (await receiveEmail(of, body)) as unknown as Email;
const blocked = async (of: Client, body: object) =>
  (await of.request<{ code: string }>('POST', '/v1/sandbox/inbound-emails', body)).body.code ===
  'inbound_message_refused';

describe('rules', () => {
  test('are created, listed, changed and deleted, and seen by their organization only', async () => {
    const own = organization();
    const created = await rule(own, {
      channel: 'email',
      match: { kind: 'domain', value: '@Example.ORG' },
      action: 'quarantine',
      labels: ['check'],
    });
    assert.deepEqual(created.match, { kind: 'domain', value: 'example.org' });
    assert.deepEqual([created.scope.kind, created.applies_to, created.hits], ['organization', 'all', 0]);
    const path = `/v1/receive-rules/${created.id}`;
    const changed = await ok<ReceiveRule>(own, 'PATCH', path, { action: 'block', note: 'Spam' });
    assert.deepEqual([changed.action, changed.note, changed.labels], ['block', 'Spam', ['check']]);
    assert.deepEqual((await ok<Page<ReceiveRule>>(own, 'GET', '/v1/receive-rules')).items, [changed]);
    assert.equal((await organization().request('GET', path)).status, 404);
    assert.equal((await organization().request('DELETE', path)).status, 404);
    assert.equal((await own.request('DELETE', path)).status, 204);
    assert.equal((await own.request('GET', path)).status, 404);
  });

  test('that cannot work are refused, and so is a second one for the same', async () => {
    const own = organization();
    const email = { channel: 'email', match: everyone, action: 'block' };
    const text = { channel: 'sms', match: everyone, action: 'block' };
    for (const wrong of [
      { ...email, match: { kind: 'number', value: '+14155550123' } },
      { ...email, match: from('nobody') },
      { ...email, match: { kind: 'domain' } },
      { ...email, match: { kind: 'everyone', value: 'x' } },
      { ...email, scope: { kind: 'number', value: '+14155550123' } },
      { ...email, scope: { kind: 'email_domain', id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e99' } },
      { ...text, action: 'quarantine' },
      { ...text, applies_to: 'reply' },
      { ...text, match: { kind: 'country', value: 'USA' } },
    ])
      assert.equal(await refused(own, wrong), 'invalid_receive_rule', JSON.stringify(wrong));
    await rule(own, email);
    assert.equal(await refused(own, { ...email, action: 'allow' }), 'receive_rule_exists');
    assert.equal(await refused(own, { ...email, labels: ['Not a label'] }), 'invalid_label');
  });

  test('the narrowest scope decides, then the narrowest match, then the strictest action', async () => {
    const own = organization();
    const address = (await received(own, { text: 'Hi' })).to_addresses[0]!;
    await rule(own, { channel: 'email', match: everyone, action: 'block' });
    assert.ok(await blocked(own, { from: 'ana@example.com', text: 'Hi' }));
    await rule(own, { channel: 'email', match: { kind: 'domain', value: 'example.com' }, action: 'allow' });
    assert.equal((await received(own, { from: 'ana@mail.example.com', text: 'Hi' })).folder, 'inbox');
    await rule(own, { channel: 'email', match: from('Eve@example.com'), action: 'quarantine' });
    assert.equal((await received(own, { from: 'eve@example.com', text: 'Hi' })).folder, 'quarantine');
    const scope = { kind: 'address', value: address };
    const narrow = await rule(own, {
      channel: 'email',
      scope,
      match: everyone,
      action: 'allow',
      labels: ['desk'],
    });
    const { folder, labels } = await received(own, { from: 'eve@example.com', text: 'Hi' });
    assert.deepEqual([folder, labels], ['inbox', ['desk']]);
    // Mail to an address with a tag reaches the same mailbox.
    const tagged = address.replace('@', '+tag@');
    assert.equal((await received(own, { from: 'x@y.test', to: [tagged], text: 'Hi' })).folder, 'inbox');
    const { hits } = await ok<ReceiveRule>(own, 'GET', `/v1/receive-rules/${narrow.id}`);
    assert.equal(hits, 2);
  });

  test('for replies and for new emails tell them apart by the emails that were sent', async () => {
    const own = organization();
    const { message_id } = await sendEmail(own, ['ana@example.com']);
    await rule(own, { channel: 'email', match: everyone, action: 'block', applies_to: 'new' });
    assert.ok(await blocked(own, { from: 'ana@example.com', text: 'Hi' }));
    assert.ok(
      await blocked(own, { from: 'ana@example.com', text: 'Hi', in_reply_to: '<other@example.com>' }),
    );
    const reply = await received(own, { from: 'ana@example.com', text: 'Hi', in_reply_to: message_id });
    assert.equal(reply.folder, 'inbox');
  });

  test('that block leave nothing behind but one event an hour for each sender', async () => {
    const own = organization();
    const { id } = await rule(own, { channel: 'email', match: everyone, action: 'block' });
    const email = { from: 'eve@example.com', subject: 'Offer', text: 'Buy' };
    for (let count = 0; count < 3; count++) assert.ok(await blocked(own, email));
    assert.deepEqual(await ids(own, ''), []);
    assert.deepEqual(await ids(own, 'folder=quarantine'), []);
    await later(3601);
    assert.ok(await blocked(own, email));
    const events = await eventsOf(own, 'email.blocked');
    assert.deepEqual(
      events.map(({ count, rule_id, from_address }) => [count, rule_id, from_address]),
      [
        [3, id, 'eve@example.com'],
        [1, id, 'eve@example.com'],
      ],
    );
    assert.equal((await ok<ReceiveRule>(own, 'GET', `/v1/receive-rules/${id}`)).hits, 4);
  });

  test('refuse over SMTP with 550 5.7.1 if no recipient takes the message', async () => {
    const [one, two] = [organization(), organization()];
    const [first, second] = [await createMailbox(one), await createMailbox(two)];
    await rule(one, { channel: 'email', match: everyone, action: 'block' });
    const raw = rawMessage({ to: first.default_address, subject: 'For both' });
    assert.match(await deliver(smtp_port, { to: first.default_address, raw }), /^550 5\.7\.1/);
    const both = [first.default_address, second.default_address];
    assert.match(await deliver(smtp_port, { to: both, raw }), /^250/);
    assert.deepEqual(await ids(one, ''), []);
    assert.equal((await ids(two, '')).length, 1);
  });
});

describe('the quarantine', () => {
  const wait = (of: Client, query: string) =>
    ok<{ email: Email | null }>(of, 'GET', `/v1/emails/wait?timeout_seconds=1&${query}`);

  test('keeps an email from lists, search, conversations and waits until it is released', async () => {
    const own = organization();
    await rule(own, {
      channel: 'email',
      match: from('eve@example.com'),
      action: 'quarantine',
      labels: ['odd'],
    });
    const { id } = await received(own, {
      from: 'eve@example.com',
      subject: 'Walrus',
      text: 'Your code is 482913',
    });
    const found = async (q: string) => {
      await app.projector.drain();
      return (await ok<Page<{ id: string }>>(own, 'GET', `/v1/search?q=${encodeURIComponent(q)}`)).items
        .length;
    };
    const since = '2020-01-01T00:00:00Z';
    assert.deepEqual([await ids(own, ''), await ids(own, 'folder=quarantine')], [[], [id]]);
    assert.deepEqual([await found('walrus'), await found('walrus in:quarantine')], [0, 1]);
    assert.deepEqual(await ids(own, 'q=walrus&folder=quarantine&label=odd'), [id]);
    assert.deepEqual(await conversations(own), []);
    assert.equal((await wait(own, `since=${since}`)).email, null);
    assert.equal((await eventsOf(own, 'email.received')).length, 0);
    const [told] = await eventsOf(own, 'email.quarantined');
    assert.deepEqual([told!.id, told!.reason], [id, 'rule']);

    await later(60);
    const before = await ok<{ now: string }>(own, 'GET', '/v1/sandbox/clock');
    const released = await ok<Email>(own, 'POST', `/v1/emails/${id}/release`);
    assert.deepEqual(
      [released.folder, released.quarantine_reason, released.labels],
      ['inbox', null, ['odd']],
    );
    assert.deepEqual([await ids(own, ''), await ids(own, 'folder=quarantine')], [[id], []]);
    assert.deepEqual([await found('walrus'), await found('walrus in:quarantine')], [1, 0]);
    const [conversation] = await conversations(own);
    assert.deepEqual([conversation!.unread_count, conversation!.item_count], [1, 1]);
    // It was received when it was released.
    assert.equal((await wait(own, `since=${before.now}`)).email?.id, id);
    await ok(own, 'POST', `/v1/emails/${id}/release`);
    assert.equal((await eventsOf(own, 'email.received')).length, 1);
    const timeline = await ok<Page<{ kind: string }>>(own, 'GET', `/v1/emails/${id}/events`);
    assert.deepEqual(
      timeline.items.map(({ kind }) => kind),
      ['received', 'quarantined', 'released'],
    );
  });

  test('keeps an email from being forwarded until it is released', async () => {
    const own = organization();
    const mailbox = await createMailbox(own);
    await ok(own, 'PATCH', `/v1/email-domains/${mailbox.id}`, { forward_to: ['boss@example.com'] });
    await app.jobs.drain();
    await confirmInSandbox(client, 'boss@example.com');
    const { id } = await received(own, {
      from: 'eve@example.com',
      to: [mailbox.default_address],
      text: 'Hi',
      verdicts: { spam: 'FAIL' },
    });
    const forwarded = async () => {
      await app.jobs.drain();
      const timeline = await ok<Page<{ kind: string }>>(own, 'GET', `/v1/emails/${id}/events`);
      return timeline.items.filter(({ kind }) => kind === 'forwarded').length;
    };
    assert.equal(await forwarded(), 0);
    await ok(own, 'POST', `/v1/emails/${id}/release`);
    assert.equal(await forwarded(), 1);
  });

  test('takes an email out of its conversation, and release puts it back', async () => {
    const own = organization();
    await received(own, { from: 'ana@example.com', subject: 'One', text: 'First' });
    const { id } = await received(own, { from: 'ana@example.com', subject: 'Two', text: 'Second' });
    const shown = async () => {
      const [conversation] = await conversations(own);
      return [conversation!.item_count, conversation!.unread_count, conversation!.last_item!.preview];
    };
    assert.deepEqual(await shown(), [2, 2, 'Second']);
    const kept = await ok<Email>(own, 'POST', `/v1/emails/${id}/quarantine`);
    assert.deepEqual([kept.folder, kept.quarantine_reason], ['quarantine', 'manual']);
    assert.deepEqual(await shown(), [1, 1, 'First']);
    await ok(own, 'POST', `/v1/emails/${id}/release`);
    assert.deepEqual(await shown(), [2, 2, 'Second']);
    const sent = await sendEmail(own, ['ana@example.com']);
    const problem = await own.request<{ code: string }>('POST', `/v1/emails/${sent.id}/quarantine`);
    assert.equal(problem.body.code, 'email_not_received');
  });

  test('gets spam, viruses and forged senders, as the organization sets it', async () => {
    const own = organization();
    const reasonFor = async (verdicts: object) =>
      (await received(own, { from: 'eve@example.com', text: `${JSON.stringify(verdicts)}`, verdicts }))
        .quarantine_reason;
    const forged = { dmarc: 'FAIL', dmarc_policy: 'reject' };
    assert.equal(await reasonFor({ spam: 'FAIL' }), 'spam');
    assert.equal(await reasonFor({ virus: 'FAIL', spam: 'FAIL' }), 'virus');
    assert.equal(await reasonFor(forged), 'unauthenticated');
    assert.equal(await reasonFor({ dmarc: 'FAIL' }), null, 'the domain does not ask for it');
    await rule(own, { channel: 'email', match: from('eve@example.com'), action: 'allow' });
    assert.equal(await reasonFor({ spam: 'FAIL' }), null, 'the sender is allowed');
    assert.equal(await reasonFor(forged), 'unauthenticated', 'but not proven');
    const settings = await ok(own, 'PATCH', '/v1/receive-rules/settings', { unauthenticated: 'deliver' });
    assert.deepEqual(settings, { spam: 'quarantine', unauthenticated: 'deliver', virus: 'quarantine' });
    assert.equal(await reasonFor(forged), null);
    assert.deepEqual(await ok(own, 'GET', '/v1/receive-rules/settings'), settings);
  });

  test('releases a virus for owners and admins only', async () => {
    const own = organization();
    const { organization_id } = own;
    const { id } = await received(own, { from: 'eve@example.com', text: 'Hi', verdicts: { virus: 'FAIL' } });
    const member = organization({ organization_id, role: 'member' });
    const problem = await member.request<{ code: string }>('POST', `/v1/emails/${id}/release`);
    assert.deepEqual([problem.status, problem.body.code], [403, 'virus_release_refused']);
    assert.equal((await ok<Email>(own, 'POST', `/v1/emails/${id}/release`)).folder, 'inbox');
  });

  test('is emptied after 30 days', async () => {
    const own = organization();
    await rule(own, { channel: 'email', match: everyone, action: 'quarantine' });
    const { id } = await received(own, { from: 'eve@example.com', text: 'Hi' });
    await later(31 * 86_400);
    assert.equal((await own.request('GET', `/v1/emails/${id}`)).status, 404);
  });
});

describe('texts and calls', () => {
  test('a blocked text is stored with a label, and only the event sms.blocked reports it', async () => {
    const own = organization();
    const { from: ours } = await sendText(own, '+14155550123');
    const { id } = await rule(own, {
      channel: 'sms',
      match: { kind: 'number', value: '+1 415 555 0123' },
      action: 'block',
    });
    const text = { from: '+14155550123', to: ours, body: 'Walrus 482913' };
    const stored = await ok<{ id: string; labels: string[] }>(own, 'POST', '/v1/sandbox/inbound-sms', text);
    assert.deepEqual(stored.labels, ['blocked']);
    assert.equal((await eventsOf(own, 'sms.received')).length, 0);
    assert.deepEqual(await eventsOf(own, 'sms.blocked'), [
      { id: stored.id, from: text.from, to: ours, rule_id: id },
    ]);
    const [conversation] = await conversations(own);
    assert.deepEqual([conversation!.item_count, conversation!.unread_count], [1, 0]);
    const wait = await ok<{ sms: unknown }>(
      own,
      'GET',
      '/v1/sms/wait?timeout_seconds=1&since=2020-01-01T00:00:00Z',
    );
    assert.equal(wait.sms, null);
    await ok(own, 'POST', '/v1/sandbox/inbound-sms', { ...text, body: 'STOP' });
    const stopped = await own.request('POST', '/v1/sms', {
      to: text.from,
      body: 'Hi',
      recipient_consent: true,
    });
    assert.equal(stopped.status, 422, 'STOP is obeyed');
  });

  test('rules by country and with labels apply to texts', async () => {
    const own = organization();
    const { from: ours } = await sendText(own, '+14155550123');
    await rule(own, {
      channel: 'sms',
      match: { kind: 'country', value: 'us' },
      action: 'allow',
      labels: ['us'],
    });
    const text = { from: '+14155550123', to: ours, body: 'Hi' };
    const stored = await ok<{ labels: string[] }>(own, 'POST', '/v1/sandbox/inbound-sms', text);
    assert.deepEqual(stored.labels, ['us']);
    assert.equal((await eventsOf(own, 'sms.received')).length, 1);
  });

  test('a blocked call is declined', async () => {
    const own = organization();
    const agent = await ok<{ id: string }>(own, 'POST', '/v1/agents', { name: 'Desk' });
    const number = await ok<{ id: string; e164: string }>(own, 'POST', '/v1/numbers', { country_code: 'US' });
    await ok(own, 'PATCH', `/v1/numbers/${number.id}`, { voice_agent_id: agent.id });
    const blocking = await rule(own, { channel: 'call', match: everyone, action: 'block' });
    const call = await own.request('POST', '/v1/sandbox/inbound-calls', {
      from: '+15005550299',
      to: number.e164,
      script: [{ do: 'hang_up' }],
    });
    assert.ok(call.status < 500, call.text);
    assert.deepEqual((await ok<Page<unknown>>(own, 'GET', '/v1/calls')).items, []);
    assert.equal((await ok<ReceiveRule>(own, 'GET', `/v1/receive-rules/${blocking.id}`)).hits, 1);
  });
});

test('the shared key of an installation has the defaults for new organizations', async () => {
  assert.deepEqual(await ok(client, 'GET', '/v1/receive-rules/settings'), {
    spam: 'quarantine',
    unauthenticated: 'quarantine',
    virus: 'quarantine',
  });
});
