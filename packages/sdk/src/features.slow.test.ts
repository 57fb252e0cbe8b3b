// The client library with every feature of a real server: the server accepts its requests, and the responses match the
// types.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestApp } from '../../server/testing/app.ts';
import { codedSpeech, people } from '../../server/testing/calls.ts';
import { asPerson, managedOrganization } from '../../server/testing/managed.ts';
import { startReceiver } from '../../server/testing/receiver.ts';
import { operations } from './api.ts';
import { createParley } from './index.ts';

const service = await startTestApp(
  { PARLEY_MANAGED: 'on', PARLEY_FUNDS: 'on', PARLEY_SANDBOX: 'on', WEBHOOK_PRIVATE_TARGETS: 'allow' },
  { speech: () => codedSpeech() },
);
const requests: { method: string; path: string }[] = [];
const parleyOf = (api_key: string) =>
  createParley({
    base_url: service.url,
    api_key,
    fetch: (input, init) => {
      requests.push({ method: init?.method ?? 'GET', path: new URL(String(input)).pathname });
      return fetch(input, init);
    },
  });
const operator = parleyOf(service.client.key);
const managed = await managedOrganization(service);
const parley = parleyOf(managed.client.key);
/** Signed in, for what only people do. */
const person = parleyOf(asPerson(service, managed.owner).key);
const organization_id = managed.organization.id;
const all = async <T>(list: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const each of list) found.push(each);
  return found;
};
const ids = async (list: AsyncIterable<{ id: string }>) => (await all(list)).map(({ id }) => id);

test('identity, keys, members and invitations', async () => {
  assert.equal((await parley.identity.whoami()).organization_id, organization_id);
  const made = await parley.apiKeys.create({ name: 'Of the SDK', scopes: ['identity:read'] });
  assert.equal((await parleyOf(made.key).identity.whoami()).auth_kind, 'apikey');
  assert.ok((await ids(parley.apiKeys.list())).includes(made.id));
  await parley.apiKeys.revoke(made.id);
  assert.deepEqual((await parley.oauthGrants.list()).items, []);
  assert.equal((await parley.members.list()).items[0]!.role, 'owner');
  const invitation = await person.invitations.create({ email: 'bo@example.com', role: 'member' });
  assert.deepEqual(await ids(parley.invitations.list()), [invitation.id]);
  await parley.invitations.withdraw(invitation.id);
});

test('organizations, funds, prices, pool, kill switch and audit log of an operator', async () => {
  const made = await operator.organizations.create({ name: 'Another' });
  assert.equal((await operator.organizations.get(made.id)).name, 'Another');
  await operator.organizations.update(made.id, { velocity_caps: { sms: 5 } });
  await operator.funds.updatePrices({ sms_segment: 100 });
  await operator.funds.credit(organization_id, { amount_micros: 1_000_000_000, reference: 'sdk' });
  assert.equal((await parley.funds.balance()).balance_micros, 1_000_000_000);
  assert.equal((await parley.funds.ledger()).items.length, 1);
  const pooled = await operator.poolNumbers.create({ e164: '+15005550777', provider: 'sandbox' });
  assert.ok((await ids(operator.poolNumbers.list())).includes(pooled.id));
  await operator.killSwitch.update({ sms: true });
  assert.equal((await operator.killSwitch.get()).sms, true);
  assert.equal((await parley.channels.get()).sms, 'stopped');
  await operator.killSwitch.update({ sms: false });
  assert.deepEqual((await operator.setAsideWork.list()).items, []);
  assert.match((await operator.signInLinks.create()).url, /^http/);
  assert.ok((await operator.auditLog.list()).items.length > 0);
});

test('contacts and agents', async () => {
  const contact = await parley.contacts.create({ name: 'Ana', email: 'ana@example.com' });
  assert.deepEqual(await ids(parley.contacts.list({ q: 'ana@' })), [contact.id]);
  const agent = await parley.agents.create({ name: 'Clerk', system_prompt: 'Be brief.' });
  assert.equal((await parley.agents.update(agent.id, { language: 'en' })).name, 'Clerk');
  assert.deepEqual(await ids(parley.agents.list()), [agent.id]);
});

