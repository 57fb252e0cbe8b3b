// Relays with arbitrary replies at each step of SMTP: every send has an outcome, and the pool loses no connection (M1).
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { hostileRelay } from '../../../../testing/hostile-relay.ts';
import { type RandomNumbers, randomNumbers, test_seed } from '../../../../testing/random.ts';
import { message, relayOf } from '../../../../testing/scripted-relay.ts';
import { waitFor } from '../../../../testing/wait-for.ts';
import { outgoing } from '../conformance.ts';
import type { OutgoingMail } from '../transport.ts';
import { smtpTransport } from './index.ts';

const never = new AbortController().signal;
const timeout_ms = 120;
const sends = 200;
const at_once = 12;
const max_connections = 4;
/** Much longer than any send may take, however slow the machine is; only a send that hangs reaches it. */
const hung_ms = 60_000;

const seed = test_seed;

const kinds = {
  'in clear': { scheme: 'smtp', tls: 'off', offers: ['PIPELINING', 'CHUNKING', 'SIZE 9999999', 'DSN'] },
  'without extensions': { scheme: 'smtp', tls: 'off', offers: [] },
  'with STARTTLS and a password': {
    scheme: 'smtp',
    user: 'agent:p%40ss@',
    tls: 'required',
    offers: ['PIPELINING', 'CHUNKING', 'STARTTLS', 'AUTH LOGIN'],
  },
} as const;

const anyMail = (random: RandomNumbers): OutgoingMail => {
  const to = Array.from({ length: 1 + random.below(3) }, (_, at) => `person${at}@example.org`);
  const lines = (count: number) => Buffer.from('0123456789\r\n'.repeat(count));
  const content = random.pick([
    () => outgoing(to),
    () => outgoing(to),
    () => outgoing(to, message(lines(20_000))),
    () =>
      outgoing(
        to,
        message(() => Readable.from([lines(500), lines(500)])),
      ),
  ]);
  return content();
};

