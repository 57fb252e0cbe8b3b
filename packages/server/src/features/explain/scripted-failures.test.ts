// Scripted failures: whatever the sandbox, a hostile relay, hostile receivers and the stand-in of a carrier can produce,
// explain names the culprit and a fix; where a script can follow the fix, it does, and the retry works.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { ExplanationVerdict } from '@parley/contract/explain';
import type { ExplanationParty } from '@parley/contract/explanation-definition';
import { type Client, startTestApp } from '../../../testing/app.ts';
import { people } from '../../../testing/calls.ts';
import { buyNumber } from '../../../testing/carriers/numbers-and-texts.ts';
import { startOnTwilio } from '../../../testing/carriers/service.ts';
import { respondWith, startReceiver } from '../../../testing/receiver.ts';
import { addVerifiedDomain } from '../../../testing/relayed-app.ts';
import { relayOf } from '../../../testing/scripted-relay.ts';
import { createEvents, deliveryAfter, newPath, onlyDelivery, subscribe } from '../../../testing/webhooks.ts';

const app = await startTestApp({ WEBHOOK_TIMEOUT_SECONDS: '1' });
const receiver = await startReceiver();
const relay = await relayOf({
  answers: { 'RCPT TO:<refused@': '550 5.1.1 No such user', 'RCPT TO:<closes@': null },
});
const onTwilio = await startOnTwilio({
  PARLEY_SMTP_URL: `smtp://127.0.0.1:${relay.port}`,
  PARLEY_SMTP_TLS: 'off',
});
await addVerifiedDomain(onTwilio);
await buyNumber(onTwilio.client, { e164: '+14155550101' });

type Expected = [code: string, who: ExplanationParty];

const verdictOf = async (of: Client, id: string): Promise<ExplanationVerdict> => {
  const { status, body, text } = await of.request<{ verdict: ExplanationVerdict }>(
    'GET',
    `/v1/explain/${id}`,
  );
  assert.equal(status, 200, text);
  return body.verdict;
};

function expectVerdict(verdict: ExplanationVerdict, [code, who]: Expected): void {
  assert.deepEqual([verdict.code, verdict.who], [code, who]);
  assert.ok(verdict.fix.length > 10 && verdict.summary.length > 5, code);
}

const textTo = (to: string, more = {}) => ({ to, body: 'Hello', recipient_consent: true, ...more });
const emailTo = (to: string, more = {}) => ({
  to: [to],
  subject: 'Hello',
  body_text: 'Hi',
  recipient_consent: true,
  ...more,
});
const sendText = async (of: Client, to: string, more = {}) =>
  (await of.request<{ id: string }>('POST', '/v1/sms', textTo(to, more))).body.id;
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

describe('texts', () => {
  const cases: [string, Expected][] = [
    ['+15005550001', ['delivered', 'none']],
    ['+15005550002', ['unreachable', 'recipient']],
    ['+15005550003', ['rejected', 'carrier']],
    ['+15005550004', ['recipient_opted_out', 'recipient']],
    ['+15005550005', ['sent', 'none']],
  ];
  test('the outcome of a text is explained', async () => {
    const own = app.organization();
    const ids = await Promise.all(cases.map(([to]) => sendText(own, to)));
    await app.app.jobs.drain();
    for (const [index, id] of ids.entries()) expectVerdict(await verdictOf(own, id), cases[index]![1]);
  });

  test('a text that waits for an approval is sent when the fix is followed', async () => {
    // The operator key decides where there are no members.
    const [own, person] = [app.client, app.operator];
    const rule = { name: 'All', when: ['always'], channels: ['sms'], then: 'hold' };
    assert.equal((await person.request('PUT', '/v1/approval-policy', { rules: [rule] })).status, 200);
    const id = await sendText(own, '+15005550001');
    expectVerdict(await verdictOf(own, id), ['approval', 'policy']);
    const { items } = (
      await person.request<{ items: { id: string; payload_sha256: string }[] }>('GET', '/v1/approvals')
    ).body;
    const [{ id: approval_id, payload_sha256 }] = items as [(typeof items)[0]];
    expectVerdict(await verdictOf(own, approval_id), ['pending', 'policy']);
    await person.request('POST', `/v1/approvals/${approval_id}/approve`, { payload_sha256 });
    await app.later(5);
    expectVerdict(await verdictOf(own, approval_id), ['approved', 'none']);
    expectVerdict(await verdictOf(own, id), ['delivered', 'none']);
    const rejected_id = await sendText(own, '+15005550001');
    const next = await person.request<{ items: { id: string }[] }>('GET', '/v1/approvals?status=pending');
    await person.request('POST', `/v1/approvals/${next.body.items[0]!.id}/reject`, { note: 'Wrong person' });
    expectVerdict(await verdictOf(own, rejected_id), ['approval_rejected', 'policy']);
    expectVerdict(await verdictOf(own, next.body.items[0]!.id), ['rejected', 'policy']);
    await person.request('PUT', '/v1/approval-policy', { rules: [] });
  });
});

