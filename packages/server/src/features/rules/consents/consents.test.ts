// Consents over HTTP: the ledger, the mode in which a recorded consent is needed, and revocation over every channel.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Call } from '@parley/contract/channels/calls/call-records';
import type { PhoneNumber } from '@parley/contract/channels/numbers/numbers';
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { Consent, ConsentCheck } from '@parley/contract/rules/people/consents';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { waitFor } from '../../../../testing/wait-for.ts';

const service = await startTestApp();
const { app, later } = service;
const person = '+14155552671';
const address = 'ana@example.org';

const personOf = ({ organization_id }: Client) =>
  service.organization({ organization_id, credential_kind: 'session' });
/** A key of a new organization with these contact rules. */
async function organization(rules: Record<string, string> = {}): Promise<Client> {
  const organization_id = randomUUID();
  const owner = service.organization({ organization_id, credential_kind: 'session' });
  const set = await owner.request('PUT', '/v1/contact-rules', rules);
  assert.equal(set.status, 200, set.text);
  return service.organization({ organization_id });
}
const record = (of: Client, more: Record<string, unknown> = {}) =>
  of.request<Consent & { code: string }>('POST', '/v1/consents', {
    recipient: person,
    channels: ['sms', 'call'],
    purposes: ['conversational'],
    basis: 'express',
    source: { kind: 'web_form', text_shown: 'I agree to texts and calls.' },
    ...more,
  });
const text = (of: Client, more: Record<string, unknown> = {}) =>
  of.request<Sms & { code: string; fix: string }>('POST', '/v1/sms', {
    to: person,
    body: 'Hello',
    recipient_consent: true,
    ...more,
  });
const call = (of: Client, more: Record<string, unknown> = {}) =>
  of.request<Call & { code: string }>('POST', '/v1/calls', { to: person, recipient_consent: true, ...more });
const email = (of: Client, more: Record<string, unknown> = {}) =>
  of.request<{ code: string; id: string; message_id: string }>('POST', '/v1/emails', {
    to: [address],
    subject: 'Hello',
    body_text: 'Hi',
    recipient_consent: true,
    ...more,
  });
const check = async (of: Client, recipient: string, channel: string, purpose = 'conversational') => {
  const query = new URLSearchParams({ recipient, channel, purpose });
  const { body } = await of.request<ConsentCheck>('GET', `/v1/consents/check?${query}`);
  return [body.allowed, body.reason];
};
const buy = async (of: Client) =>
  (await of.request<PhoneNumber>('POST', '/v1/numbers', { country_code: 'US' })).body.e164;
const receive = async (of: Client, to: string, body: string) => {
  const received = await of.request('POST', '/v1/sandbox/inbound-sms', { from: person, to, body });
  assert.equal(received.status, 201, received.text);
};
const events = async (of: Client, type: string) => {
  const { body } = await of.request<{ items: { data: Record<string, unknown> }[] }>(
    'GET',
    `/v1/events?type=${type}`,
  );
  return body.items.map(({ data }) => data);
};

