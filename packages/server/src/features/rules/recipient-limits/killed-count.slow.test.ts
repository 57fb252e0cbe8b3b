// The limits of recipients and of conversation tokens count exactly the records that exist, also when the process is killed while
// it counts and stores. Real processes die.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NewConversationToken } from '@parley/contract/access/credentials/conversation-tokens';
import type { Sms } from '@parley/contract/channels/sms/sms';
import { nil_uuid } from '@parley/contract/limits';
import { startTestApp } from '../../../../testing/app.ts';
import { dyingApi } from '../../../../testing/dying-api.ts';
import { sql } from '../../../platform/db/sql.ts';
import { default_sms_sender } from '../../../providers/carrier/sandbox/index.ts';

const { client, operator, db, database_url, data_dir } = await startTestApp({ PARLEY_ROLES: 'api' });

type Counts = { counted: number; stored: number };
const storedIn = (table: 'emails' | 'sms_messages') => sql`
  (select count(*)::int from ${sql.raw(table)} where organization_id = ${nil_uuid} and direction = 'outbound')`;

/** Sends once to each of the processes that die one statement later than the one before, until one survives. */
async function killAtEachStep(
  {
    path,
    body,
    key,
    statements,
  }: { path: string; body(step: number): object; key: string; statements: string },
  counts: () => Promise<Counts | null>,
): Promise<number> {
  for (let step = 1; ; step++) {
    const api = dyingApi({ database_url, data_dir, shared_key: client.key, statements, dies_at: step });
    const url = (await api.prints('at ')).slice(3);
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ recipient_consent: true, ...body(step) }),
    }).catch(() => null);
    if (answer) assert.equal(answer.status, 201, await answer.text());
    else assert.equal((await api.exited).signal, 'SIGKILL');
    api.kill();
    await api.exited;
    const { counted, stored } = (await counts())!;
    assert.equal(counted, stored, `${path}, statement ${step}`);
    if (answer) {
      assert.ok(stored > 0);
      return step;
    }
  }
}

const channels = {
  emails: ['/v1/emails', (step: number) => ({ to: [`ana${step}@example.org`], subject: 'Hello' })],
  sms: ['/v1/sms', (step: number) => ({ to: `+1415555${4000 + step}`, body: 'Hello' })],
} as const;

for (const channel of ['emails', 'sms'] as const)
  test(`F14: a kill leaves no count of recipients without one of the ${channel}`, {
    timeout: 280_000,
  }, async () => {
    const rules = { new_recipients_per_day: 50, messages_per_person_per_day: 50 };
    const set = await operator.request('PUT', '/v1/contact-rules', rules);
    assert.equal(set.status, 200, set.text);
    const [path, body] = channels[channel];
    const table = channel === 'emails' ? 'emails' : 'sms_messages';
    const statements =
      'new_recipient_uses|person_uses|known_parties .*counted_at|insert into (emails|sms_messages)';
    // Each record has one recipient, who is new.
    const counters = sql`
      select used as counted, 'new_recipient_uses' as name from new_recipient_uses where channel = ${channel}
      union all select sum(used)::int, 'person_uses' from person_uses where channel = ${channel}`;
    const steps = await killAtEachStep({ path, body, key: client.key, statements }, async () => {
      const each = await db.rows<{ counted: number | null; name: string }>(counters);
      const all = await db.maybe<{ stored: number }>(sql`select ${storedIn(table)} as stored`);
      for (const { counted, name } of each) assert.equal(counted ?? 0, all!.stored, name);
      return { counted: each[0]?.counted ?? 0, stored: all!.stored };
    });
    assert.ok(steps > 3, `only ${steps - 1} processes were killed`);
  });

test('F14: a kill leaves no count of a conversation token without a text', { timeout: 280_000 }, async () => {
  const reset = await operator.request('PUT', '/v1/contact-rules', {});
  assert.equal(reset.status, 200, reset.text);
  const from = '+14155554900';
  const inbound = await client.request<Sms>('POST', '/v1/sandbox/inbound-sms', {
    from,
    to: default_sms_sender,
    body: 'Hi',
  });
  assert.equal(inbound.status, 201, inbound.text);
  const path = `/v1/conversations/${inbound.body.conversation_id}/tokens`;
  const token = await client.request<NewConversationToken>('POST', path, { budget: { max_count: 50 } });
  assert.equal(token.status, 201, token.text);
  const send = {
    path: '/v1/sms',
    body: () => ({ to: from, body: 'Hello' }),
    key: token.body.token,
    statements: 'update conversation_tokens|insert into sms_messages',
  };
  const steps = await killAtEachStep(send, () =>
    db.maybe<Counts>(sql`
      select t.used_count as counted,
             (select count(*)::int from sms_messages where "to" = ${from} and direction = 'outbound') as stored
        from conversation_tokens t where t.id = ${token.body.id}`),
  );
  assert.ok(steps > 2, `only ${steps - 1} processes were killed`);
});
