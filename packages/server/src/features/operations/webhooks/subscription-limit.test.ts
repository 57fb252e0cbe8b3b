// The limit of webhook subscriptions of an organization.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '@parley/contract/limits';
import { startTestApp } from '../../../../testing/app.ts';
import { newPath, subscribe } from '../../../../testing/webhooks.ts';
import { sql } from '../../../platform/db/sql.ts';

const { db, client } = await startTestApp();
const target_url = 'https://receiver.example';

test('a subscription above the limit is refused, also when several are created at once', async () => {
  const { id } = await subscribe(client, target_url + newPath());
  await db.run(sql`
    insert into webhook_subscriptions
    select s.* from generate_series(1, ${limits.webhook_subscriptions - 2}),
      lateral (select (json_populate_record(w, json_build_object('id', gen_random_uuid()))).*
                 from webhook_subscriptions w where id = ${id} and generate_series is not null) s`);
  const create = () =>
    client.request<{ code: string }>('POST', '/v1/webhooks', { target_url, event_types: ['call.completed'] });
  const answers = await Promise.all([create(), create(), create()]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422]);
  const { body } = answers.find(({ status }) => status === 422)!;
  assert.equal(body.code, 'too_many_webhooks');
});