describe('the ledger', () => {
  test('keeps what was recorded, and says until when it is active', async () => {
    const own = await organization();
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const made = await record(own, { recipient: '+1 (415) 555-2671', expires_at });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(
      [made.body.recipient, made.body.status, made.body.expires_at],
      [person, 'active', expires_at],
    );
    assert.deepEqual((await own.request('GET', `/v1/consents/${made.body.id}`)).body, made.body);
    const listed = await own.request<{ items: Consent[] }>('GET', '/v1/consents?recipient=%2B14155552671');
    assert.deepEqual(listed.body.items, [made.body]);
    assert.equal((await events(own, 'consent.recorded')).length, 1);
    await later(3601);
    assert.equal((await own.request('GET', `/v1/consents/${made.body.id}`)).body.status, 'expired');
  });

  test('a revoked entry stays, with who revoked it', async () => {
    const own = await organization();
    const { body: made } = await record(own);
    const path = `/v1/consents/${made.id}/revoke`;
    const revoked = await own.request<Consent>('POST', path, { reason: 'Asked on the phone' });
    assert.equal(revoked.status, 200, revoked.text);
    assert.deepEqual(
      [revoked.body.status, revoked.body.revoked_channels, revoked.body.revoked_by],
      ['revoked', ['call', 'sms'], { kind: 'api', item_id: null, conversation_id: null, quote: null }],
    );
    assert.deepEqual((await own.request('POST', path, {})).body, revoked.body);
    assert.equal((await events(own, 'consent.revoked')).length, 1);
  });

  test('keeps the file that proves it, and gives it to nobody else', async () => {
    const own = await organization();
    const form = new FormData();
    form.append('file', new Blob(['Signed: Ana'], { type: 'text/plain' }), 'signed.txt');
    const uploaded = await fetch(`${service.url}/v1/email-attachments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${own.key}` },
      body: form,
    });
    const { attachments } = (await uploaded.json()) as { attachments: [{ id: string }] };
    const { body: made } = await record(own, { proof_attachment_id: attachments[0].id });
    const link = await own.request('GET', `/v1/consents/${made.id}/proof`);
    assert.equal(link.status, 302, link.text);
    const file = await fetch(link.headers.get('location')!);
    assert.match(file.headers.get('content-disposition')!, /signed\.txt/);
    assert.equal(await file.text(), 'Signed: Ana');
    const { body: bare } = await record(own);
    assert.equal((await own.request('GET', `/v1/consents/${bare.id}/proof`)).status, 404);
    const other = await organization();
    assert.equal((await other.request('GET', `/v1/consents/${made.id}/proof`)).status, 404);
  });

  test('refuses channels that do not fit the recipient, and a proof that does not exist', async () => {
    const own = await organization();
    assert.equal((await record(own, { channels: ['email'] })).status, 422);
    assert.equal((await record(own, { recipient: 'nobody' })).status, 422);
    const missing = await record(own, { proof_attachment_id: randomUUID() });
    assert.deepEqual([missing.status, missing.body.code], [422, 'attachment_not_found']);
  });
});

describe('with recorded consents', () => {
  test('recipient_consent alone is not enough: the consent must fit the channel and the purpose', async () => {
    const own = await organization({ consent: 'recorded' });
    const refused = await text(own);
    assert.deepEqual([refused.status, refused.body.code], [422, 'consent_not_recorded']);
    assert.match(refused.body.fix, /POST \/v1\/consents/);
    assert.equal((await call(own)).body.code, 'consent_not_recorded');
    assert.equal((await email(own)).body.code, 'consent_not_recorded');
    await record(own, { channels: ['sms'] });
    await record(own, { recipient: address.toUpperCase(), channels: ['email'] });
    assert.equal((await text(own)).status, 201);
    assert.equal((await text(own, { purpose: 'marketing' })).body.code, 'consent_not_recorded');
    assert.equal((await call(own)).body.code, 'consent_not_recorded');
    assert.equal((await email(own)).status, 201);
    assert.deepEqual(await check(own, person, 'sms'), [true, 'consent']);
    assert.deepEqual(await check(own, person, 'call'), [false, 'not_recorded']);
  });

  test('a consent that is revoked while a text waits is missing at the hand-over', async () => {
    const own = await organization({ consent: 'recorded' });
    const { body: consent } = await record(own);
    const scheduled_at = new Date(Date.now() + 60_000 + (await ahead())).toISOString();
    const waiting = await text(own, { scheduled_at });
    assert.equal(waiting.status, 201, waiting.text);
    await own.request('POST', `/v1/consents/${consent.id}/revoke`, {});
    await later(120);
    const sent = (await own.request<Sms>('GET', `/v1/sms/${waiting.body.id}`)).body;
    assert.deepEqual([sent.status, sent.error_code], ['failed', 'not_allowed']);
  });

  test('an inbound text allows to answer on that channel for 180 days', async () => {
    const own = await organization({ consent: 'recorded' });
    await receive(own, await buy(own), 'Do you have a table?');
    assert.equal((await text(own)).status, 201);
    assert.equal((await text(own, { purpose: 'marketing' })).body.code, 'consent_not_recorded');
    assert.equal((await call(own)).body.code, 'consent_not_recorded');
    const listed = await own.request<{ items: Consent[] }>('GET', '/v1/consents');
    assert.deepEqual(
      listed.body.items.map(({ basis, channels, recorded_by }) => [basis, channels, recorded_by]),
      [['inbound_message', ['sms'], null]],
    );
    await later(180 * 86_400);
    assert.equal((await text(own)).body.code, 'consent_not_recorded');
  });
});

