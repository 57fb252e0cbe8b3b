// The whole service before a relay that answers anything: sends end, the process stays responsive, and mail goes on after (M1).
import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { after, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { EmailDomain } from '@parley/contract/email-domains';
import { startTestApp } from '../../../testing/app.ts';
import { hostileRelay } from '../../../testing/hostile-relay.ts';
import { sql } from '../../platform/db/sql.ts';

/** Set FUZZ_SEED to repeat a run. */
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
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
 * The longest delay in milliseconds of this thread's event loop, and of an idle thread beside it: a machine that is busy
 * with other things delays both, so only the difference is our own doing.
 */
function measureDelay() {
  const own = monitorEventLoopDelay({ resolution: 5 });
  const beside = new Worker(
    `const { parentPort } = require('node:worker_threads');
     const delay = require('node:perf_hooks').monitorEventLoopDelay({ resolution: 5 });
     delay.enable();
     parentPort.once('message', () => { delay.disable(); parentPort.postMessage(delay.max / 1e6); });`,
    { eval: true },
  );
  own.enable();
  return async () => {
    own.disable();
    const beside_ms = await new Promise<number>((resolve) => {
      beside.once('message', resolve);
      beside.postMessage('stop');
    });
    await beside.terminate();
    return { own_ms: own.max / 1e6, beside_ms };
  };
}

test(`a relay that answers anything holds up nothing but its own sends (M1), seed ${seed}`, async (context) => {
  // Warm: the first send compiles what it needs.
  await send();
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
  const { own_ms, beside_ms } = await delay();
  context.diagnostic(
    `seed ${seed}: ${JSON.stringify(Object.fromEntries(statuses))}, delay ${own_ms.toFixed()} ms, of an idle thread ${beside_ms.toFixed()} ms`,
  );
  assert.ok(own_ms - beside_ms < max_delay_ms, `the event loop stood still for ${own_ms} ms (seed ${seed})`);
  assert.ok(statuses.has(502), 'the relay was not hostile');
  const open = await db.rows(sql`select id from emails where status = 'queued'`);
  assert.deepEqual(open, []);

  relay.behave();
  // Connections that were made before it behaved may still hold half a reply; there are four of them at most.
  const answers: number[] = [];
  for (let each = 0; each < 20; each++) answers.push((await send()).status);
  assert.deepEqual([...new Set(answers.slice(5))], [201], `${answers} (seed ${seed})`);
});