test('emails in both directions with a file, domains and suppressions', async () => {
  const form = new FormData();
  form.set('file', new Blob(['hello'], { type: 'text/plain' }), 'note.txt');
  const file = await parley.emailAttachments.upload(form as never);
  const since = new Date(Date.now() - 1000).toISOString();
  const sent = await parley.emails.create({
    to: ['delivered@sandbox.test'],
    subject: 'Hello',
    body_text: 'Hi',
    attachment_ids: [file.id],
    recipient_consent: true,
  });
  assert.equal(sent.status, 'sent');
  assert.deepEqual(
    (await all(parley.emails.events(sent.id))).map(({ kind }) => kind),
    ['sent', 'delivered'],
  );
  assert.equal((await parley.emails.stats()).totals.sent, 1);
  assert.ok((await parley.sandboxOutbox.list()).items.length > 0);
  await parley.sandboxEmails.receive({
    from: 'ana@example.com',
    subject: 'Re: Hello',
    body_text: 'Your code is 482913',
  });
  const { email, code } = await parley.emails.wait({ since, timeout_seconds: 20 });
  assert.deepEqual([email!.from_address, code], ['ana@example.com', '482913']);
  const reply = await parley.emails.reply(email!.id, { body_text: 'Thanks', recipient_consent: true });
  assert.equal(reply.conversation_id, email!.conversation_id);
  await service.app.projector.drain();
  const conversation = await parley.conversations.get(email!.conversation_id);
  assert.ok((await ids(parley.conversations.list())).includes(conversation.id));
  assert.ok((await ids(parley.conversations.items(conversation.id))).includes(reply.id));
  const closed = await parley.conversations.update(conversation.id, { status: 'closed' });
  assert.deepEqual([closed.status, closed.item_count], ['closed', 2]);
  const results = await parley.search.query({ q: 'thanks' });
  assert.deepEqual(
    results.items.map(({ id }) => id),
    [reply.id],
  );
  const token = await parley.conversationTokens.create(email!.conversation_id, { may: ['read'] });
  assert.equal((await parley.conversationTokens.list(email!.conversation_id)).items[0]!.id, token.id);
  const domain = await parley.emailDomains.create({ kind: 'custom', domain: 'sdk.example.com' });
  assert.ok((await ids(parley.emailDomains.list())).includes(domain.id));
  const refused = await parley.emailSuppressions.create({ recipient: 'no@example.com' });
  assert.deepEqual(await ids(parley.emailSuppressions.list()), [refused.id]);
});

test('emails that wait, forwards and batches', async () => {
  const email = { to: ['later@example.com'], subject: 'Later', recipient_consent: true as const };
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const waiting = await parley.emails.create({ ...email, scheduled_at: inHours(1) });
  assert.deepEqual([waiting.status, waiting.hold?.kind], ['queued', 'schedule']);
  const moved = await parley.emails.update(waiting.id, { scheduled_at: inHours(2) });
  assert.equal(moved.hold?.until, moved.scheduled_at);
  assert.equal((await parley.emails.cancel(waiting.id)).status, 'canceled');
  const forward = { to: ['other@example.com'], recipient_consent: true as const };
  assert.equal((await parley.emails.forward(waiting.id, forward)).subject, 'Fwd: Later');
  const batch = await parley.emailBatches.create({ emails: [email, { ...email, scheduled_at: inHours(1) }] });
  assert.deepEqual([batch.accepted, (await parley.emailBatches.get(batch.id)).items.length], [2, 2]);
});

async function registerInFrance(): Promise<void> {
  const place = { country_code: 'FR', number_type: 'local' } as const;
  const asked = await parley.verifications.requirements(place);
  assert.ok(asked.requirements.some(({ input }) => input === 'document'));
  const { id } = await parley.verifications.create({ ...place, subject_name: 'Example', submit: false });
  const form = new FormData();
  form.append('file', new Blob(['%PDF-1.4']), 'bill.pdf');
  form.append('requirement', 'proof_of_address');
  form.append('document_type', 'utility_bill');
  const document = await parley.verifications.uploadDocument(id, form as never);
  await parley.verifications.deleteDocument(id, document.id);
  const answered = await parley.verifications.update(id, { answers: { birth_date: '1980-12-31' } });
  assert.equal(answered.requirements.filter(({ status }) => status === 'missing').length, 2);
  await assert.rejects(parley.verifications.submit(id), { code: 'verification_incomplete' });
  assert.equal((await parley.verifications.get(id)).waiting_for, 'you');
  assert.equal((await parley.verifications.cancel(id)).state, 'canceled');
  assert.deepEqual(await ids(parley.verifications.list()), [id]);
  const events = (await parley.verifications.listEvents(id)).items;
  assert.equal(events[0]?.kind, 'canceled');
}

