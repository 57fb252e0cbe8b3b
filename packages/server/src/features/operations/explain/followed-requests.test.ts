// Refused requests and failed webhook deliveries: the verdict names the culprit, and a script follows the fix.
// Calls, texts, emails and what rules hold are in the other files followed-*.test.ts. Not followed here, because no outside
// party of a test can produce them: internal_error and other errors of the service itself, and the status of a carrier that has
// no report yet. Nor is target_not_allowed: it needs an address outside of loopback.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import type { ExplanationVerdict } from '@parley/contract/operations/explain/explain';
import type { ExplanationParty } from '@parley/contract/operations/explain/explanation-definition';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { people } from '../../../../testing/calls.ts';
import { expected, verdictOf } from '../../../../testing/followed-fixes.ts';
import { respondWith, startReceiver } from '../../../../testing/receiver.ts';
import { relay_certificate } from '../../../../testing/scripted-relay.ts';
import {
  createEvents,
  deliveryAfter,
  newPath,
  onlyDelivery,
  subscribe,
} from '../../../../testing/webhooks.ts';
import { selfSignedCertificate } from '../../../protocols/self-signed-certificate.ts';

const app = await startTestApp({ WEBHOOK_TIMEOUT_SECONDS: '1' });
const receiver = await startReceiver();
/** The words of the fix that the script carries out. */
type Expected = [code: string, who: ExplanationParty, fix: RegExp];

