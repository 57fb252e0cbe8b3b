// Quiet hours over HTTP: who sets them, what waits or is refused, what is exempt, and whose clock decides.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { Approval } from '@parley/contract/rules/approvals/approvals';
import type { Contact } from '@parley/contract/rules/people/contacts';
import type { QuietHours } from '@parley/contract/rules/quiet-hours';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { codedSpeech, ended, place, read as readCall } from '../../../../testing/calls.ts';
import { sql } from '../../../platform/db/sql.ts';
import { default_sms_sender } from '../../../providers/carrier/sandbox/index.ts';
import { localTime } from './allowed-time.ts';

const service = await startTestApp({}, { speech: () => codedSpeech() });
const { client, db, later } = service;
const person_e164 = '+14155552671';
const hour = 3600;

/** A person and a key of the same new organization. */
function organization() {
  const organization_id = randomUUID();
  return {
    person: service.organization({ organization_id, credential_kind: 'session' }),
    program: service.organization({ organization_id }),
  };
}

const now = async () =>
  Date.parse((await client.request<{ now: string }>('GET', '/v1/sandbox/clock')).body.now);
/** A zone without daylight saving time in which it is this hour now. */
async function zoneWhereItIs(local_hour: number): Promise<string> {
  const ahead = ((local_hour - new Date(await now()).getUTCHours() + 36) % 24) - 12;
  return ahead === 0 ? 'Etc/GMT' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}
const secondsUntil = async (time: string) => Math.ceil((Date.parse(time) - (await now())) / 1000);

async function rule(person: Client, more: object = {}): Promise<QuietHours> {
  const window = { from: '08:00', to: '21:00' };
  const set = await person.request<QuietHours>('PUT', '/v1/quiet-hours', {
    calls: window,
    sms: window,
    ...more,
  });
  assert.equal(set.status, 200, set.text);
  return set.body;
}
/** A person says where the recipient is; the zone that a program says is only one more that is possible. */
async function personAt(person: Client, local_hour: number): Promise<Contact> {
  const time_zone = await zoneWhereItIs(local_hour);
  const contact = { name: 'Ana', phone_e164: person_e164, time_zone };
  const created = await person.request<Contact>('POST', '/v1/contacts', contact);
  assert.equal(created.body.time_zone, time_zone, created.text);
  return created.body;
}
const text = (of: Client, more: object = {}) =>
  of.request<Sms & { code: string; fix: string; detail: string }>('POST', '/v1/sms', {
    to: person_e164,
    body: 'Your table is booked.',
    recipient_consent: true,
    ...more,
  });
const read = async (of: Client, { id }: { id: string }) =>
  (await of.request<Sms>('GET', `/v1/sms/${id}`)).body;
const hoursCheck = async ({ id }: { id: string }) => {
  const row = await db.maybe<{ admission: string }>(sql`select admission from sms_messages where id = ${id}`);
  const { checks } = JSON.parse(row!.admission) as {
    checks: { name: string; outcome: string; detail?: string }[];
  };
  return checks.find(({ name }) => name === 'quiet_hours');
};

describe('the rule', () => {
  test('is empty at first, is set and removed by people, and has defaults', async () => {
    const { person, program } = organization();
    const empty = {
      calls: null,
      sms: null,
      on_violation: 'defer',
      exempt: ['reply_60m'],
      default_zone: null,
    };
    assert.deepEqual((await program.request('GET', '/v1/quiet-hours')).body, empty);
    const refused = await program.request<{ code: string }>('PUT', '/v1/quiet-hours', { sms: null });
    assert.deepEqual([refused.status, refused.body.code], [403, 'person_required']);
    const days = ['mon', 'fri'];
    const set = await rule(person, {
      calls: null,
      sms: { from: '09:30', to: '24:00', days: ['fri', 'mon'] },
    });
    assert.deepEqual(set, { ...empty, sms: { from: '09:30', to: '24:00', days } });
    assert.deepEqual((await program.request('GET', '/v1/quiet-hours')).body, set);
    assert.equal((await program.request('DELETE', '/v1/quiet-hours')).status, 403);
    assert.equal((await person.request('DELETE', '/v1/quiet-hours')).status, 204);
    assert.deepEqual((await program.request('GET', '/v1/quiet-hours')).body, empty);
  });

  test('with a window over midnight, an unknown time, day or zone is refused with the reason', async () => {
    const { person, program } = organization();
    const wrong: [object, RegExp][] = [
      [{ sms: { from: '21:00', to: '08:00' } }, /Expected from before to/],
      [{ calls: { from: '08:00', to: '08:00' } }, /Expected from before to/],
      [{ sms: { from: '8:00', to: '21:00' } }, /such as 08:00/],
      [{ sms: { from: '08:00', to: '24:01' } }, /such as 08:00/],
      [{ sms: { from: '08:00', to: '21:00', days: ['someday'] } }, /days/],
      [{ default_zone: 'Mars/Olympus' }, /IANA name/],
      [{ default_zone: '+01:00' }, /IANA name/],
    ];
    for (const [body, reason] of wrong) {
      const answer = await person.request('PUT', '/v1/quiet-hours', body);
      assert.equal(answer.status, 422, answer.text);
      assert.match(answer.text, reason);
    }
    const contact = { name: 'Ana', phone_e164: person_e164, time_zone: 'Berlin' };
    assert.equal((await program.request('POST', '/v1/contacts', contact)).status, 422);
  });
});

