// Waits over HTTP: what counts since when, expiry, cancel, limits, scopes, conversation tokens, and the wall between tenants.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { EventEnvelope } from '@parley/contract/event';
import type { Wait, WaitCondition } from '@parley/contract/inbox/waits';
import { limits } from '@parley/contract/limits';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { ok, type Page, receiveEmail, sendEmail } from '../../../../testing/conversations.ts';
import { randomNumbers, test_seed } from '../../../../testing/random.ts';
import {
  createWait,
  getWait,
  newNumber,
  type Problem,
  postWait,
  receiveTextAt,
  settledWait,
} from '../../../../testing/waits.ts';
import { systemClock } from '../../../platform/clock.ts';
import { sql } from '../../../platform/db/sql.ts';
import { uuidv7Ids } from '../../../platform/ids.ts';

const service = await startTestApp();
const { client, organization, holder, db, later } = service;
const settled = settledWait(service);
const person = '+14155552671';
const ana = 'ana@example.com';
const any_email: WaitCondition[] = [{ kind: 'email' }];

const now = async () =>
  Date.parse((await client.request<{ now: string }>('GET', '/v1/sandbox/clock')).body.now);
const inSeconds = async (seconds: number) => new Date((await now()) + seconds * 1000).toISOString();
const cancel = (of: Client, { id }: { id: string }) =>
  of.request<Wait & Problem>('POST', `/v1/waits/${id}/cancel`);
const eventsOf = async (of: Client, { id }: { id: string }) =>
  (await ok<Page<EventEnvelope>>(of, 'GET', `/v1/events?resource_id=${id}`)).items;