function expectVerdict(verdict: ExplanationVerdict, [code, who, fix]: Expected): void {
  assert.deepEqual([verdict.code, verdict.who], [code, who]);
  assert.match(verdict.fix, fix);
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

describe('requests that are refused', () => {
  type Refusal = {
    expected: Expected;
    request: [method: string, path: string, body: unknown];
    /** Follows the fix; the request that must then succeed, default: the same. */
    fix?: (own: Client, person: Client) => Promise<unknown>;
    retry?: object | ((own: Client) => Promise<object>);
    retryPath?: (own: Client) => Promise<string>;
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
  const toll_free = { country_code: 'US', number_type: 'toll_free', e164: '+15005558901' };
  const verification = {
    kind: 'toll_free',
    subject_name: 'Example Inc',
    address: { street: '1 Main St', city: 'Austin', postal_code: '73301', country_code: 'US' },
    registration_number: '12-3456789',
    answers: {
      website: 'https://example.com',
      contact_email: 'a@example.com',
      use_case_summary: 'Reminders of appointments.',
      message_sample: 'Your appointment is tomorrow at 9.',
      message_volume: '100',
    },
  };
  let budget_id = '';
  const sms = (body: unknown): Refusal['request'] => ['POST', '/v1/sms', body];
  const cases: Refusal[] = [
    {
      expected: ['consent_required', 'you', /then send recipient_consent: true/],
      request: sms(unconsented),
      retry: textTo(to),
    },
    {
      expected: [
        'recipient_suppressed',
        'recipient',
        /a person or the operator removes the suppression; a program may only after they wrote again, or if a program added it/,
      ],
      before: suppress,
      request: sms(textTo(to)),
      fix: (own) => own.request('DELETE', `/v1/sms/suppressions?recipient=${encodeURIComponent(to)}`),
    },
    {
      expected: ['from_not_allowed', 'you', /or leave "from" out/],
      request: sms(textTo(to, { from: '+15005559999' })),
      retry: textTo(to),
    },
    {
      expected: ['validation_failed', 'you', /Correct every entry of "errors"/],
      request: sms(textTo('12')),
      retry: textTo(to),
    },
    {
      expected: ['invalid_schedule', 'you', /Use a time from 10 seconds to 30 days ahead/],
      request: sms(textTo(to, { scheduled_at: '2020-01-01T00:00:00Z' })),
      retry: textTo(to, { scheduled_at: inAnHour() }),
    },
    {
      expected: ['not_found', 'you', /list the resource to see which ids exist/],
      request: ['POST', `/v1/sms/${randomUUID()}/cancel`, undefined],
      retryPath: async (own) => {
        await sendText(own, to, { scheduled_at: inAnHour() });
        const { items } = await expected<{ items: { id: string }[] }>(200, own, 'GET', '/v1/sms');
        return `/v1/sms/${items[0]!.id}/cancel`;
      },
    },
    {
      expected: ['malformed_json', 'you', /one well-formed JSON document/],
      request: sms('{"to":'),
      retry: textTo(to),
    },
    {
      expected: ['consent_not_recorded', 'policy', /record it with POST \/v1\/consents/],
      before: (_, person) => person.request('PUT', '/v1/contact-rules', { consent: 'recorded' }),
      request: sms(textTo(to)),
      fix: (own) => own.request('POST', '/v1/consents', consent),
    },
    {
      expected: ['budget_exceeded', 'policy', /ask an owner or admin to raise the budget/],
      async before(own, person) {
        budget_id = (await person.request<{ id: string }>('POST', '/v1/budgets', budget(1))).body.id;
        await sendText(own, to);
      },
      request: sms(textTo(to)),
      fix: (_, person) => expected(200, person, 'PATCH', `/v1/budgets/${budget_id}`, { max_count: 10 }),
    },
    {
      expected: ['recipient_capped', 'policy', /Wait for an answer of the person/],
      async before(own, person) {
        await person.request('PUT', '/v1/contact-rules', { messages_per_person_per_day: 1 });
        await sendText(own, to);
      },
      request: sms(textTo(to)),
      fix: (own) =>
        expected(201, own, 'POST', '/v1/sandbox/inbound-sms', {
          from: to,
          to: '+15005550110',
          body: 'Yes, please.',
        }),
    },
    {
      expected: ['not_allowed_by_policy', 'policy', /A person can change the policy/],
      before: (_, person) =>
        person.request('PUT', '/v1/approval-policy', {
          rules: [{ name: 'No', when: ['always'], channels: ['sms'], then: 'refuse' }],
        }),
      request: sms(textTo(to)),
      fix: (_, person) => person.request('PUT', '/v1/approval-policy', { rules: [] }),
    },
    {
      expected: ['kill_switch', 'policy', /Ask the operator when the channel opens/],
      before: () => stop(true),
      request: sms(textTo(to)),
      fix: () => stop(false),
    },
    {
      expected: ['agent_not_found', 'you', /Use an id that GET \/v1\/agents lists/],
      request: ['POST', '/v1/calls', { to: people.busy, recipient_consent: true, agent_id: randomUUID() }],
      retry: async (own) => {
        const agent = await expected<{ id: string }>(201, own, 'POST', '/v1/agents', { name: 'Ana' });
        return { to: people.busy, recipient_consent: true, agent_id: agent.id };
      },
    },
    {
      expected: ['invalid_email_address', 'you', /each recipient as a separate entry/],
      request: ['POST', '/v1/emails', emailTo('a@example.org, b@example.org')],
      retry: emailTo('delivered@sandbox.test'),
    },
    {
      expected: [
        'attachment_not_found',
        'you',
        /Upload the file with POST \/v1\/email-attachments and use the returned id/,
      ],
      request: ['POST', '/v1/emails', emailTo('delivered@sandbox.test', { attachment_ids: [randomUUID()] })],
      retry: async (own) => {
        const form = new FormData();
        form.append('file', new Blob(['Hello']), 'hello.txt');
        const headers = { authorization: `Bearer ${own.key}` };
        const stored = await fetch(`${app.url}/v1/email-attachments`, {
          method: 'POST',
          headers,
          body: form,
        });
        const { id } = (await stored.json()) as { id: string };
        return emailTo('delivered@sandbox.test', { attachment_ids: [id] });
      },
    },
    {
      expected: ['reply_target_not_found', 'you', /Send the id of one of your emails/],
      request: ['POST', '/v1/emails', emailTo('delivered@sandbox.test', { in_reply_to: randomUUID() })],
      retry: async (own) => {
        const first = emailTo('delivered@sandbox.test');
        const { id } = await expected<{ id: string }>(201, own, 'POST', '/v1/emails', first);
        return emailTo('delivered@sandbox.test', { in_reply_to: id });
      },
    },
    {
      expected: ['sender_not_registered', 'you', /POST \/v1\/verifications.*toll_free for a toll-free one/],
      async before(own) {
        await expected(201, own, 'POST', '/v1/numbers', toll_free);
        await app.app.jobs.drain();
      },
      request: sms(textTo(to, { from: toll_free.e164 })),
      async fix(own) {
        const { items } = await expected<{ items: { id: string }[] }>(200, own, 'GET', '/v1/numbers');
        await expected(201, own, 'POST', '/v1/verifications', { ...verification, number_id: items[0]!.id });
        await app.app.jobs.drain();
      },
    },
  ];
  for (const { expected: verdict, before, request, fix, retry, retryPath } of cases)
    test(`${verdict[0]}: the request log has the verdict, and the fix works`, async () => {
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
      expectVerdict(logged.body.verdict, verdict);
      await fix?.(own, person);
      const changed = typeof retry === 'function' ? await retry(own) : (retry ?? body);
      const repeated = await own.request(method, (await retryPath?.(own)) ?? path, changed);
      assert.ok([200, 201].includes(repeated.status), repeated.text);
    });
});

describe('webhook deliveries', () => {
  const cases: [string, Expected, Parameters<typeof receiver.on>[1] | null, string?][] = [
    ['a status', ['bad_status', 'you', /Let it respond 2xx/], respondWith(503)],
    [
      'a redirect',
      ['redirect_not_followed', 'you', /Set target_url to the final address/],
      respondWith(302, '', { location: '/elsewhere' }),
    ],
    ['silence', ['timeout', 'you', /respond 2xx at once/], () => {}],
    [
      'a closed connection',
      ['connection_failed', 'you', /Check that the receiver runs and that its port/],
      (_, __, socket) => socket.destroy(),
    ],
    [
      'large headers',
      ['response_headers_too_large', 'you', /Send fewer or shorter headers/],
      respondWith(200, '', { x: 'x'.repeat(60_000) }),
    ],
    [
      'an unused port',
      ['connection_failed', 'you', /Check that the receiver runs and that its port/],
      null,
      'http://127.0.0.1:9',
    ],
    [
      'a name without an address',
      ['dns_failed', 'you', /Correct the host name in target_url/],
      null,
      // A label may have 63 characters, so no DNS server is asked.
      `http://${'a'.repeat(64)}.test`,
    ],
    [
      'another protocol',
      ['response_invalid', 'you', /it must speak HTTP/],
      (_, __, socket) => socket.end('220 mail.test\r\n'),
    ],
  ];
  for (const [name, verdict, respond, url] of cases)
    test(`${name}: the receiver is named, and a repaired receiver gets the event`, async () => {
      const own = app.organization();
      const path = newPath();
      if (respond) receiver.on(path, respond);
      const { id: subscription_id } = await subscribe(own, `${url ?? receiver.url}${path}`);
      await createEvents(own);
      const { id } = await onlyDelivery(own, subscription_id);
      expectVerdict(await verdictOf(own, id), verdict);
      receiver.on(path, respondWith(200));
      if (url)
        await own.request('PATCH', `/v1/webhooks/${subscription_id}`, {
          target_url: `${receiver.url}${path}`,
        });
      const deliveries = `/v1/webhooks/${subscription_id}/deliveries/${id}`;
      await own.request('POST', `${deliveries}/redeliver`);
      await deliveryAfter(own, subscription_id, id, 2);
      expectVerdict(await verdictOf(own, id), ['delivered', 'none', /Nothing is wrong/]);
    });

  test('a certificate that is not trusted: the receiver is named, and a renewed one gets the event', async () => {
    const own = app.organization();
    const unknown = selfSignedCertificate({ host: 'localhost', now: new Date(), days: 1 });
    const server = createServer(unknown, (request, response) =>
      request.resume().on('end', () => response.end()),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    after(() => server.close().closeAllConnections());
    const { port } = server.address() as AddressInfo;
    const { id: subscription_id } = await subscribe(own, `https://localhost:${port}/`);
    await createEvents(own);
    const { id } = await onlyDelivery(own, subscription_id);
    expectVerdict(await verdictOf(own, id), ['tls_failed', 'you', /Renew the certificate/]);
    server.setSecureContext(relay_certificate);
    await own.request('POST', `/v1/webhooks/${subscription_id}/deliveries/${id}/redeliver`);
    await deliveryAfter(own, subscription_id, id, 2);
    expectVerdict(await verdictOf(own, id), ['delivered', 'none', /Nothing is wrong/]);
  });
});