describe('emails', () => {
  const cases: [string, Expected][] = [
    ['delivered@sandbox.test', ['delivered', 'none']],
    ['delayed@sandbox.test', ['delivery_delayed', 'recipient']],
    ['bounced@sandbox.test', ['hard_bounce', 'recipient']],
    ['softbounced@sandbox.test', ['soft_bounce', 'recipient']],
    ['complained@sandbox.test', ['complained', 'recipient']],
    ['rejected@sandbox.test', ['smtp_rejected', 'provider']],
  ];
  test('the outcome of an email is explained', async () => {
    for (const [to, expected] of cases) {
      const own = app.organization();
      await own.request('POST', '/v1/emails', emailTo(to));
      await app.app.jobs.drain();
      const { items } = (await own.request<{ items: { id: string }[] }>('GET', '/v1/emails')).body;
      expectVerdict(await verdictOf(own, items[0]!.id), expected);
    }
  });

  test('a relay that refuses or closes is named, and another recipient works', async () => {
    const { client } = onTwilio;
    for (const [to, expected] of [
      ['refused@example.org', ['smtp_rejected', 'provider']],
      ['closes@example.org', ['connection_failed', 'provider']],
    ] as [string, Expected][]) {
      await client.request('POST', '/v1/emails', emailTo(to));
      const { items } = (await client.request<{ items: { id: string }[] }>('GET', '/v1/emails')).body;
      const verdict = await verdictOf(client, items[0]!.id);
      expectVerdict(verdict, expected);
      if (to.startsWith('refused')) assert.match(verdict.detail!, /550 5\.1\.1/);
    }
    assert.equal((await client.request('POST', '/v1/emails', emailTo('ok@example.org'))).status, 201);
  });
});

test('texts over a carrier: the code of the carrier is kept, and the culprit is named', async () => {
  const { client, twilio } = onTwilio;
  for (const [status, provider_code, expected] of [
    ['undelivered', '30007', ['filtered', 'carrier']],
    ['undelivered', '30005', ['invalid_recipient', 'recipient']],
    ['undelivered', '30003', ['unreachable', 'recipient']],
    ['failed', '99999', ['rejected', 'carrier']],
  ] as [string, string, Expected][]) {
    const id = await sendText(client, '+14155552671');
    await onTwilio.app.jobs.drain();
    await twilio.report(twilio.messages.at(-1)!, status, provider_code);
    const verdict = await verdictOf(client, id);
    expectVerdict(verdict, expected);
    assert.equal(verdict.detail, provider_code);
  }
});

