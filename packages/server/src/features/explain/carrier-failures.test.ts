// Scripted failures of other people's systems: mail relays, Twilio and Telnyx. Explain names the culprit and a fix.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ExplanationVerdict } from '@parley/contract/explain';
import type { ExplanationParty } from '@parley/contract/explanation-definition';
import type { Client } from '../../../testing/app.ts';
import { buyNumber, sendText } from '../../../testing/carriers/numbers-and-texts.ts';
import { startOnTelnyx, startOnTwilio } from '../../../testing/carriers/service.ts';
import { startAppBefore } from '../../../testing/relayed-app.ts';
import { relayOf } from '../../../testing/scripted-relay.ts';

type Expected = [code: string, who: ExplanationParty];

async function expectVerdict(of: Client, id: string, [code, who]: Expected): Promise<ExplanationVerdict> {
  const answer = await of.request<{ verdict: ExplanationVerdict }>('GET', `/v1/explain/${id}`);
  assert.equal(answer.status, 200, answer.text);
  const { verdict } = answer.body;
  assert.deepEqual([verdict.code, verdict.who], [code, who]);
  assert.ok(verdict.fix.length > 10, code);
  return verdict;
}

/** The verdict about an email whose hand-over fails. */
async function failedEmail(of: Client, to: string, expected: Expected): Promise<ExplanationVerdict> {
  const body = { to: [to], subject: 'Hello', body_text: 'Hi', recipient_consent: true };
  const sent = await of.request('POST', '/v1/emails', body);
  assert.equal(sent.status, 502, sent.text);
  const { items } = (await of.request<{ items: { id: string }[] }>('GET', '/v1/emails')).body;
  return expectVerdict(of, items[0]!.id, expected);
}

describe('a mail relay', () => {
  test('that is silent, or closes after it took the content', async () => {
    const relay = await relayOf({ answers: { 'RCPT TO:<slow@': () => {}, '.': null } });
    const { client } = await startAppBefore(relay, { PARLEY_EMAIL_TIMEOUT_SECONDS: '1' });
    await failedEmail(client, 'slow@example.org', ['timeout', 'provider']);
    const lost = await failedEmail(client, 'bob@example.org', ['unconfirmed', 'provider']);
    assert.match(lost.fix, /^Do not send it again/);
    assert.equal(lost.retry, 'no');
  });

  test('without the encryption that is required: the detail and the fix name it', async () => {
    const relay = await relayOf({});
    const { client } = await startAppBefore(relay, { PARLEY_SMTP_TLS: 'required' });
    const { detail, fix } = await failedEmail(client, 'bob@example.org', ['provider_error', 'provider']);
    assert.match(detail!, /offers no encryption/);
    assert.match(fix, /PARLEY_SMTP_TLS/);
  });

  test('whose certificate is not trusted', async () => {
    const relay = await relayOf({ offers: ['STARTTLS'] });
    // The certificate is for localhost, not for the address.
    const { client } = await startAppBefore(relay, { PARLEY_SMTP_TLS: 'required' });
    const { detail } = await failedEmail(client, 'bob@example.org', ['connection_failed', 'provider']);
    assert.match(detail!, /certificate|altnames/i);
  });

  test('whose name cannot be resolved', async () => {
    const relay = await relayOf({});
    // A label may have 63 characters, so no DNS server is asked.
    const { client } = await startAppBefore(relay, {
      PARLEY_SMTP_URL: `smtp://${'a'.repeat(64)}.test:${relay.port}`,
    });
    const { detail, fix } = await failedEmail(client, 'bob@example.org', ['connection_failed', 'provider']);
    assert.match(detail!, /ENOTFOUND|EAI_/);
    assert.match(fix, /resolved/);
  });

  test('that refuses the password', async () => {
    const relay = await relayOf({
      offers: ['AUTH PLAIN'],
      answers: { AUTH: '535 5.7.8 Wrong password' },
    });
    const { client } = await startAppBefore(relay, {
      PARLEY_SMTP_URL: `smtp://user:wrong@127.0.0.1:${relay.port}`,
    });
    const { detail, fix } = await failedEmail(client, 'bob@example.org', ['provider_error', 'provider']);
    assert.match(detail!, /Wrong password/);
    assert.match(fix, /PARLEY_SMTP_URL/);
  });
});

describe('Twilio', async () => {
  const service = await startOnTwilio();
  const { client, twilio } = service;
  await buyNumber(client);

  test('refuses a text to somebody who opted out there', async () => {
    twilio.opted_out.add('+14155550399');
    const { id } = await sendText(client, { to: '+14155550399' });
    await service.app.jobs.drain();
    await expectVerdict(client, id, ['recipient_opted_out', 'recipient']);
  });

  test('fails for a quarter of an hour: the text may have been sent, and later ones are', async () => {
    const repair = twilio.failAll('broken');
    const { id } = await sendText(client);
    await service.app.jobs.drain();
    await service.later(16 * 60);
    await expectVerdict(client, id, ['unconfirmed', 'carrier']);
    repair();
    const again = await sendText(client, { body: 'Again' });
    await service.app.jobs.drain();
    await expectVerdict(client, again.id, ['sent', 'none']);
  });
});

describe('Telnyx', async () => {
  const service = await startOnTelnyx();
  const { client, telnyx } = service;
  await buyNumber(client);

  test('reports a text that did not arrive, and refuses one to somebody who opted out there', async () => {
    const { id } = await sendText(client);
    await service.app.jobs.drain();
    await telnyx.report(telnyx.messages.at(-1)!, 'delivery_failed', '40008');
    assert.equal((await expectVerdict(client, id, ['unreachable', 'recipient'])).detail, '40008');
    telnyx.opted_out.add('+14155550399');
    const refused = await sendText(client, { to: '+14155550399' });
    await service.app.jobs.drain();
    await expectVerdict(client, refused.id, ['recipient_opted_out', 'recipient']);
  });
});