test('numbers, verifications and texts in both directions', async () => {
  const { offers } = await parley.numbers.quote({ country_code: 'US' });
  const number = await parley.numbers.create({ country_code: 'US', quote_id: offers[0]!.quote_id });
  assert.equal((await parley.numbers.get(number.id)).provisioning_state, 'active');
  await registerInFrance();
  const since = new Date(Date.now() - 1000).toISOString();
  const sent = await parley.sms.create({ to: '+15005550001', body: 'Hello', recipient_consent: true });
  assert.equal(sent.from, number.e164);
  const received = await parley.sandboxSms.receive({
    from: '+14155550123',
    to: number.e164,
    body: 'Your code is 1234',
  });
  const { token } = await parley.conversationTokens.create(received.conversation_id, { may: ['read'] });
  assert.deepEqual(await ids(parleyOf(token).sms.list()), [received.id]);
  assert.equal((await parley.sms.wait({ since, timeout_seconds: 20 })).code, '1234');
  assert.equal((await parley.sms.list()).items.length, 2);
  assert.equal((await parley.sms.stats({ days: 1 })).by_status.received, 1);
});

test('calls, waited for until they are over, and inbound calls', async () => {
  const placed = await parley.calls.create({
    to: people.converses,
    system_prompt: 'Book an appointment for Tuesday.',
    recipient_consent: true,
  });
  const call = await parley.calls.wait(placed.id, { wait_ms: 120_000 });
  assert.equal(call.status, 'completed');
  assert.ok((await parley.calls.transcript(call.id)).turns.length > 1);
  assert.ok((await parley.calls.list()).items.some(({ id }) => id === call.id));
  assert.ok(Array.isArray((await parley.sandboxPhone.list()).items));
});

test('webhooks, events and their stream, providers and the sandbox', async () => {
  const receiver = await startReceiver();
  const stopping = new AbortController();
  after(() => stopping.abort());
  const hook = await parley.webhooks.create({
    target_url: `${receiver.url}/sdk`,
    event_types: ['call.completed'],
  });
  const stream = parley.events.stream({ signal: stopping.signal })[Symbol.asyncIterator]();
  const next = stream.next();
  const deadline = performance.now() + 30_000;
  const made = new Set<string>();
  // The stream starts when the server has opened it; earlier events are not sent.
  let first: Awaited<typeof next> | null = null;
  void next.then((value) => {
    first = value;
  });
  // In managed mode only a superadmin can create events, in the organization of their key.
  const { user_id } = managed.owner;
  await operator.organizations.updateUser(user_id, { superadmin: true });
  const { key } = await operator.organizations.createApiKey(organization_id, {
    user_id,
    name: 'Makes events',
    scopes: ['sandbox:write', 'admin'],
  });
  const { sandbox } = parleyOf(key);
  while (first === null && performance.now() < deadline)
    for (const { id } of (await sandbox.createEvents({ type: 'call.completed' })).items) made.add(id);
  let streamed = await next; // The call before may have events too.
  while (!made.has(streamed.value!.id)) streamed = await stream.next();
  const request = (await receiver.arrived('/sdk'))[0]!;
  const event = await parley.webhooks.verify(request.body, request.headers as never, hook.secret);
  assert.equal(event.type, 'call.completed');
  assert.ok((await parley.webhooks.listDeliveries(hook.id)).items.length > 0);
  const certification = await parley.webhooks.certify(hook.id);
  assert.equal((await parley.webhooks.getCertification(hook.id, certification.id)).id, certification.id);
  assert.equal((await parley.webhooks.listCertifications(hook.id)).items.length, 1);
  assert.ok((await parley.events.list({ type: 'call.completed' })).items.length > 0);
  assert.ok(Array.isArray((await parley.providers.list()).items));
  assert.ok((await parley.sandbox.getClock()).now);
  assert.ok((await parley.goLive.get()).items.length > 0);
});

