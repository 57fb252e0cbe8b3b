// Recipient limits over HTTP: new recipients per day, messages per person and day, and the countries of an organization.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { Hold } from '@parley/contract/rules/approvals/hold';
import type { ContactRules } from '@parley/contract/rules/people/contact-rules';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { codedSpeech, ended, eventually, people, place } from '../../../../testing/calls.ts';
import { sql } from '../../../platform/db/sql.ts';
import { default_sms_sender } from '../../../providers/carrier/sandbox/index.ts';

const service = await startTestApp({}, { speech: () => codedSpeech() });
const { later } = service;
const day = 86_400;

/** A person and a key of the same new organization, with these rules. */
async function organization(rules: object) {
  const organization_id = randomUUID();
  const person = service.organization({ organization_id, credential_kind: 'session' });
  const program = service.organization({ organization_id });
  const setRules = async (changed: object) => {
    const set = await person.request<ContactRules>('PUT', '/v1/contact-rules', changed);
    assert.equal(set.status, 200, set.text);
    return set.body;
  };
  await setRules(rules);
  return { person, program, setRules };
}

type Problem = { code: string; fix: string };
type Record = { status: string; hold: Hold | null; end_reason?: string | null };
const inSeconds = async (seconds: number) => {
  const clock = await service.client.request<{ now: string }>('GET', '/v1/sandbox/clock');
  return new Date(Date.parse(clock.body.now) + seconds * 1000).toISOString();
};
const secondsUntil = async (time: string) =>
  Math.ceil((Date.parse(time) - Date.parse(await inSeconds(0))) / 1000) + 1;
const number = (index: number) => `+1415555${String(2000 + index)}`;
const text = (of: Client, to: string, more: object = {}) =>
  of.request<Sms & Problem>('POST', '/v1/sms', { to, body: 'Hello', recipient_consent: true, ...more });
const inbound = async (of: Client, from: string) => {
  const body = { from, to: default_sms_sender, body: 'Yes?' };
  const received = await of.request('POST', '/v1/sandbox/inbound-sms', body);
  assert.equal(received.status, 201, received.text);
};
const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status);

describe('new recipients per day', () => {
  test('stop at the limit, with a code, a fix and the time to wait, until the next day', async () => {
    const { program } = await organization({ new_recipients_per_day: 2 });
    const first = [await text(program, number(1)), await text(program, number(2))];
    assert.deepEqual(statuses(first), [201, 201]);
    const refused = await text(program, number(3));
    assert.deepEqual([refused.status, refused.body.code], [429, 'new_recipient_capped'], refused.text);
    assert.match(refused.body.fix, /new_recipients_per_day/);
    const wait = Number(refused.headers.get('retry-after'));
    assert.ok(wait > 0 && wait <= day);
    assert.equal((await text(program, number(1))).status, 201, 'a known recipient');
    await later(wait + 1);
    assert.equal((await text(program, number(3))).status, 201);
  });

  test('leave out contacts of people, people who wrote, and people from before the rule', async () => {
    const { person, program, setRules } = await organization({});
    await text(program, number(1));
    await later(1);
    await setRules({ new_recipients_per_day: 0 });
    assert.equal((await text(program, number(2))).status, 429);
    assert.equal((await text(program, number(1))).status, 201);
    const contact = { name: 'Ana', phone_e164: number(2) };
    assert.equal((await person.request('POST', '/v1/contacts', contact)).status, 201);
    assert.equal((await text(program, number(2))).status, 201);
    await inbound(program, number(3));
    assert.equal((await text(program, number(3))).status, 201);
  });

  test('hold exactly when many requests arrive at once, and count each person once', async () => {
    const { program } = await organization({ new_recipients_per_day: 5 });
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) => text(program, number(index % 12))),
    );
    const reached = new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.to));
    assert.equal(reached.size, 5);
    assert.ok(answers.every(({ status }) => status === 201 || status === 429));
  });

  test('are counted per channel, and all recipients of an email together', async () => {
    const { program } = await organization({ new_recipients_per_day: 2 });
    const mail = (to: string[]) =>
      program.request<Email & Problem>('POST', '/v1/emails', {
        to,
        subject: 'Hi',
        body_text: 'Hi',
        recipient_consent: true,
      });
    const many = await mail(['a@example.org', 'b@example.org', 'c@example.org']);
    assert.deepEqual([many.status, many.body.code], [429, 'new_recipient_capped'], many.text);
    assert.equal((await mail(['a@example.org', 'A@Example.org', 'b@example.org'])).status, 201);
    assert.equal((await mail(['c@example.org'])).status, 429);
    assert.equal((await text(program, number(1))).status, 201);
  });

  test('count a scheduled record when it is sent; above the limit it is sent on the next day', async () => {
    const { program } = await organization({ new_recipients_per_day: 1 });
    const scheduled_at = await inSeconds(60);
    const waiting = await text(program, number(1), { scheduled_at });
    assert.equal(waiting.status, 201, waiting.text);
    const mail = await program.request<Email>('POST', '/v1/emails', {
      to: ['a@example.org'],
      subject: 'Hi',
      recipient_consent: true,
      scheduled_at,
    });
    const call = await place(program, people.busy, { scheduled_at });
    const other = await place(program, people.declines);
    const records = [`/v1/sms/${waiting.body.id}`, `/v1/emails/${mail.body.id}`, `/v1/calls/${call.id}`];
    const read = () =>
      Promise.all(records.map(async (path) => (await program.request<Record>('GET', path)).body));
    assert.equal((await text(program, number(2))).status, 201);
    const another = { to: ['b@example.org'], subject: 'Hi', recipient_consent: true };
    assert.equal((await program.request('POST', '/v1/emails', another)).status, 201);
    await ended(program, other.id);
    await later(61);
    const held = async () => (await read()).map(({ status, hold }) => [status, hold?.kind]);
    await eventually('the call waits', async () => (await held())[2]![1] === 'recipient_limit');
    assert.deepEqual(await held(), Array(3).fill(['queued', 'recipient_limit']));
    const until = (await read())[0]!.hold!.until!;
    assert.match(until, /T00:00:00/);
    await later(await secondsUntil(until));
    await eventually('all are sent', async () =>
      (await read()).every(({ status }) => ['delivered', 'sent', 'busy'].includes(status)),
    );
    assert.equal((await read())[2]!.end_reason, 'busy', 'the call was dialed, and counted once');
  });

  test('end a record that waited for a day', async () => {
    const { program } = await organization({ new_recipients_per_day: 1 });
    const waiting = await text(program, number(1), { scheduled_at: await inSeconds(60) });
    assert.equal((await text(program, number(2))).status, 201);
    await later(61);
    const path = `/v1/sms/${waiting.body.id}`;
    const { hold } = (await program.request<Sms>('GET', path)).body;
    assert.equal(hold?.kind, 'recipient_limit');
    // Somebody else uses the next day up before the text is tried again.
    await service.db.run(sql`
      insert into new_recipient_uses (organization_id, channel, day, used)
      values (${program.organization_id}, 'sms', ${hold!.until!}::timestamptz at time zone 'UTC', 1)`);
    await later(await secondsUntil(hold!.until!));
    const over = (await program.request<Sms>('GET', path)).body;
    assert.deepEqual([over.status, over.error_code], ['failed', 'not_allowed']);
  });
});

