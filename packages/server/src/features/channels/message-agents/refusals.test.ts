// A person tells an agent in a text or an email that they want no more contact: the ledger of consents proves it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Consent } from '@parley/contract/rules/people/consents';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { ok } from '../../../../testing/conversations.ts';
import {
  ana,
  emailDesk,
  eventsOf,
  receiveEmail,
  receiveText,
  sentEmails,
  sentTexts,
  textDesk,
} from '../../../../testing/message-desks.ts';
import { type ModelAnswer, messageModel } from '../../../../testing/message-model.ts';

const { organization, later } = await startTestApp({ WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8' });
const script: { answer: ModelAnswer } = { answer: '' };
const model = await messageModel(() => script.answer);

const consent = (of: Client, recipient: string, channels: string[]) =>
  ok<Consent>(of, 'POST', '/v1/consents', {
    recipient,
    channels,
    purposes: ['conversational'],
    basis: 'express',
    source: { kind: 'web_form' },
  });
const codeOf = async (of: Client, path: string, body: object) =>
  (await of.request<{ code?: string }>('POST', path, { recipient_consent: true, ...body })).body.code;
const callCode = (of: Client) => codeOf(of, '/v1/calls', { to: ana.phone });
const textCode = (of: Client) => codeOf(of, '/v1/sms', { to: ana.phone, body: 'Hi' });
const emailCode = (of: Client) =>
  codeOf(of, '/v1/emails', { to: [ana.email], subject: 'Hi', body_text: 'Hi' });
const suppressed = 'recipient_suppressed';

test('do_not_contact in a text revokes consents as far as stop_scope says, with the words as proof', async () => {
  const at = await textDesk(model, organization());
  const { id } = await consent(at.of, ana.phone, ['sms', 'call']);
  script.answer = { call: 'do_not_contact', arguments: { quote: 'I have had it with you!' } };
  const text = await receiveText(at, 'This is the last time: I have had it with you, goodbye');
  await later(4);
  const revoked_by = {
    kind: 'agent',
    item_id: text.id,
    conversation_id: text.conversation_id,
    quote: 'I have had it with you!',
  };
  const revoked = await ok<Consent>(at.of, 'GET', `/v1/consents/${id}`);
  assert.deepEqual([revoked.status, revoked.revoked_by], ['revoked', revoked_by]);
  const [event, ...more] = await eventsOf(at, 'consent.revoked');
  assert.deepEqual(
    [event?.recipient, event?.channels, event?.revoked_by],
    [ana.phone, ['sms', 'call'], revoked_by],
  );
  assert.deepEqual(more, []);
  assert.deepEqual([await textCode(at.of), await callCode(at.of)], [suppressed, suppressed]);
  assert.deepEqual(await sentTexts(at), []);
});

test('with the scope channel only texts stop, and words that were not said are replaced by what was', async () => {
  const at = await textDesk(model, organization());
  const { organization_id } = at.of;
  const owner = organization({ organization_id, credential_kind: 'session' });
  await ok(owner, 'PUT', '/v1/contact-rules', { stop_scope: 'channel' });
  script.answer = { call: 'do_not_contact', arguments: { quote: 'I love your texts' } };
  await receiveText(at, 'Your texts bore me');
  await later(4);
  const [event] = await eventsOf<{ channels: string[]; revoked_by: { quote: string } }>(
    at,
    'consent.revoked',
  );
  assert.deepEqual([event?.channels, event?.revoked_by.quote], [['sms'], 'Your texts bore me']);
  assert.deepEqual([await textCode(at.of), await callCode(at.of)], [suppressed, undefined]);
});

test('do_not_contact in an email with the scope all also stops texts and calls to the contact', async () => {
  const at = await emailDesk(model, organization());
  await ok(at.of, 'POST', '/v1/contacts', { name: 'Ana', phone_e164: ana.phone, email: ana.email });
  script.answer = { call: 'do_not_contact', arguments: { scope: 'all', quote: 'anywhere' } };
  const email = await receiveEmail(at, 'I do not want to hear from you anywhere, so delete my number.');
  await later(31);
  const revoked = await eventsOf<{ recipient: string; revoked_by: object }>(at, 'consent.revoked');
  assert.deepEqual(revoked.map(({ recipient }) => recipient).sort(), [ana.phone, ana.email]);
  for (const { revoked_by } of revoked)
    assert.deepEqual(revoked_by, {
      kind: 'agent',
      item_id: email.id,
      conversation_id: email.conversation_id,
      quote: 'anywhere',
    });
  const codes = [await emailCode(at.of), await textCode(at.of), await callCode(at.of)];
  assert.deepEqual(codes, [suppressed, suppressed, suppressed]);
  assert.equal((await sentEmails(at)).filter(({ status }) => status === 'sent').length, 0);
});

test('an email whose sender may be forged revokes nothing: a person decides', async () => {
  const at = await emailDesk(model, organization());
  script.answer = { call: 'do_not_contact', arguments: {} };
  const email = await receiveEmail(at, 'I want out of this arrangement.', { verdicts: { dmarc: 'FAIL' } });
  await later(31);
  const [suspicion] = await eventsOf(at, 'consent.revocation_suspected');
  assert.equal(suspicion?.item_id, email.id);
  assert.deepEqual([await eventsOf(at, 'consent.revoked'), await emailCode(at.of)], [[], undefined]);
});