describe('a text outside the hours of its recipient', () => {
  test('waits for the next allowed moment and is sent then, once', async () => {
    const { person, program } = organization();
    const { time_zone } = await personAt(person, 3);
    await rule(person);
    const created = await text(program);
    assert.equal(created.status, 201, created.text);
    const { status, hold } = created.body;
    assert.deepEqual([status, hold?.kind, hold?.approval_id], ['queued', 'quiet_hours', null]);
    assert.match(hold!.message, /from 08:00 to 21:00; it is 0[34]:\d\d in Etc/);
    assert.equal((await hoursCheck(created.body))?.outcome, 'hold');
    const until = hold!.until!;
    assert.equal(localTime(Date.parse(until), time_zone!), '08:00');
    await later((await secondsUntil(until)) - 30);
    assert.equal((await read(program, created.body)).status, 'queued');
    await later(31);
    const sent = await read(program, created.body);
    assert.deepEqual([sent.status, sent.hold], ['delivered', null]);
    assert.equal((await hoursCheck(sent))?.outcome, 'allow');
  });

  test('is refused with a fix, and not stored, when the rule says so', async () => {
    const { person, program } = organization();
    await personAt(person, 22);
    await rule(person, { on_violation: 'refuse' });
    const refused = await text(program);
    assert.deepEqual([refused.status, refused.body.code], [422, 'quiet_hours'], refused.text);
    assert.match(refused.body.fix, /scheduled_at/);
    assert.match(refused.body.detail, /The next such moment is /);
    assert.deepEqual((await program.request<{ items: Sms[] }>('GET', '/v1/sms')).body.items, []);
    const call = await program.request<{ code: string }>('POST', '/v1/calls', {
      to: person_e164,
      recipient_consent: true,
      system_prompt: 'Say hello.',
    });
    assert.deepEqual([call.status, call.body.code], [422, 'quiet_hours'], call.text);
  });

  test('is sent when its purpose is transactional and that is exempt', async () => {
    const { person, program } = organization();
    await personAt(person, 3);
    await rule(person, { exempt: ['transactional'] });
    assert.equal((await text(program)).body.hold?.kind, 'quiet_hours');
    const exempt = await text(program, { purpose: 'transactional' });
    assert.equal(exempt.body.hold, null, exempt.text);
    await later(1);
    assert.equal((await read(program, exempt.body)).status, 'delivered');
  });

  test('is sent as a reply within 60 minutes of what the person wrote, and not later', async () => {
    const { person, program } = organization();
    await personAt(person, 1);
    await rule(person);
    const inbound = { from: person_e164, to: default_sms_sender, body: 'Is there a table?' };
    const received = await program.request('POST', '/v1/sandbox/inbound-sms', inbound);
    assert.equal(received.status, 201, received.text);
    const reply = await text(program);
    assert.equal(reply.body.hold, null, reply.text);
    await later(hour + 1);
    assert.deepEqual(
      [(await read(program, reply.body)).status, (await text(program)).body.hold?.kind],
      ['delivered', 'quiet_hours'],
    );
  });

  test('waits for a person when the approval policy asks for one outside the hours', async () => {
    const { operator: person, client: program } = service;
    const contact = await personAt(person, 12);
    await rule(person);
    const policy = { rules: [{ name: 'Night', when: ['outside_hours'], then: 'hold' }] };
    const set = await person.request('PUT', '/v1/approval-policy', policy);
    assert.equal(set.status, 200, set.text);
    assert.equal((await text(program)).body.hold, null);
    const time_zone = await zoneWhereItIs(3);
    await person.request('PATCH', `/v1/contacts/${contact.id}`, { time_zone });
    const held = await text(program);
    assert.equal(held.body.hold?.kind, 'approval', held.text);
    const path = `/v1/approvals/${held.body.hold!.approval_id}`;
    const approval = await program.request<Approval>('GET', path);
    assert.match(approval.text, /outside the hours/);
  });
});