describe('a new wait', () => {
  test('is resolved at once by what was received since a time; of several matches the earliest counts', async () => {
    const own = organization();
    const to = await newNumber(own);
    await receiveEmail(own, { from: ana, text: 'Too early' });
    const since = await inSeconds(0);
    const text = await receiveTextAt(own, person, to, 'First');
    await receiveEmail(own, { from: ana, text: 'Second' });
    const both: WaitCondition[] = [
      { kind: 'email', from: ana },
      { kind: 'sms', to },
    ];
    const wait = await createWait(own, both, { since });
    const { matched } = wait;
    assert.deepEqual(
      [wait.status, matched!.index, matched!.kind, matched!.object.id],
      ['resolved', 1, 'sms', text.id],
    );
    assert.equal((await createWait(own, both)).status, 'pending');
  });

  test('answers a request that waits as soon as it is resolved', async () => {
    const own = organization();
    const waiting = createWait(own, [{ kind: 'email', from: ana }], {
      wait_seconds: 50,
      metadata: { order: 7 },
    });
    const other = await createWait(own, any_email);
    const pending = getWait(own, other, 50);
    await receiveEmail(own, { from: ana, text: 'Hello' });
    const resolved = await waiting;
    assert.deepEqual([resolved.status, resolved.metadata], ['resolved', { order: 7 }]);
    assert.equal((await pending).status, 'resolved');
    const shortly = await createWait(own, any_email, { wait_seconds: 1 });
    assert.equal(shortly.status, 'pending');
  });

  test('finds a code behind more messages than one look evaluates', async () => {
    const own = organization();
    const to = await newNumber(own);
    // All in the same millisecond: a look must not begin there again and again.
    const at_ms = systemClock().ms();
    const ids = uuidv7Ids({ ...systemClock(), ms: () => at_ms });
    const since = await inSeconds(-1);
    const row = { from: person, to, organization_id: own.organization_id };
    await db.run(sql`
      insert into sms_messages (id, organization_id, conversation_id, direction, "from", "to", body, status, segments, encoding,
                                provider, requested_at, metadata, origin, is_shared_sender, attempts, claims)
      select id, ${row.organization_id}, ${row.organization_id}, 'inbound', ${row.from}, ${row.to}, 'Hello', 'received', 1, 'gsm7',
             'sandbox', now(), '{}', 'carrier', false, 0, 0
        from unnest(${Array.from({ length: 1000 }, ids.next)}::uuid[]) as id`);
    await receiveTextAt(own, person, to, 'Your code is 482913');
    const wait = await createWait(own, [{ kind: 'code', to }], { since });
    assert.equal(wait.status, 'pending');
    assert.equal((await settled(own, wait)).matched!.code, '482913');
  });

  test('is reported by an event with the wait as it is, without the record', async () => {
    const own = organization();
    const wait = await createWait(own, [{ kind: 'code', from: ana }], { metadata: { order: 7 } });
    await receiveEmail(own, { from: ana, text: 'Your code is 482913' });
    const { matched, ...resolved } = await settled(own, wait);
    const [event] = await eventsOf(own, wait);
    assert.equal(event!.type, 'wait.resolved');
    const object = { noun: 'email', id: matched!.object.id, record: null };
    assert.deepEqual(event!.data, { ...resolved, matched: { ...matched, object } });
    assert.equal(matched!.code, '482913');
  });

  test('is stored once for an Idempotency-Key, and a repeated request gets the response of the first', async () => {
    const own = organization();
    const headers = { 'idempotency-key': randomUUID() };
    const first = await postWait(own, any_email, {}, headers);
    const again = await postWait(own, any_email, {}, headers);
    assert.deepEqual([again.status, again.text], [201, first.text]);
    await receiveEmail(own, { from: ana, text: 'Hello' });
    const since = await inSeconds(-60);
    const resolved_headers = { 'idempotency-key': randomUUID() };
    const resolved = await postWait(own, any_email, { since }, resolved_headers);
    assert.equal(resolved.body.status, 'resolved');
    const replayed = await postWait(own, any_email, { since }, resolved_headers);
    assert.equal(replayed.text, resolved.text);
    assert.equal((await ok<Page<Wait>>(own, 'GET', '/v1/waits')).items.length, 2);
  });

  test('must name what exists and times within the limits', async () => {
    const own = organization();
    const foreign = await sendEmail(client, [ana]);
    const inbound = await receiveEmail(own, { from: ana, text: 'Hello' });
    const id = randomUUID();
    const missing: [WaitCondition, string][] = [
      [{ kind: 'reply', conversation_id: id }, 'conversation_id'],
      [{ kind: 'reply', conversation_id: foreign.conversation_id }, 'conversation_id'],
      [{ kind: 'call', call_id: id }, 'call_id'],
      [{ kind: 'outcome', noun: 'email', id: foreign.id }, 'id'],
      [{ kind: 'outcome', noun: 'email', id: inbound.id }, 'id'],
      [{ kind: 'approval', approval_id: id }, 'approval_id'],
    ];
    for (const [condition, field] of missing) {
      const answer = await postWait(own, [{ kind: 'email' }, condition]);
      assert.deepEqual([answer.status, answer.body.code], [422, 'wait_target_not_found'], answer.text);
      assert.match(answer.text, new RegExp(`body\\.any_of\\[1\\]\\.${field}`));
    }
    const times = [
      { since: await inSeconds(-limits.wait_since_hours * 3600 - 60) },
      { since: await inSeconds(3600) },
      { expires_at: await inSeconds(-1) },
      { expires_at: await inSeconds(limits.wait_max_days * 86_400 + 60) },
    ];
    for (const time of times) {
      const answer = await postWait(own, any_email, time);
      assert.deepEqual([answer.status, answer.body.code], [422, 'invalid_wait_time'], JSON.stringify(time));
    }
    const many = Array.from({ length: limits.wait_conditions + 1 }, () => any_email[0]!);
    const bodies = [{ any_of: [] }, { any_of: many }, { any_of: any_email, wait_seconds: 56 }];
    for (const body of bodies)
      assert.equal((await own.request('POST', '/v1/waits', body)).status, 422, JSON.stringify(body));
    const mixed: WaitCondition = { kind: 'code', from: ana, to: '+15005550001' };
    assert.equal((await postWait(own, [mixed])).body.code, 'validation_failed');
  });

  test('needs room: an organization has at most a thousand pending ones', async () => {
    const own = organization();
    await db.run(sql`
      insert into waits (organization_id, id, status, any_of, since, expires_at, created_at, metadata, look_at, unseen_from)
      select ${own.organization_id}, gen_random_uuid(), 'pending', '[]', now(), now() + '1 day', now(), '{}', now() + '1 day', now()
        from generate_series(1, ${limits.waits_pending - 1})`);
    const last = await createWait(own, any_email);
    const refused = await postWait(own, any_email);
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_waits']);
    assert.equal((await cancel(own, last)).status, 200);
    await createWait(own, any_email);
  });
});