test('explain and the request log', async () => {
  const body = { to: '+15005550001', body: 'Explained', recipient_consent: true as const };
  const text = await parley.sms.create(body);
  const explained = await parley.explain.object(text.id);
  assert.equal(explained.object.noun, 'sms');
  assert.deepEqual((await parley.explain.sms(text.id)).object.id, text.id);
  const { items } = await parley.requests.list({ object_id: text.id });
  const created = items.find(({ operation }) => operation === 'sms.create');
  assert.equal((await parley.requests.get(created!.request_id)).object_id, text.id);
});

test('approvals: on_hold returns, throws or waits for the decision of a person', async () => {
  const person = parleyOf(service.organization({ organization_id, credential_kind: 'session' }).key);
  const rule = {
    name: 'All',
    when: ['always' as const],
    channels: ['emails' as const],
    then: 'hold' as const,
  };
  assert.equal((await person.approvalPolicy.dryRun({ rules: [rule] })).refused, 0);
  await person.approvalPolicy.set({ rules: [rule] });
  await person.trustedRecipients.set({ recipients: ['example.com'] });
  assert.deepEqual((await parley.trustedRecipients.get()).recipients, ['example.com']);
  const email = {
    recipient_consent: true as const,
    to: ['held@example.org'],
    subject: 'Held',
    body_text: 'Hi',
  };
  const batch = await parley.emailBatches.create({ emails: [email] });
  assert.equal((await parley.approvals.get(batch.id)).messages.length, 1);
  const held = await parley.emails.create(email);
  assert.equal(held.hold?.kind, 'approval');
  await assert.rejects(parley.emails.create(email, { on_hold: 'throw' }), { name: 'HeldError' });
  const waiting = parley.emails.create(email, { on_hold: 'wait' });
  const decide = async () => {
    for await (const { id, payload_sha256, object } of person.approvals.list({ status: 'pending' })) {
      if (object.id !== held.id) await person.approvals.approve(id, { payload_sha256 });
    }
  };
  let is_over = false;
  void waiting.finally(() => (is_over = true));
  while (!is_over) await decide();
  assert.equal((await waiting).status, 'sent');
  const rejected = await person.approvals.reject(held.hold!.approval_id!, { note: 'No' });
  assert.equal(rejected.status, 'rejected');
  await person.approvalPolicy.set({ rules: [] });
  assert.deepEqual((await parley.budgets.list()).items, []);
  assert.ok(Array.isArray((await parley.receipts.list()).items));
  const dry = await person.erasures.create({ parties: ['+14155550177'], dry_run: true });
  assert.deepEqual([dry.dry_run, dry.counts], [true, {}]);
  const erased = await person.erasures.create({ parties: ['+14155550177'] });
  assert.equal((await person.erasures.get(erased.id)).id, erased.id);
  assert.equal((await person.erasures.list()).items[0]!.id, erased.id);
  assert.equal((await person.retention.update({ requests: 3 })).effective.requests, 3);
  assert.equal((await parley.retention.get()).requests, 3);
  assert.equal((await parley.storage.get()).max_bytes, null);
  const { party_hashes } = erased;
  assert.deepEqual(await person.erasures.replay({ erasures: [{ party_hashes }] }), { items: [] });
});

test('on_hold waits for the decision about a reply in a conversation', async () => {
  const person = parleyOf(service.organization({ organization_id, credential_kind: 'session' }).key);
  const rule = { name: 'All', when: ['always' as const], then: 'hold' as const };
  await person.approvalPolicy.set({ rules: [{ ...rule, channels: ['emails', 'sms'] }] });
  const to = (await parley.numbers.list()).items[0]!.e164;
  const text = await parley.sandboxSms.receive({ from: '+14155550166', to, body: 'When?' });
  const since = new Date(Date.now() - 1000).toISOString();
  await parley.sandboxEmails.receive({ from: 'when@example.com', subject: 'When?', body_text: 'When?' });
  const { email } = await parley.emails.wait({ since, timeout_seconds: 20 });
  await service.app.projector.drain();
  for (const [noun, id] of [
    ['sms', text.conversation_id],
    ['email', email!.conversation_id],
  ] as const) {
    const body = { body_text: 'On Friday', recipient_consent: true as const };
    const waiting = parley.conversations.reply(id, body, { on_hold: 'wait' });
    let is_over = false;
    void waiting.catch(() => {}).finally(() => (is_over = true));
    while (!is_over) {
      for await (const { id, payload_sha256 } of person.approvals.list({ status: 'pending' }))
        await person.approvals.approve(id, { payload_sha256 });
    }
    const { id: _, status, ...decided } = await waiting;
    assert.deepEqual(decided, { noun, hold: null });
    assert.match(status, /^(sent|delivered)$/);
  }
  await person.approvalPolicy.set({ rules: [] });
});

