// Explain: one answer tells every step from the request to the verdict, and shows nothing of other people.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '@parley/contract/limits';
import type { Explanation } from '@parley/contract/operations/explain/explain';
import { startTestApp } from '../../../../testing/app.ts';
import { respondWith, startReceiver } from '../../../../testing/receiver.ts';
import { onlyDelivery, subscribe } from '../../../../testing/webhooks.ts';
import { explainService } from './service.ts';
import type { ExplainSources } from './sources.ts';

const app = await startTestApp({ PARLEY_FUNDS: 'off' });
const receiver = await startReceiver();
const explain = async (path: string, by = app.client) => (await by.request<Explanation>('GET', path)).body;

test('a text: request, admission, carrier and webhook are in order', async () => {
  const own = app.organization();
  const { id: subscription_id } = await subscribe(own, `${receiver.url}/ok`, {
    event_types: ['sms.delivered'],
  });
  const sent = await own.request<{ id: string }>('POST', '/v1/sms', {
    to: '+15005550001',
    body: 'Hello',
    recipient_consent: true,
  });
  const { id } = sent.body;
  await app.app.jobs.drain();
  const delivery = await onlyDelivery(own, subscription_id);
  const explained = await explain(`/v1/sms/${id}/explain`, own);
  assert.deepEqual(explained.object, { noun: 'sms', id, status: 'delivered' });
  assert.deepEqual([explained.verdict.code, explained.verdict.who], ['delivered', 'none']);
  const steps = explained.timeline.map(({ layer, what }) => `${layer} ${what}`);
  for (const step of [
    'api request',
    'record created',
    'guard allowed',
    'provider accepted',
    'carrier delivered',
    'webhook delivered',
  ])
    assert.ok(steps.includes(step), `${step} in ${steps.join(', ')}`);
  assert.equal(steps.at(-1), 'webhook delivered');
  const times = explained.timeline.map(({ at }) => at);
  assert.deepEqual(times, times.toSorted());
  const request = explained.timeline.find(({ layer }) => layer === 'api')!;
  assert.equal(request.detail.request_id, sent.headers.get('x-request-id'));
  assert.deepEqual(await explain(`/v1/explain/${id}`, own), explained);
  const by_id = await explain(`/v1/explain/${delivery.id}`, own);
  assert.deepEqual(by_id.object, { noun: 'webhook_delivery', id: delivery.id, status: 'delivered' });
});

test('neither the body, the recipient, nor the address of the receiver is shown', async () => {
  const own = app.organization();
  const { id: subscription_id } = await subscribe(own, `${receiver.url}/s3cret`, {
    event_types: ['email.bounced'],
  });
  receiver.on('/s3cret', respondWith(500));
  const sent = await own.request<{ id: string }>('POST', '/v1/emails', {
    to: ['bounced@sandbox.test'],
    cc: ['other@example.org'],
    subject: 'Private subject',
    body_text: 'Private body',
    recipient_consent: true,
  });
  await app.app.jobs.drain();
  const delivery = await onlyDelivery(own, subscription_id);
  const texts = [
    JSON.stringify(await explain(`/v1/emails/${sent.body.id}/explain`, own)),
    JSON.stringify(await explain(`/v1/webhooks/${subscription_id}/deliveries/${delivery.id}/explain`, own)),
  ];
  for (const text of texts)
    for (const secret of ['Private', 's3cret', 'other@example.org'])
      assert.ok(!text.includes(secret), `${secret} in ${text}`);
});

test('another organization gets 404, and an unknown id too', async () => {
  const sent = await app.client.request<{ id: string }>('POST', '/v1/sms', {
    to: '+15005550001',
    body: 'Hello',
    recipient_consent: true,
  });
  const other = app.organization();
  for (const path of [`/v1/sms/${sent.body.id}/explain`, `/v1/explain/${sent.body.id}`])
    assert.equal((await other.request('GET', path)).status, 404, path);
  assert.equal((await app.client.request('GET', `/v1/explain/${other.organization_id}`)).status, 404);
});

test('a long history is cut in the middle, and says so', async () => {
  const at = (index: number) => new Date(1_780_000_000_000 + index * 1000).toISOString();
  const events = Array.from({ length: 500 }, (_, index) => ({
    kind: 'interrupted' as const,
    occurred_at: at(index),
    detail: { digits: '1234', detail: `${index}` },
  }));
  const call = {
    ...{ id: 'x', status: 'in_progress', end_reason: null, direction: 'outbound', provider: 'sandbox' },
    ...{ provider_call_id: null, requested_at: at(0), started_at: at(0), answered_at: at(1), ended_at: null },
    ...{ duration_seconds: null, hold: null, admission: null, timings: [], events },
  };
  const none = async () => [];
  const service = explainService({
    findCall: async () => call,
    ...{ approvalsOf: none, eventsOf: none, deliveriesOf: none, chargesOf: none, requestsOf: none },
  } as unknown as ExplainSources);
  const { timeline, is_complete } = await service.call('organization', 'x');
  assert.equal(timeline.length, limits.explanation_entries);
  assert.equal(is_complete, false);
  assert.equal(timeline[0]!.detail.detail, '0');
  assert.equal(timeline.at(-1)!.detail.detail, '499');
  assert.ok(!JSON.stringify(timeline).includes('1234'));
});