/** Fails instead of waiting for ever. */
async function within<T>(work: Promise<T>, what: string): Promise<T> {
  const cut = new AbortController();
  const late = once(AbortSignal.any([cut.signal, AbortSignal.timeout(hung_ms)]), 'abort').then(() => {
    throw new Error(`${what} after ${hung_ms} ms (seed ${seed})`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cut.abort();
    late.catch(() => {});
  }
}

/** Waits for a state that no event announces. */
const until = (done: () => boolean, what: string) => waitFor(`${what} (seed ${seed})`, done);

/** Sockets and timers that keep this process alive. */
const resources = () =>
  process.getActiveResourcesInfo().filter((name) => /TCPSocket|TLS|^Timeout$/.test(name)).length;

describe(`hostile replies at every step (seed ${seed})`, () => {
  for (const [name, { scheme, tls, offers, ...kind }] of Object.entries(kinds)) {
    test(`${name}: every send has an outcome, and no connection is lost (M1)`, async (context) => {
      const before = resources();
      const random = randomNumbers(seed);
      const relay = await hostileRelay({ seed, offers: [...offers] });
      const transport = smtpTransport({
        url: `${scheme}://${'user' in kind ? kind.user : ''}localhost:${relay.port}`,
        max_connections,
        tls,
        hostname: 'sender.test',
        timeout_ms,
      });
      const outcomes = { accepted: 0, refused: 0 };
      const sendMany = async () => {
        while (outcomes.accepted + outcomes.refused < sends) {
          const deadline = AbortSignal.timeout(timeout_ms * 4);
          const outcome = await within(transport.send(anyMail(random), deadline), 'A send hangs');
          outcomes[outcome.accepted ? 'accepted' : 'refused']++;
          if (outcome.accepted) continue;
          const { response } = outcome.detail as { response: string };
          assert.ok(response.length <= 2000, `a reply of ${response.length} characters is kept`);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters must not occur.
          assert.doesNotMatch(response, /[\x00-\x08\x0b-\x1f]/);
        }
      };
      await Promise.all(Array.from({ length: at_once }, sendMany));
      context.diagnostic(
        `seed ${seed}: ${JSON.stringify(outcomes)}, hostile replies ${JSON.stringify(Object.fromEntries(relay.provoked))}`,
      );
      assert.ok(outcomes.refused > 0, 'the relay was not hostile');

      // Connections that are reset after a refusal return to the pool or are closed.
      const whole = () => {
        const { open, idle, waiting } = transport.pool();
        return waiting === 0 && open === idle;
      };
      await until(whole, `a slot is missing: ${JSON.stringify(transport.pool())}`);
      assert.ok(transport.pool().open <= max_connections);

      relay.behave();
      await until(() => whole(), 'a slot is missing');
      const sendGood = async () => {
        const mails = Array.from({ length: max_connections * 2 }, () => outgoing(['bob@example.org']));
        const answers = await Promise.all(
          mails.map((mail) => within(transport.send(mail, never), 'A good send hangs')),
        );
        return answers.every(({ accepted }) => accepted);
      };
      // A hostile reply on an idle connection, or a short deadline on a slow machine, may break one more send.
      let rounds = 1;
      while (!(await sendGood())) assert.ok(++rounds <= 10, 'good sends are still refused');
      await transport.close();
      await until(() => relay.connections() === 0, 'a connection is left');
      assert.deepEqual(transport.pool(), { open: 0, idle: 0, waiting: 0 });
      await relay.close();
      await until(() => resources() <= before, `left: ${process.getActiveResourcesInfo()}`);
    });
  }
});

const nonsense = {
  'a greeting of nonsense': { greeting: 'hello' },
  'an EHLO of nonsense': { answers: { EHLO: 'what?' } },
  'a greeting with a code that does not exist': { greeting: '999 hello' },
  'a reply to MAIL without an end': { answers: { MAIL: '250-and\r\n'.repeat(5000) } },
  'a reply to RCPT of one endless line': { answers: { RCPT: `250 ${'x'.repeat(300_000)}` } },
};

for (const [name, relay] of Object.entries(nonsense)) {
  test(`${name} fails only one send, not later ones (M1)`, async () => {
    const hostile = await relayOf(relay);
    const transport = hostile.transport({ max_connections: 2 });
    for (let each = 0; each < 5; each++) {
      const outcome = await within(transport.send(outgoing(['bob@example.org']), never), 'A send hangs');
      assert.deepEqual(!outcome.accepted && [outcome.reason, outcome.retryable], ['connection_failed', true]);
    }
    assert.deepEqual(transport.pool(), { open: 0, idle: 0, waiting: 0 });
  });
}

test('a reply that arrives endlessly byte by byte is a timeout (M1)', async () => {
  let drops: NodeJS.Timeout | undefined;
  const relay = await relayOf({
    answers: {
      MAIL: (socket) => {
        drops = setInterval(() => socket.write('2'), 10);
        socket.once('close', () => clearInterval(drops));
      },
    },
  });
  const transport = relay.transport({ timeout_ms: 100 });
  const outcome = await within(transport.send(outgoing(['bob@example.org']), never), 'A send hangs');
  assert.equal(!outcome.accepted && outcome.reason, 'timeout');
  assert.deepEqual(transport.pool(), { open: 0, idle: 0, waiting: 0 });
});

test('a send that times out while it waits for a connection passes its turn to the next one (M1)', async () => {
  const silent = await relayOf({ answers: { MAIL: () => {} } });
  const transport = silent.transport({ max_connections: 1, timeout_ms: 30_000 });
  const holder = new AbortController();
  const waiters = [new AbortController(), new AbortController()];
  const held = transport.send(outgoing(['a@example.org']), holder.signal);
  await until(() => silent.said().some((line) => line.startsWith('MAIL')), 'no connection');
  const waited = waiters.map(({ signal }) => transport.send(outgoing(['b@example.org']), signal));
  await until(() => transport.pool().waiting === 2, 'no send waits for a connection');
  // In the same tick: the free connection is offered to a send that is aborted at the same moment.
  holder.abort();
  waiters[0]!.abort();
  await held;
  await waited[0];
  await until(
    () => silent.said().filter((line) => line.startsWith('MAIL')).length === 2,
    'the connection was not offered to the next send',
  );
  waiters[1]!.abort();
  assert.equal(!(await waited[1]!).accepted, true);
  assert.deepEqual(transport.pool(), { open: 0, idle: 0, waiting: 0 });
});

test('a closed transport has no connections: waiting sends fail, running ones end with their connection (M1)', async () => {
  const relay = await relayOf({ answers: { MAIL: () => {} } });
  const transport = relay.transport({ max_connections: 1, timeout_ms: 200 });
  const both = [1, 2].map(() => transport.send(outgoing(['bob@example.org']), never));
  await until(() => transport.pool().waiting === 1, 'no send waits for a connection');
  await transport.close();
  const outcomes = await within(Promise.all(both), 'A send hangs');
  assert.ok(outcomes.every(({ accepted }) => !accepted));
  assert.deepEqual(transport.pool(), { open: 0, idle: 0, waiting: 0 });
});