test('rules for sending are read, and a consent is recorded and checked', async () => {
  assert.equal((await parley.contactRules.get()).consent, 'warrant');
  assert.equal((await parley.quietHours.get()).calls, null);
  const recipient = '+14155550188';
  const consent = await parley.consents.create({
    recipient,
    channels: ['sms'],
    purposes: ['conversational'],
    basis: 'express',
    source: { kind: 'api', captured_at: new Date().toISOString() },
  });
  const checked = await parley.consents.check({ recipient, channel: 'sms', purpose: 'conversational' });
  assert.deepEqual([checked.allowed, checked.consent_id], [true, consent.id]);
});

test('a wait is created, listed, waited for and canceled', async () => {
  const wait = await parley.waits.create({ any_of: [{ kind: 'code', from: 'codes@example.org' }] });
  assert.deepEqual((await parley.waits.list({ status: 'pending' })).items, [wait]);
  const waiting = parley.waits.until(wait.id);
  await parley.sandboxEmails.receive({ from: 'codes@example.org', text: 'Your code is 482913' });
  const { matched } = await waiting;
  if (matched?.object.noun !== 'email') assert.fail('resolved by an email');
  assert.deepEqual([matched.code, matched.object.record?.from_address], ['482913', 'codes@example.org']);
  const other = await parley.waits.create({ any_of: [{ kind: 'sms' }] });
  assert.equal((await parley.waits.cancel(other.id)).status, 'canceled');
});

test('a receive rule keeps an email apart, and it is released', async () => {
  const match = { kind: 'address', value: 'eve@example.org' } as const;
  const rule = await parley.receiveRules.create({ channel: 'email', match, action: 'quarantine' });
  const { id, folder } = await parley.sandboxEmails.receive({ from: 'eve@example.org', text: 'Hi' });
  assert.equal(folder, 'quarantine');
  assert.deepEqual(await ids(parley.emails.list({ folder: 'quarantine' })), [id]);
  assert.equal((await parley.emails.release(id)).folder, 'inbox');
  await person.receiveRules.delete(rule.id);
});

test('tools of agents', async () => {
  const parameters = { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] };
  const tool = await parley.tools.create({
    name: 'check_slots',
    description: 'Free slots on a day.',
    parameters,
    url: 'http://127.0.0.1:9/slots',
  });
  assert.match(tool.secret!, /^whsec_/);
  assert.deepEqual(await ids(parley.tools.list()), [tool.id]);
  const server = await parley.mcpServers.create({ name: 'crm', url: 'http://127.0.0.1:9/mcp' });
  assert.deepEqual(await ids(parley.mcpServers.list()), [server.id]);
  const tools = [
    { type: 'tool', tool_id: tool.id },
    { type: 'mcp', server_id: server.id },
  ] as const;
  const agent = await parley.agents.create({ name: 'Clerk with tools', tools: [...tools] });
  assert.deepEqual(
    agent.tools.map(({ type }) => type),
    ['tool', 'mcp'],
  );
  assert.ok((await parley.toolCalls.list()).items.every(({ status }) => status === 'done'));
  await parley.agents.delete(agent.id);
});

test('every operation was called', () => {
  const used = new Set<string>();
  for (const [id, { method, path }] of Object.entries(operations)) {
    const form = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    if (requests.some((each) => each.method === method && form.test(each.path))) used.add(id.split('.')[0]!);
  }
  const nouns = new Set(Object.keys(operations).map((id) => id.split('.')[0]!));
  assert.deepEqual(
    [...nouns].filter((noun) => !used.has(noun)),
    [],
  );
});