/** How far the clock of the service is ahead of this process. */
async function ahead(): Promise<number> {
  const { body } = await text(service.organization(), { to: '+15005550001' });
  return Date.parse(body.requested_at) - Date.now();
}

describe('STOP', () => {
  test('by default stops calls as well, and START undoes it', async () => {
    const own = await organization();
    const number = await buy(own);
    const { body: consent } = await record(own);
    await receive(own, number, 'STOP');
    assert.equal((await text(own)).body.code, 'recipient_suppressed');
    assert.equal((await call(own)).body.code, 'recipient_suppressed');
    assert.deepEqual(await check(own, person, 'call'), [false, 'suppressed']);
    const revoked = (await own.request<Consent>('GET', `/v1/consents/${consent.id}`)).body;
    assert.deepEqual([revoked.status, revoked.revoked_by?.kind], ['revoked', 'keyword']);
    const [event] = await events(own, 'consent.revoked');
    assert.deepEqual([event?.recipient, event?.channels], [person, ['sms', 'call']]);
    await receive(own, number, 'START');
    assert.equal((await call(own)).status, 201);
    assert.equal((await text(own)).status, 201);
  });

  test('with the scope channel stops texts only; with all also emails to the contact', async () => {
    const [one, all] = [
      await organization({ stop_scope: 'channel' }),
      await organization({ stop_scope: 'all' }),
    ];
    for (const own of [one, all]) {
      const contact = { name: 'Ana', phone_e164: person, email: address };
      assert.equal((await own.request('POST', '/v1/contacts', contact)).status, 201);
      await receive(own, await buy(own), 'STOP');
      assert.equal((await text(own)).body.code, 'recipient_suppressed');
    }
    assert.deepEqual([(await call(one)).status, (await email(one)).status], [201, 201]);
    assert.equal((await call(all)).body.code, 'recipient_suppressed');
    assert.equal((await email(all)).body.code, 'recipient_suppressed');
  });

  test('stops a call that waits for its time', async () => {
    const own = await organization();
    const number = await buy(own);
    const scheduled_at = new Date(Date.now() + 60_000 + (await ahead())).toISOString();
    const waiting = await call(own, { scheduled_at });
    assert.equal(waiting.status, 201, waiting.text);
    await receive(own, number, 'STOP');
    await later(120);
    await waitFor('the call is over', async () => {
      const { body } = await own.request<Call>('GET', `/v1/calls/${waiting.body.id}`);
      return body.status === 'failed' && body.end_reason === 'not_allowed';
    });
  });

  test('is lifted by a key only when the person texted again, and not by a claim that they did', async () => {
    const own = await organization({ stop_scope: 'channel' });
    const number = await buy(own);
    const more = { channels: ['sms'] };
    const inbound = { ...more, source: { kind: 'inbound' } };
    assert.equal((await record(own, more)).status, 201, 'a first consent');
    await receive(own, number, 'STOP');
    for (const claim of [more, inbound]) {
      const refused = await record(own, claim);
      assert.deepEqual([refused.status, refused.body.code], [403, 'person_required'], refused.text);
    }
    assert.equal((await text(own)).body.code, 'recipient_suppressed');
    assert.equal((await record(own, { channels: ['call'] })).status, 201, 'calls were not refused');
    await receive(own, number, 'I changed my mind, you may text me');
    assert.equal((await record(own, more)).status, 403, 'the source is not the text');
    assert.equal((await record(own, inbound)).status, 201);
    assert.equal((await text(own)).status, 201);
  });

  test('is lifted by a new consent of the person, or by deleting the suppression, which is in the audit log', async () => {
    const own = await organization();
    const number = await buy(own);
    await receive(own, number, 'STOP');
    await record(own, { basis: 'legitimate_interest' });
    assert.equal((await call(own)).body.code, 'recipient_suppressed', 'the person did not say so');
    assert.equal((await record(personOf(own))).status, 201);
    assert.deepEqual([(await text(own)).status, (await call(own)).status], [201, 201]);
    await receive(own, number, 'STOP');
    assert.equal((await call(own)).body.code, 'recipient_suppressed');
    const deleted = await personOf(own).request('DELETE', '/v1/sms/suppressions?recipient=%2B14155552671');
    assert.equal(deleted.status, 204);
    assert.equal((await call(own)).status, 201);
    const log = await service.client.request<{ items: { organization_id: string }[] }>(
      'GET',
      '/v1/admin/audit-log?action=sms_suppression.deleted',
    );
    assert.ok(log.body.items.some(({ organization_id }) => organization_id === own.organization_id));
  });
});

