// The service is killed repeatedly: every confirmed change is still stored.
import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Contact } from '@parley/contract/rules/people/contacts';
import { pause } from '../../packages/server/testing/wait-for.ts';
import { type Answer, type Home, makeHome, postmasterOf, type Service, signal, until } from './process.ts';

const settings = { PARLEY_REQUESTS_PER_MINUTE: '1000000000' };
/** Each kind of kill once. Its moment is random, so that further runs hit other moments; a round more is a start more. */
const rounds = 5;
const clients = 4;

type Sent = {
  body: { name: string; email: string };
  /** Its Idempotency-Key; every second request has one. */
  key: string | null;
  answered: Contact | null;
  round: string;
};

function post(service: Service, { body, key }: Sent): Promise<Answer<Contact>> {
  return service.request('POST', '/v1/contacts', body, key === null ? {} : { 'idempotency-key': key });
}

/** One client that adds contacts until the service stops responding. */
async function addContacts(service: Service, round: string, sent: Sent[]): Promise<void> {
  for (let count = 0; ; count++) {
    const id = randomUUID();
    const body = { name: `Person ${id}`, email: `${id}@example.com` };
    const request: Sent = { body, key: count % 2 === 0 ? id : null, answered: null, round };
    sent.push(request);
    const answer = await post(service, request).catch(() => null);
    if (!answer) return;
    assert.equal(answer.status, 201, answer.text);
    request.answered = answer.body;
  }
}

async function killAtWork(home: Home, plan: Plan, sent: Sent[]): Promise<void> {
  const service = await home.start(settings);
  const adding = Array.from({ length: clients }, () => addContacts(service, plan.name, sent));
  // On a loaded machine the first response takes longer than the random moment.
  await until(() => sent.some(({ answered, round }) => answered !== null && round === plan.name));
  await pause(plan.moment_ms, 'the kill comes at a random moment');
  const killed = service.kill();
  if (plan.victim === 'service and PostgreSQL') signal(postmasterOf(home.data_dir)!, 'SIGKILL');
  await Promise.all([killed, ...adding]);
}

async function killAtStart(home: Home, plan: Plan): Promise<void> {
  const launched = home.launch(settings);
  await pause(plan.moment_ms, 'the kill comes at a random moment');
  await launched.kill();
}

type Plan = { name: string; victim: (typeof victims)[number]; moment_ms: number };

/** The first start, which creates the database, is killed too. */
const victims = ['start', 'service', 'service', 'service and PostgreSQL', 'service'] as const;

function planRound(round: number): Plan {
  const victim = victims[round % victims.length]!;
  const moment_ms = randomInt(victim === 'start' ? 1000 : 150);
  return { name: `round ${round}: the ${victim} killed after ${moment_ms} ms`, victim, moment_ms };
}

async function allContacts(service: Service): Promise<Map<string, Contact>> {
  const found = new Map<string, Contact>();
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: Answer<{ items: Contact[]; next_cursor: string | null }> = await service.request(
      'GET',
      `/v1/contacts?limit=200${cursor && `&cursor=${cursor}`}`,
    );
    assert.equal(page.status, 200, page.text);
    for (const contact of page.body.items) found.set(contact.id, contact);
    cursor = page.body.next_cursor;
  }
  return found;
}

test('a service that is killed repeatedly', async (t) => {
  const home = makeHome(t);
  const sent: Sent[] = [];
  for (let round = 0; round < rounds; round++) {
    const plan = planRound(round);
    const work = plan.victim === 'start' ? killAtStart(home, plan) : killAtWork(home, plan, sent);
    await work.catch((cause) => {
      throw new Error(`${plan.name}, failed`, { cause });
    });
  }

  const service = await home.start(settings);
  const answered = sent.filter((request) => request.answered !== null);
  const repeatable = sent.filter((request) => request.key !== null);

  await t.test('every contact with a 201 response is stored as in the response', async () => {
    assert.ok(answered.length > rounds, 'no contacts were created');
    const found = await allContacts(service);
    for (const { answered: contact, round } of answered) {
      assert.deepEqual(found.get(contact!.id), contact, `lost in ${round}`);
    }
  });

  await t.test('a repeated Idempotency-Key returns the contact of the first response', async () => {
    for (const request of repeatable.filter(({ answered: contact }) => contact !== null)) {
      const again = await post(service, request);
      assert.equal(again.status, 201, `${request.round}: ${again.text}`);
      assert.equal(again.headers.get('idempotent-replayed'), 'true');
      assert.deepEqual(again.body, request.answered);
    }
  });

  await t.test('a request without a response succeeds when repeated, and created one contact', async () => {
    const unanswered = repeatable.filter(({ answered: contact }) => contact === null);
    for (const request of unanswered) {
      const again = await post(service, request);
      assert.equal(again.status, 201, again.text);
      request.answered = again.body;
    }
    const found = await allContacts(service);
    for (const { answered: contact } of unanswered) assert.deepEqual(found.get(contact!.id), contact);
  });

  await t.test('a stop after that leaves no process', async () => {
    assert.deepEqual(await service.stop(), { code: 0, signal: null });
    await home.noPostgresLeft();
  });
});

test('an embedded PostgreSQL that is killed is restarted by the running service', async (t) => {
  const home = makeHome(t);
  const service = await home.start(settings);
  const before = await service.request('POST', '/v1/contacts', { name: 'Ana', email: 'ana@example.com' });
  assert.equal(before.status, 201);

  const killed = postmasterOf(home.data_dir)!;
  signal(killed, 'SIGKILL');
  const statuses = new Set<number>();
  await until(async () => {
    const { status } = await service.request('GET', `/v1/contacts/${before.body.id}`);
    statuses.add(status);
    return status === 200 && postmasterOf(home.data_dir) !== killed;
  });
  // Until it runs again, a request either fails with that error or uses a connection that is still open.
  assert.deepEqual(
    [...statuses].filter((status) => status !== 200 && status !== 503),
    [],
  );
  assert.deepEqual(await service.stop(), { code: 0, signal: null });
  await home.noPostgresLeft();
});
