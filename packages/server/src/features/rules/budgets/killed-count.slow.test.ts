// A budget counts exactly the records that exist, also when the process is killed while it counts and stores. Real processes die.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nil_uuid } from '@parley/contract/limits';
import { startTestApp } from '../../../../testing/app.ts';
import { dyingApi } from '../../../../testing/dying-api.ts';
import { sql } from '../../../platform/db/sql.ts';

const { client, operator, db, database_url, data_dir } = await startTestApp({ PARLEY_ROLES: 'api' });

/** Ends after the statement with this number that changes a budget or stores a record. */
const api = (dies_at: number) =>
  dyingApi({
    database_url,
    data_dir,
    shared_key: client.key,
    statements: 'update budget_uses|insert into (emails|sms_messages)',
    dies_at,
  });

const requests = {
  emails: ['/v1/emails', { to: ['ana@example.org'], subject: 'Hello' }],
  sms: ['/v1/sms', { to: '+14155550301', body: 'Hello' }],
} as const;

for (const channel of ['emails', 'sms'] as const)
  test(`F14: a kill between the count and the record leaves no count without one of the ${channel}`, {
    timeout: 280_000,
  }, async () => {
    // Each one passes a threshold, so that a single statement cannot count it.
    const budget = await operator.request<{ id: string }>('POST', '/v1/budgets', {
      subject: { kind: 'organization', id: null },
      channel,
      window: 'day',
      max_count: 4,
    });
    assert.equal(budget.status, 201, budget.text);
    const table = sql.raw(channel === 'emails' ? 'emails' : 'sms_messages');
    for (const dies_at of [1, 2]) {
      const killed = api(dies_at);
      const url = (await killed.prints('at ')).slice(3);
      const [path, body] = requests[channel];
      await fetch(url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${client.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ recipient_consent: true, ...body }),
      }).catch(() => null);
      assert.equal((await killed.exited).signal, 'SIGKILL');
      const used = await operator.request<{ used_count: number }>('GET', `/v1/budgets/${budget.body.id}`);
      const stored = await db.maybe<{ count: number }>(sql`
        select count(*)::int as count from ${table}
         where organization_id = ${nil_uuid} and direction = 'outbound'`);
      assert.equal(used.body.used_count, stored!.count, `${channel}, statement ${dies_at}`);
    }
  });