describe('the hand-over', () => {
  test('defers a scheduled text whose time is outside the hours', async () => {
    const { person, program } = organization();
    await personAt(person, 20);
    await rule(person);
    const scheduled_at = new Date((await now()) + 2 * hour * 1000).toISOString();
    const { body } = await text(program, { scheduled_at });
    assert.equal(body.hold?.kind, 'schedule');
    await later(2 * hour + 5);
    const waiting = await read(program, body);
    assert.deepEqual([waiting.status, waiting.hold?.kind], ['queued', 'quiet_hours']);
    await later((await secondsUntil(waiting.hold!.until!)) + 1);
    assert.equal((await read(program, body)).status, 'delivered');
  });

  test('ends a text when the rule that is in force then refuses', async () => {
    const { person, program } = organization();
    await personAt(person, 20);
    const scheduled_at = new Date((await now()) + 2 * hour * 1000).toISOString();
    const { body } = await text(program, { scheduled_at });
    await rule(person, { on_violation: 'refuse' });
    await later(2 * hour + 5);
    const ended = await read(program, body);
    assert.deepEqual([ended.status, ended.error_code], ['failed', 'not_allowed']);
  });
});

test('a call outside the hours waits for the next allowed moment', async () => {
  const { person, program } = organization();
  await personAt(person, 5);
  await rule(person);
  const call = await place(program, person_e164, {});
  assert.deepEqual([call.status, call.hold?.kind], ['queued', 'quiet_hours']);
  await later((await secondsUntil(call.hold!.until!)) - 30);
  assert.deepEqual(await readCall(program, call.id), call);
  await later(31);
  const { started_at } = await ended(program, call.id);
  assert.ok(started_at! >= call.hold!.until!, `${started_at}`);
});

test('without a rule, only marketing waits for the day of its recipient, until a person sets another rule', async () => {
  const { person, program } = organization();
  await personAt(person, 2);
  assert.equal((await text(program)).body.hold, null, 'a first contact that is no marketing');
  const marketing = await text(program, { purpose: 'marketing' });
  assert.equal(marketing.body.hold?.kind, 'quiet_hours', marketing.text);
  await later(await secondsUntil(marketing.body.hold!.until!));
  assert.equal((await read(program, marketing.body)).status, 'delivered');
  await program.request('POST', '/v1/sandbox/inbound-sms', {
    from: person_e164,
    to: default_sms_sender,
    body: 'Tell me more',
  });
  await later(14 * hour);
  const held = await text(program, { purpose: 'marketing' });
  assert.equal(held.body.hold?.kind, 'quiet_hours', 'the message of the person is hours old');
  await rule(person, { calls: null, sms: null });
  assert.equal((await text(program, { purpose: 'marketing' })).body.hold, null);
});

describe('the zone of the recipient', () => {
  test('comes from the prefix of the number without a contact, and inside the hours it is sent', async () => {
    const { person, program } = organization();
    const local = new Intl.DateTimeFormat('en-US', {
      timeZone: 'Asia/Tokyo',
      hour: '2-digit',
      hourCycle: 'h23',
    });
    const local_hour = Number(local.format(await now()));
    const time = (hours: number) => `${String(hours).padStart(2, '0')}:00`;
    await rule(person, { sms: { from: time(local_hour), to: time(Math.min(24, local_hour + 2)) } });
    const tokyo = await text(program, { to: '+81312345678' });
    assert.equal(tokyo.body.hold, null, tokyo.text);
    await later(1);
    assert.deepEqual((await hoursCheck(tokyo.body))?.detail, 'Asia/Tokyo');
    const berlin = await text(program, { to: '+4930901820' });
    assert.equal(berlin.body.hold?.kind, 'quiet_hours');
  });

  test('is a guess that can have no good moment: refused with the advice to set the zone', async () => {
    const { person, program } = organization();
    await rule(person, { sms: { from: '10:00', to: '11:00' } });
    const refused = await text(program, { to: '+18005550123' });
    assert.deepEqual([refused.status, refused.body.code], [422, 'quiet_hours'], refused.text);
    assert.match(refused.body.fix, /time_zone of the contact/);
  });
});