describe('requests that are refused', () => {
  type Refusal = {
    expected: Expected;
    request: [method: string, path: string, body: unknown];
    /** Follows the fix; the request that must then succeed, default: the same. */
    fix?: (own: Client, person: Client) => Promise<unknown>;
    retry?: unknown;
    before?: (own: Client, person: Client) => Promise<unknown>;
  };
  const to = '+15005550001';
  const { recipient_consent: _, ...unconsented } = textTo(to);
  const suppress = (own: Client) => own.request('POST', '/v1/sms/suppressions', { recipient: to });
  const stop = (sms: boolean) => app.operator.request('PATCH', '/v1/admin/kill-switch', { sms });
  const consent = {
    ...{ recipient: to, channels: ['sms'], purposes: ['conversational'], basis: 'express' },
    source: { kind: 'api' },
  };
  const budget = (max_count: number) => ({
    ...{ subject: { kind: 'organization', id: null }, channel: 'all', window: 'day' },
    max_count,
  });
  let budget_id = '';
  const sms = (body: unknown): Refusal['request'] => ['POST', '/v1/sms', body];
  const cases: Refusal[] = [
    { expected: ['consent_required', 'you'], request: sms(unconsented), retry: textTo(to) },
    {
      expected: ['recipient_suppressed', 'recipient'],
      before: suppress,
      request: sms(textTo(to)),
      fix: (own) => own.request('DELETE', `/v1/sms/suppressions?recipient=${encodeURIComponent(to)}`),
    },
    {
      expected: ['from_not_allowed', 'you'],
      request: sms(textTo(to, { from: '+15005559999' })),
      retry: textTo(to),
    },
    { expected: ['validation_failed', 'you'], request: sms(textTo('12')), retry: textTo(to) },
    {
      expected: ['invalid_schedule', 'you'],
      request: sms(textTo(to, { scheduled_at: '2020-01-01T00:00:00Z' })),
      retry: textTo(to, { scheduled_at: inAnHour() }),
    },
    { expected: ['not_found', 'you'], request: ['POST', `/v1/sms/${randomUUID()}/cancel`, undefined] },
    { expected: ['malformed_json', 'you'], request: sms('{"to":'), retry: textTo(to) },
    {
      expected: ['consent_not_recorded', 'policy'],
      before: (_, person) => person.request('PUT', '/v1/contact-rules', { consent: 'recorded' }),
      request: sms(textTo(to)),
      fix: (own) => own.request('POST', '/v1/consents', consent),
    },
    {
      expected: ['budget_exceeded', 'policy'],
      async before(own, person) {
        budget_id = (await person.request<{ id: string }>('POST', '/v1/budgets', budget(1))).body.id;
        await sendText(own, to);
      },
      request: sms(textTo(to)),
      fix: (_, person) => person.request('DELETE', `/v1/budgets/${budget_id}`),
    },
    {
      expected: ['recipient_capped', 'policy'],
      async before(own, person) {
        await person.request('PUT', '/v1/contact-rules', { messages_per_person_per_day: 1 });
        await sendText(own, to);
      },
      request: sms(textTo(to)),
      fix: (_, person) => person.request('PUT', '/v1/contact-rules', {}),
    },
    {
      expected: ['not_allowed_by_policy', 'policy'],
      before: (_, person) =>
        person.request('PUT', '/v1/approval-policy', {
          rules: [{ name: 'No', when: ['always'], channels: ['sms'], then: 'refuse' }],
        }),
      request: sms(textTo(to)),
      fix: (_, person) => person.request('PUT', '/v1/approval-policy', { rules: [] }),
    },
    {
      expected: ['kill_switch', 'policy'],
      before: () => stop(true),
      request: sms(textTo(to)),
      fix: () => stop(false),
    },
    {
      expected: ['agent_not_found', 'you'],
      request: ['POST', '/v1/calls', { to: people.busy, recipient_consent: true, agent_id: randomUUID() }],
      retry: { to: people.busy, recipient_consent: true },
    },
    {
      expected: ['invalid_email_address', 'you'],
      request: ['POST', '/v1/emails', emailTo('a@example.org, b@example.org')],
      retry: emailTo('delivered@sandbox.test'),
    },
    {
      expected: ['attachment_not_found', 'you'],
      request: ['POST', '/v1/emails', emailTo('delivered@sandbox.test', { attachment_ids: [randomUUID()] })],
      retry: emailTo('delivered@sandbox.test'),
    },
    {
      expected: ['reply_target_not_found', 'you'],
      request: ['POST', '/v1/emails', emailTo('delivered@sandbox.test', { in_reply_to: randomUUID() })],
      retry: emailTo('delivered@sandbox.test'),
    },
  ];
  for (const { expected, before, request, fix, retry } of cases)
    test(`${expected[0]}: the request log has the verdict, and the fix works`, async () => {
      const own = app.organization();
      const person = app.organization({
        organization_id: own.organization_id,
        credential_kind: 'session',
      });
      await before?.(own, person);
      const [method, path, body] = request;
      const refused = await own.request(method, path, body);
      const id = refused.headers.get('x-request-id')!;
      const logged = await own.request<{ verdict: ExplanationVerdict }>('GET', `/v1/requests/${id}`);
      expectVerdict(logged.body.verdict, expected);
      if (!fix && !retry) return;
      await fix?.(own, person);
      const repeated = await own.request(method, path, retry ?? body);
      assert.equal(repeated.status, 201, repeated.text);
    });
});

describe('webhook deliveries', () => {
  const cases: [string, Expected, Parameters<typeof receiver.on>[1] | null, string?][] = [
    ['a status', ['bad_status', 'you'], respondWith(503)],
    ['a redirect', ['redirect_not_followed', 'you'], respondWith(302, '', { location: '/elsewhere' })],
    ['silence', ['timeout', 'you'], () => {}],
    ['a closed connection', ['connection_failed', 'you'], (_, __, socket) => socket.destroy()],
    ['large headers', ['response_headers_too_large', 'you'], respondWith(200, '', { x: 'x'.repeat(60_000) })],
    ['an unused port', ['connection_failed', 'you'], null, 'http://127.0.0.1:9'],
  ];
  for (const [name, expected, respond, url] of cases)
    test(`${name}: the receiver is named, and a repaired receiver gets the event`, async () => {
      const own = app.organization();
      const path = newPath();
      if (respond) receiver.on(path, respond);
      const { id: subscription_id } = await subscribe(own, `${url ?? receiver.url}${path}`);
      await createEvents(own);
      const { id } = await onlyDelivery(own, subscription_id);
      expectVerdict(await verdictOf(own, id), expected);
      receiver.on(path, respondWith(200));
      if (url)
        await own.request('PATCH', `/v1/webhooks/${subscription_id}`, {
          target_url: `${receiver.url}${path}`,
        });
      const deliveries = `/v1/webhooks/${subscription_id}/deliveries/${id}`;
      await own.request('POST', `${deliveries}/redeliver`);
      await deliveryAfter(own, subscription_id, id, 2);
      expectVerdict(await verdictOf(own, id), ['delivered', 'none']);
    });
});