describe('a wait ends', () => {
  test('when it expires, after a last look', async () => {
    const own = organization();
    const to = await newNumber(own);
    const expires_at = await inSeconds(60);
    const [lost, lucky] = [
      await createWait(own, [{ kind: 'email', from: ana }], { expires_at }),
      await createWait(own, [{ kind: 'sms', to }], { expires_at }),
    ];
    // As if no event told of the text.
    await receiveTextAt(own, person, to, 'Hello');
    await later(61);
    assert.deepEqual(
      [(await getWait(own, lost)).status, (await getWait(own, lucky)).status],
      ['expired', 'resolved'],
    );
    await receiveEmail(own, { from: ana, text: 'Too late' });
    const expired = await settled(own, lost);
    assert.deepEqual([expired.status, expired.matched, expired.resolved_at], ['expired', null, null]);
    assert.deepEqual(
      (await eventsOf(own, lost)).map(({ type }) => type),
      ['wait.expired'],
    );
  });

  test('when it is canceled, and only once', async () => {
    const own = organization();
    const wait = await createWait(own, any_email);
    const waiting = getWait(own, wait, 50);
    const canceled = await cancel(own, wait);
    assert.deepEqual([canceled.status, canceled.body.status], [200, 'canceled']);
    assert.equal((await waiting).status, 'canceled');
    const again = await cancel(own, wait);
    assert.deepEqual([again.status, again.body.code], [409, 'wait_already_over']);
    await receiveEmail(own, { from: ana, text: 'Hello' });
    assert.equal((await settled(own, wait)).status, 'canceled');
    const listed = await ok<Page<Wait>>(own, 'GET', '/v1/waits?status=canceled');
    assert.deepEqual(listed.items, [canceled.body]);
    assert.equal((await ok<Page<Wait>>(own, 'GET', '/v1/waits?status=pending')).items.length, 0);
  });

  test('never by an email in quarantine, and when that is released', async () => {
    const own = organization();
    const email = await receiveEmail(own, { from: ana, text: 'Your code is 482913' });
    await service.app.jobs.drain();
    await ok(own, 'POST', `/v1/emails/${email.id}/quarantine`);
    const { conversation_id } = await sendEmail(own, [ana]);
    const waits = [
      await createWait(own, [{ kind: 'email' }], { since: await inSeconds(-60) }),
      await createWait(own, [{ kind: 'code', from: ana }]),
      await createWait(own, [{ kind: 'reply', conversation_id }]),
    ];
    for (const wait of waits) assert.equal((await settled(own, wait)).status, 'pending');
    await ok(own, 'POST', `/v1/emails/${email.id}/release`);
    for (const wait of waits) {
      const { any_of, matched } = await settled(own, wait);
      assert.equal(matched?.object.id, email.id, any_of[0]!.kind);
    }
  });

  test('never by a text that a rule blocks', async () => {
    const own = organization();
    const to = await newNumber(own);
    const match = { kind: 'number', value: person };
    await ok(own, 'POST', '/v1/receive-rules', { channel: 'sms', match, action: 'block' });
    const wait = await createWait(own, [{ kind: 'sms', to }, { kind: 'code' }]);
    await receiveTextAt(own, person, to, 'Your code is 482913');
    assert.equal((await settled(own, wait)).status, 'pending');
  });
});

