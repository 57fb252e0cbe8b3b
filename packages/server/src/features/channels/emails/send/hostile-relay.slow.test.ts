// A relay with arbitrary replies: sends end, the service responds meanwhile, and later mail is sent (M1).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestApp } from '../../../../../testing/app.ts';
import { hostileRelay } from '../../../../../testing/hostile-relay.ts';
import { test_seed } from '../../../../../testing/random.ts';
import { addVerifiedDomain } from '../../../../../testing/relayed-app.ts';
import { sql } from '../../../../platform/db/sql.ts';

const seed = test_seed;
const sends = 120;
const at_once = 12;

const relay = await hostileRelay({
  seed,
  offers: ['PIPELINING', 'CHUNKING', 'SIZE 9999999', 'DSN', 'STARTTLS', '8BITMIME'],
});
after(() => relay.close());
const { client, url, db } = await startTestApp({
  PARLEY_SMTP_URL: `smtp://localhost:${relay.port}`,
  PARLEY_SMTP_CONNECTIONS: '4',
  PARLEY_EMAIL_TIMEOUT_SECONDS: '1',
});
await addVerifiedDomain({ client, db });

const send = () =>
  client.request<{ status: string; code?: string }>('POST', '/v1/emails', {
    recipient_consent: true,
    to: ['bob@example.org'],
    subject: 'Hello',
    body_text: 'Words.',
  });

test(`a relay with arbitrary replies delays only its own sends (M1), seed ${seed}`, async (context) => {
  let left = sends;
  const statuses = new Map<number, number>();
  const sendMany = async () => {
    while (left-- > 0) {
      const [{ status, text }, health] = await Promise.all([send(), fetch(`${url}/healthz`)]);
      assert.equal(health.status, 200);
      assert.ok(status === 201 || status === 502, `${text} (seed ${seed})`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: at_once }, sendMany));
  context.diagnostic(`seed ${seed}: ${JSON.stringify(Object.fromEntries(statuses))}`);
  assert.ok(statuses.has(502), 'the relay was not hostile');
  const open = await db.rows(sql`select id from emails where status = 'queued'`);
  assert.deepEqual(open, []);

  relay.behave();
  // Connections from before may still have half a reply; there are four of them at most.
  const answers: number[] = [];
  for (let each = 0; each < 20; each++) answers.push((await send()).status);
  assert.deepEqual([...new Set(answers.slice(5))], [201], `${answers} (seed ${seed})`);
});