describe('email', () => {
  test('a reply that asks for no more emails stops them; with the scope all also texts and calls', async () => {
    const own = await organization({ stop_scope: 'all' });
    const contact = { name: 'Ana', phone_e164: person, email: address };
    assert.equal((await own.request('POST', '/v1/contacts', contact)).status, 201);
    const { body: sent } = await email(own);
    const received = await own.request('POST', '/v1/sandbox/inbound-emails', {
      from: address,
      text: 'Unsubscribe\n\n> Hi',
      in_reply_to: sent.message_id,
    });
    assert.equal(received.status, 201, received.text);
    for (const refused of [await email(own), await text(own), await call(own)])
      assert.equal(refused.body.code, 'recipient_suppressed');
    const revoked = await events(own, 'consent.revoked');
    assert.deepEqual(revoked.map(({ recipient }) => recipient).sort(), [person, address]);
  });

  test('one click on the unsubscribe link of a mail program revokes the consents of the address', async () => {
    const own = await organization();
    const { body: consent } = await record(own, { recipient: address, channels: ['email'] });
    const { body: sent } = await email(own, { list_unsubscribe: true });
    const outbox = await own.request<{ items: { message: { headers: Record<string, string> } }[] }>(
      'GET',
      '/v1/sandbox/outbox?channel=email',
    );
    const { headers } = outbox.body.items[0]!.message;
    assert.equal(headers['List-Unsubscribe-Post'], 'List-Unsubscribe=One-Click');
    const link = /<(https?:[^>]+)>/.exec(headers['List-Unsubscribe']!)![1]!;
    const clicked = await fetch(link, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    });
    assert.equal(clicked.status, 200, await clicked.text());
    assert.equal((await email(own)).body.code, 'recipient_suppressed');
    const { body } = await own.request<Consent>('GET', `/v1/consents/${consent.id}`);
    assert.deepEqual(
      [body.status, body.revoked_by],
      ['revoked', { kind: 'unsubscribe', item_id: sent.id, conversation_id: null, quote: null }],
    );
    assert.equal((await events(own, 'consent.revoked')).length, 1);
  });

  test('a complaint revokes the consents of the address', async () => {
    const own = await organization();
    const complainer = 'complained@sandbox.test';
    const { body: consent } = await record(own, { recipient: complainer, channels: ['email'] });
    const sent = await own.request('POST', '/v1/emails', {
      to: [complainer],
      subject: 'Hello',
      body_text: 'Hi',
      recipient_consent: true,
    });
    assert.equal(sent.status, 201, sent.text);
    await app.jobs.drain();
    await waitFor('the consent is revoked', async () => {
      const { body } = await own.request<Consent>('GET', `/v1/consents/${consent.id}`);
      return body.status === 'revoked' && body.revoked_by?.kind === 'complaint';
    });
  });
});
