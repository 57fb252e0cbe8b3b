// Certifications of webhook receivers, started over HTTP, with real receivers on loopback.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WebhookCertification } from '@parley/contract/operations/webhooks/webhook-certifications';
import type { WebhookSubscription } from '@parley/contract/operations/webhooks/webhooks';
import { createParley } from '@parley/sdk';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { type Respond, startReceiver } from '../../../../testing/receiver.ts';
import { waitFor } from '../../../../testing/wait-for.ts';
import { newPath, subscribe } from '../../../../testing/webhooks.ts';
import { sql } from '../../../platform/db/sql.ts';

const { db, organization } = await startTestApp();
const receiver = await startReceiver();
const sdk = createParley({ api_key: '' });

async function certified(own: Client, id: string): Promise<WebhookCertification> {
  const started = await own.request<WebhookCertification>('POST', `/v1/webhooks/${id}/certify`);
  assert.equal(started.status, 201, started.text);
  assert.equal(started.body.status, 'running');
  return waitFor('the certification', async () => {
    const path = `/v1/webhooks/${id}/certifications/${started.body.id}`;
    const { body } = await own.request<WebhookCertification>('GET', path);
    return body.status === 'done' ? body : null;
  });
}

/** Verifies signatures and marks repeated deliveries. */
const correct = (secret: string): Respond => {
  const seen = new Set<string>();
  return async (response, { body, headers }) => {
    const genuine = await sdk.webhooks.verify(body, headers, secret).then(
      () => true,
      () => false,
    );
    const id = String(headers['webhook-id'] ?? headers['x-service-delivery']);
    if (seen.has(id)) response.setHeader('x-parley-duplicate', '1');
    seen.add(id);
    response.writeHead(genuine ? 204 : 401).end();
  };
};

describe('a certification', () => {
  test('gives a receiver that verifies its signatures the full score', async () => {
    const own = organization();
    const path = newPath();
    const { id, secret } = await subscribe(own, receiver.url + path);
    receiver.on(path, correct(secret));
    const { score, grade, cases, done_at } = await certified(own, id);
    assert.deepEqual([score, grade, cases?.filter(({ passed }) => !passed)], [100, 'A', []]);
    assert.ok(done_at);
    assert.ok(receiver.at(path).every(({ json }) => 'certification' in json.data));
  });

  test('says that nothing is verified, and is not counted as failed deliveries', async () => {
    const own = organization();
    const path = newPath();
    const { id } = await subscribe(own, receiver.url + path);
    const { score, cases } = await certified(own, id);
    assert.equal(score, 55);
    assert.match(cases!.find(({ name }) => name === 'wrong_secret')!.advice!, /not checked/);
    const { body: hook } = await own.request<WebhookSubscription>('GET', `/v1/webhooks/${id}`);
    assert.deepEqual([hook.status, hook.dead_streak, hook.recent_deliveries.count], ['active', 0, 0]);
    const { body: log } = await own.request('GET', `/v1/webhooks/${id}/deliveries`);
    assert.deepEqual(log.items, []);
  });

  test('runs once at a time and ten times a day for each subscription', async () => {
    const own = organization();
    const { id } = await subscribe(own, receiver.url + newPath());
    const both = await Promise.all(
      [1, 2].map(() => own.request<{ code: string }>('POST', `/v1/webhooks/${id}/certify`)),
    );
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
    assert.equal(both.find(({ status }) => status === 409)!.body.code, 'certification_running');
    await db.run(sql`
      insert into webhook_certifications (id, organization_id, subscription_id, created_at, done_at)
      select gen_random_uuid(), ${own.organization_id}, ${id}, now(), now() from generate_series(1, 9)`);
    await db.run(sql`update webhook_certifications set done_at = now() where subscription_id = ${id}`);
    const refused = await own.request<{ code: string }>('POST', `/v1/webhooks/${id}/certify`);
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_certifications']);
  });

  test('is listed newest first, and deleted with its subscription', async () => {
    const own = organization();
    const { id } = await subscribe(own, receiver.url + newPath());
    const first = await certified(own, id);
    const second = await certified(own, id);
    const { body } = await own.request<{ items: { id: string }[] }>(
      'GET',
      `/v1/webhooks/${id}/certifications`,
    );
    assert.deepEqual(
      body.items.map((item) => item.id),
      [second.id, first.id],
    );
    assert.equal((await own.request('DELETE', `/v1/webhooks/${id}`)).status, 204);
    assert.equal((await own.request('GET', `/v1/webhooks/${id}/certifications`)).status, 404);
    const rows = await db.rows(sql`select id from webhook_certifications where subscription_id = ${id}`);
    assert.deepEqual(rows, []);
  });

  test('of an unknown subscription, or of another organization, is not found', async () => {
    const { id } = await subscribe(organization(), receiver.url + newPath());
    assert.equal((await organization().request('POST', `/v1/webhooks/${id}/certify`)).status, 404);
  });
});