describe('a caller', () => {
  test('waits only for what its scopes allow it to read', async () => {
    const own = organization();
    const limited = organization({
      organization_id: own.organization_id,
      scopes: ['waits:read', 'waits:write', 'sms:read'],
    });
    const refused = await postWait(limited, any_email);
    assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_scope']);
    assert.match(refused.text, /emails:read/);
    await createWait(limited, [{ kind: 'code', channel: 'sms' }]);
    const { conversation_id } = await sendEmail(own, [ana]);
    assert.equal((await postWait(limited, [{ kind: 'reply', conversation_id }])).status, 403);
    const foreign = await createWait(own, [{ kind: 'code', from: ana }]);
    await receiveEmail(own, { from: ana, text: 'Your code is 482913' });
    await settled(own, foreign);
    const { matched } = await getWait(limited, foreign);
    assert.deepEqual([matched!.object.record, matched!.code], [null, null]);
  });

  test('without its scopes does not get the response of another caller for the same Idempotency-Key', async () => {
    const own = organization();
    const limited = organization({
      organization_id: own.organization_id,
      scopes: ['waits:read', 'waits:write'],
    });
    const body = { any_of: [{ kind: 'code', channel: 'email' }] };
    const headers = { 'idempotency-key': randomUUID() };
    const wait = await own.request<Wait>('POST', '/v1/waits', body, headers);
    await receiveEmail(own, { from: ana, text: 'Your code is 482913' });
    await settled(own, wait.body);
    const repeated = await limited.request<Problem>('POST', '/v1/waits', body, headers);
    assert.deepEqual([repeated.status, repeated.body.code], [403, 'insufficient_scope']);
    assert.equal((await own.request<Wait>('POST', '/v1/waits', body, headers)).body.id, wait.body.id);
  });

  test('with a conversation token waits for its conversation only', async () => {
    const number = await newNumber(client);
    const own = await receiveTextAt(client, person, number, 'Hi');
    const { conversation_id } = own;
    const { token, expires_at } = await ok<{ token: string; expires_at: string }>(
      client,
      'POST',
      `/v1/conversations/${conversation_id}/tokens`,
      { may: ['wait'] },
    );
    const limited = holder(token);
    const of_client = await createWait(client, [{ kind: 'sms' }]);
    const [reply, code] = [
      await createWait(limited, [{ kind: 'reply', conversation_id }]),
      await createWait(limited, [{ kind: 'code' }]),
    ];
    assert.equal(reply.expires_at, expires_at);
    await receiveTextAt(client, '+14155550199', number, 'Your code is 111222');
    await receiveEmail(client, { from: ana, text: 'Your code is 333444' });
    assert.deepEqual(
      [(await settled(limited, reply)).status, (await settled(limited, code)).status],
      ['pending', 'pending'],
    );
    await receiveTextAt(client, person, number, 'Your code is 555666');
    assert.equal(((await settled(limited, reply)).matched!.object.record as Sms).body, 'Your code is 555666');
    assert.equal((await settled(limited, code)).matched!.code, '555666');
    assert.deepEqual(
      (await ok<Page<Wait>>(limited, 'GET', '/v1/waits')).items.map(({ id }) => id),
      [code.id, reply.id],
    );
    assert.equal((await limited.request('GET', `/v1/waits/${of_client.id}`)).status, 404);
    assert.equal((await cancel(limited, of_client)).status, 404);
    const email = await sendEmail(client, [ana]);
    const others: [WaitCondition, string][] = [
      [{ kind: 'reply', conversation_id: email.conversation_id }, 'wait_target_not_found'],
      [{ kind: 'outcome', noun: 'email', id: email.id }, 'wait_target_not_found'],
      [{ kind: 'approval', approval_id: randomUUID() }, 'insufficient_scope'],
    ];
    for (const [condition, expected] of others)
      assert.equal((await postWait(limited, [condition])).body.code, expected, condition.kind);
    const too_long = await postWait(limited, [{ kind: 'sms' }], { expires_at: await inSeconds(7200) });
    assert.equal(too_long.body.code, 'outlives_credential');
    for (let made = 0; made < limits.waits_pending_per_conversation; made++)
      await createWait(limited, [{ kind: 'sms' }]);
    assert.equal((await postWait(limited, [{ kind: 'sms' }])).body.code, 'too_many_waits');
  });
});

test('two organizations with the same people and words never end a wait of the other', async () => {
  const random = randomNumbers(test_seed);
  const senders = [ana, 'bob@example.com'];
  const phones = [person, '+14155550199'];
  const sides = [organization(), organization()].map((of) => ({
    of,
    waits: new Map<string, string | null>(),
  }));
  const numbers = [await newNumber(sides[0]!.of), await newNumber(sides[1]!.of)];
  const kinds: WaitCondition[] = [
    ...senders.map((from): WaitCondition => ({ kind: 'email', from })),
    ...phones.map((from): WaitCondition => ({ kind: 'sms', from })),
  ];
  for (let step = 0; step < 40; step++) {
    const at = random.below(2);
    const { of, waits } = sides[at]!;
    if (random.next() < 0.5) {
      const condition = random.pick(kinds) as Extract<WaitCondition, { kind: 'email' | 'sms' }>;
      const { id } = await createWait(of, [condition]);
      waits.set(`${id} ${condition.from}`, null);
      continue;
    }
    const from = random.pick([...senders, ...phones]);
    const { id } = from.includes('@')
      ? await receiveEmail(of, { from, text: 'The same words' })
      : await receiveTextAt(of, from, numbers[at]!, 'The same words');
    for (const [key, found] of waits) if (found === null && key.endsWith(` ${from}`)) waits.set(key, id);
  }
  await service.app.jobs.drain();
  for (const { of, waits } of sides)
    for (const [key, expected] of waits) {
      const { status, matched } = await getWait(of, { id: key.split(' ')[0]! });
      assert.deepEqual(
        [status, matched?.object.id ?? null],
        [expected === null ? 'pending' : 'resolved', expected],
        `seed ${test_seed}`,
      );
    }
  const [one, other] = sides;
  for (const key of one!.waits.keys())
    assert.equal((await other!.of.request('GET', `/v1/waits/${key.split(' ')[0]}`)).status, 404);
});