describe('messages per person and day', () => {
  test('stop a sender whom the person does not answer; an answer starts the count again', async () => {
    const { program } = await organization({ messages_per_person_per_day: 2 });
    const send = () => text(program, number(1));
    assert.deepEqual(statuses([await send(), await send()]), [201, 201]);
    const refused = await send();
    assert.deepEqual([refused.status, refused.body.code], [429, 'recipient_capped'], refused.text);
    assert.equal((await text(program, number(2))).status, 201, 'somebody else');
    await inbound(program, number(1));
    assert.deepEqual(statuses([await send(), await send(), await send()]), [201, 201, 429]);
    await later(Number(refused.headers.get('retry-after')) + 1);
    assert.equal((await send()).status, 201);
  });

  test('hold exactly when many requests arrive at once', async () => {
    const { program } = await organization({ messages_per_person_per_day: 3 });
    const answers = await Promise.all(Array.from({ length: 12 }, () => text(program, number(1))));
    assert.equal(answers.filter(({ status }) => status === 201).length, 3);
  });

  test('count a repeated request with the same idempotency key once', async () => {
    const { program } = await organization({ messages_per_person_per_day: 1 });
    const key = { 'idempotency-key': randomUUID() };
    const body = { to: number(1), body: 'Hello', recipient_consent: true };
    assert.equal((await program.request('POST', '/v1/sms', body, key)).status, 201);
    // The repeated request answers with the first text.
    assert.equal((await program.request('POST', '/v1/sms', body, key)).status, 201);
    assert.equal((await text(program, number(1))).status, 429);
  });
});

test('an organization limits the countries that it calls and texts', async () => {
  const { program, setRules } = await organization({ destinations: ['us', 'DE'] });
  assert.equal((await text(program, number(1))).status, 201);
  assert.equal((await text(program, '+4930901820')).status, 201);
  const refused = await text(program, '+351912345678');
  assert.deepEqual([refused.status, refused.body.code], [422, 'destination_not_allowed'], refused.text);
  assert.match(refused.text, /only numbers in US, DE/);
  const call = { to: '+351912345678', recipient_consent: true, system_prompt: 'Say hello.' };
  assert.equal((await program.request('POST', '/v1/calls', call)).status, 422);
  assert.equal((await setRules({})).destinations, null);
});
