// A relay with arbitrary replies: sends end, the process stays responsive, and later mail is sent (M1).
import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { after, test } from 'node:test';
import type { EmailDomain } from '@parley/contract/email-domains';
import { startTestApp } from '../../../../testing/app.ts';
import { hostileRelay } from '../../../../testing/hostile-relay.ts';
import { test_seed } from '../../../../testing/random.ts';
import { sql } from '../../../platform/db/sql.ts';

const seed = test_seed;
const sends = 120;
const at_once = 12;
const max_delay_ms = 100;

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
const domain = await client.request<EmailDomain>('POST', '/v1/email-domains', {
  kind: 'custom',
  domain: 'acme.example',
});
await db.run(sql`update email_domains set verification_status = 'verified' where id = ${domain.body.id}`);

const send = () =>
  client.request<{ status: string; code?: string }>('POST', '/v1/emails', {
    recipient_consent: true,
    to: ['bob@example.org'],
    subject: 'Hello',
    body_text: 'Words.',
  });

/**
 * The longest delay of this process's event loop, and the most CPU time that its thread took between two turns, both in
 * milliseconds: on a machine that is busy with other things a thread also stands still without any work of its own.
 */
function measureDelay() {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const usedMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let before_ms = usedMs();
  let busiest_ms = 0;
  const turn = () => {
    const now_ms = usedMs();
    busiest_ms = Math.max(busiest_ms, now_ms - before_ms);
    before_ms = now_ms;
  };
  const turns = setInterval(turn, 5);
  delay.enable();
  return () => {
    delay.disable();
    clearInterval(turns);
    turn();
    return { longest_ms: delay.max / 1e6, busiest_ms };
  };
}

test(`a relay with arbitrary replies delays only its own sends (M1), seed ${seed}`, async (context) => {
  // The first sends are slow, because V8 compiles the code.
  await Promise.all(Array.from({ length: at_once }, send));
  const delay = measureDelay();
  let is_over = false;
  const health = (async () => {
    let asked = 0;
    for (; !is_over; asked++) assert.equal((await fetch(`${url}/healthz`)).status, 200);
    return asked;
  })();
  let left = sends;
  const statuses = new Map<number, number>();
  const sendMany = async () => {
    while (left-- > 0) {
      const { status, text } = await send();
      assert.ok(status === 201 || status === 502, `${text} (seed ${seed})`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: at_once }, sendMany));
  is_over = true;
  assert.ok((await health) > 0);
  const { longest_ms, busiest_ms } = delay();
  context.diagnostic(
    `seed ${seed}: ${JSON.stringify(Object.fromEntries(statuses))}, delay ${longest_ms.toFixed()} ms, at most ${busiest_ms.toFixed()} ms of it our work`,
  );
  assert.ok(
    Math.min(longest_ms, busiest_ms) < max_delay_ms,
    `the event loop stood still for ${longest_ms} ms, ${busiest_ms} ms of work (seed ${seed})`,
  );
  assert.ok(statuses.has(502), 'the relay was not hostile');
  const open = await db.rows(sql`select id from emails where status = 'queued'`);
  assert.deepEqual(open, []);

  relay.behave();
  // Connections from before may still have half a reply; there are four of them at most.
  const answers: number[] = [];
  for (let each = 0; each < 20; each++) answers.push((await send()).status);
  assert.deepEqual([...new Set(answers.slice(5))], [201], `${answers} (seed ${seed})`);
});
