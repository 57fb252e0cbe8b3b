// Journey over real processes: a number, texts, STOP and START with all webhooks; a kill repeats nothing.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { startTwilio, twilio_account, twilio_token } from '../../packages/server/testing/carriers/twilio.ts';
import { startReceiver } from '../../packages/server/testing/receiver.ts';
import { waitFor } from '../../packages/server/testing/wait-for.ts';
import { makeHome, type Service, sharedDatabase } from './process.ts';

type Sms = { id: string; status: string; from: string; provider_message_id: string | null };
type Number = { id: string; e164: string; provisioning_state: string };

const person = '+14155552671';
const send = (service: Service, to = person) =>
  service.request<Sms & { code: string }>('POST', '/v1/sms', { to, body: 'Hello', recipient_consent: true });

/** Repeats the request until the response is the expected one. */
async function eventually<T>(ask: () => Promise<T>, expected: (found: T) => boolean): Promise<T> {
  const { found } = await waitFor(String(expected), async () => {
    const found = await ask();
    return expected(found) ? { found } : null;
  });
  return found;
}

test('an agent buys a number, texts, receives STOP, is refused, receives START and texts again', async (t) => {
  const service = await makeHome(t).start(await sharedDatabase(t));
  const receiver = await startReceiver();
  const types = ['sms.received', 'sms.delivered', 'sms.undelivered', 'sms.failed'];
  const hook = await service.request<{ secret: string }>('POST', '/v1/webhooks', {
    target_url: `${receiver.url}/hook`,
    event_types: types,
  });
  assert.equal(hook.status, 201, hook.text);

  const quotes = await service.request<{ offers: { quote_id: string }[] }>('POST', '/v1/numbers/quotes', {
    country_code: 'US',
  });
  const number = await service.request<Number>('POST', '/v1/numbers', {
    country_code: 'US',
    quote_id: quotes.body.offers[0]!.quote_id,
  });
  assert.equal(number.status, 201, number.text);

  const first = await send(service);
  assert.deepEqual([first.status, first.body.from], [201, number.body.e164]);
  await receiver.arrived('/hook', 1);

  const text = (body: string) =>
    service.request<Sms>('POST', '/v1/sandbox/inbound-sms', { from: person, to: number.body.e164, body });
  const stop = await text('STOP');
  // The text, its confirmation.
  await receiver.arrived('/hook', 3);
  const refused = await send(service);
  assert.deepEqual([refused.status, refused.body.code], [422, 'recipient_suppressed']);
  const start = await text('START');
  await receiver.arrived('/hook', 5);
  const again = await send(service);
  assert.equal(again.status, 201);
  for (const to of ['+15005550002', '+15005550003']) await send(service, to);
  const seen = await receiver.arrived('/hook', 8);

  for (const { headers, body } of seen) {
    const [, time, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers['x-service-signature'] as string)!;
    const expected = createHmac('sha256', hook.body.secret).update(`${time}.`).update(body).digest('hex');
    assert.equal(signature, expected);
  }
  assert.deepEqual(
    Object.fromEntries(types.map((type) => [type, seen.filter(({ json }) => json.type === type).length])),
    { 'sms.received': 2, 'sms.delivered': 4, 'sms.undelivered': 1, 'sms.failed': 1 },
  );
  const eventsOf = (id: string) =>
    seen.filter(({ json }) => json.data.id === id).map(({ json }) => json.type);
  assert.deepEqual(eventsOf(stop.body.id), ['sms.received']);
  assert.deepEqual(eventsOf(start.body.id), ['sms.received']);
  assert.deepEqual(eventsOf(again.body.id), ['sms.delivered']);

  // An agent that waits for a code gets it immediately.
  const waiting = service.request<{ code: string }>('GET', '/v1/sms/wait?timeout_seconds=55');
  await service.request('GET', '/v1/sms');
  await text('Your code is 482913');
  assert.equal((await waiting).body.code, '482913');
});

test('a purchase and a text that were running when the process was killed are done once', async (t) => {
  const home = makeHome(t);
  const twilio = await startTwilio();
  t.after(() => twilio.close());
  const settings = {
    ...(await sharedDatabase(t)),
    PARLEY_CARRIER: 'twilio',
    TWILIO_ACCOUNT_SID: twilio_account,
    TWILIO_AUTH_TOKEN: twilio_token,
    TWILIO_BASE_URL: twilio.url,
  };
  const later = (service: Service, seconds: number) =>
    service.request('POST', '/v1/sandbox/clock', { advance_seconds: seconds });

  // Killed after the carrier sold the number and before its response.
  let service = await home.start(settings);
  twilio.failNext(
    'held',
    ({ method, path }) => method === 'POST' && path.endsWith('/IncomingPhoneNumbers.json'),
  );
  const order = { country_code: 'US', e164: '+14155550101' };
  const key = { 'idempotency-key': 'journey' };
  const cut = service.request('POST', '/v1/numbers', order, key).catch(() => null);
  await eventually(
    async () => twilio.numbers.length,
    (count) => count === 1,
  );
  await service.kill();
  await cut;

  service = await home.start(settings);
  const meanwhile = await service.request<{ code: string }>('POST', '/v1/numbers', order, key);
  assert.deepEqual([meanwhile.status, meanwhile.body.code], [409, 'idempotency_in_progress']);
  await later(service, 120);
  const answer = await service.request<Number>('POST', '/v1/numbers', order, key);
  assert.deepEqual([answer.status, answer.body.provisioning_state], [201, 'active'], answer.text);
  assert.equal(answer.headers.get('idempotent-replayed'), 'true');
  assert.equal(twilio.numbers.length, 1);

  // Killed after the carrier accepted the text and before its response.
  twilio.failNext('held', ({ method, path }) => method === 'POST' && path.endsWith('/Messages.json'));
  const sent = await send(service);
  assert.equal(sent.status, 201);
  await eventually(
    async () => twilio.messages.length,
    (count) => count === 1,
  );
  await service.kill();

  service = await home.start(settings);
  await later(service, 120);
  const found = await service.request<Sms>('GET', `/v1/sms/${sent.body.id}`);
  assert.deepEqual([found.body.status, found.body.provider_message_id], ['sent', twilio.messages[0]!.sid]);
  await later(service, 3600);
  assert.equal(twilio.messages.length, 1);
});
