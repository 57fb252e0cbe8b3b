// Approvals of emails: held with everything shown, decided once by a person, bound to the payload, and checked again when sent.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import { nil_uuid } from '@parley/contract/limits';
import type { Approval } from '@parley/contract/rules/approvals/approvals';
import type { Client } from '../../../../testing/app.ts';
import { startRelayedApp } from '../../../../testing/relayed-app.ts';
import { smallest } from '../../../../testing/sent-emails.ts';
import { sql } from '../../../platform/db/sql.ts';

type Problem = { code: string; detail: string };
const { client, operator, db, later, organization, relay } = await startRelayedApp(
  {},
  {
    PARLEY_APPROVAL_CONTENT_DAYS: '1',
  },
);

const setPolicy = async (rules: object[]) => {
  const set = await operator.request('PUT', '/v1/approval-policy', { rules });
  assert.equal(set.status, 200, set.text);
};
const strangers = { name: 'Strangers', when: ['not_vouched'], then: 'hold' };
const post = (to: string, more: object = {}, as: Client = client) =>
  as.request<Email & Problem>(
    'POST',
    '/v1/emails',
    { ...smallest, to: [to], ...more },
    { 'idempotency-key': randomUUID() },
  );
const held = async (to: string, more: object = {}) => {
  const answer = await post(to, more);
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.body.hold?.kind, 'approval', answer.text);
  return { email: answer.body, approval: await approvalOf(answer.body.hold!.approval_id!), answer };
};
const approvalOf = async (id: string) => (await client.request<Approval>('GET', `/v1/approvals/${id}`)).body;
const approve = ({ id, payload_sha256 }: Approval, as: Client = operator) =>
  as.request<Approval & Problem>('POST', `/v1/approvals/${id}/approve`, { payload_sha256 });
const reject = ({ id }: Approval, note?: string) =>
  operator.request<Approval & Problem>('POST', `/v1/approvals/${id}/reject`, { note });
const read = async (id: string) => (await client.request<Email>('GET', `/v1/emails/${id}`)).body;
const sentTo = (address: string) =>
  relay.said().filter((line) => line.includes(`RCPT TO:<${address}>`)).length;
const turn = (emails: boolean) => operator.request('PATCH', '/v1/admin/kill-switch', { emails });
const events = async (id: string) =>
  (await client.request<{ items: { type: string }[] }>('GET', `/v1/events?resource_id=${id}`)).body.items
    .map(({ type }) => type)
    .sort();

beforeEach(async () => {
  await turn(false);
  await setPolicy([strangers]);
});

test('an email to a stranger waits; a person sees all of it and approves; it is sent once, and the recipient is vouched for', async () => {
  const { email, approval, answer } = await held('one@example.org', { subject: 'The offer' });
  assert.deepEqual([email.status, answer.headers.get('parley-hold')], ['queued', 'approval']);
  assert.equal(email.hold!.until, approval.expires_at);
  const { status, object, rule, shown, reasons, requested_by } = approval;
  assert.deepEqual(
    { status, object, rule },
    {
      status: 'pending',
      object: { noun: 'email', id: email.id },
      rule: 'Strangers',
    },
  );
  assert.deepEqual(
    [shown.to, shown.subject, shown.body_text],
    [['one@example.org'], 'The offer', email.body_text],
  );
  assert.deepEqual(reasons, [{ code: 'not_vouched', message: 'Nobody vouched for one@example.org.' }]);
  assert.equal(requested_by.credential_id, 'shared_key');
  const pending = await client.request<{ items: Approval[] }>('GET', '/v1/approvals?status=pending');
  assert.deepEqual(pending.body.items[0], approval);
  assert.equal(sentTo('one@example.org'), 0);

  const waiting = client.request<Approval>('GET', `/v1/approvals/${approval.id}?wait_seconds=20`);
  const decided = await approve(approval);
  assert.equal(decided.status, 200, decided.text);
  assert.deepEqual(
    [decided.body.status, decided.body.decided_by, decided.body.decided_via],
    ['approved', 'operator_key', 'console'],
  );
  assert.equal((await waiting).body.status, 'approved');
  await later(1);
  assert.deepEqual([(await read(email.id)).status, sentTo('one@example.org')], ['sent', 1]);
  assert.deepEqual(await events(approval.id), ['approval.decided', 'approval.requested']);
  await later(2);
  const second = await post('ONE@example.org');
  assert.deepEqual([second.status, second.body.hold, second.body.status], [201, null, 'sent']);
});

test('what a person sends is not held, and the first rule that fits decides', async () => {
  assert.equal((await post('two@example.org', {}, operator)).body.status, 'sent');
  await setPolicy([
    { name: 'Own staff', when: ['always'], then: 'allow', subjects: [{ kind: 'agent' }] },
    { name: 'Crowds', when: [{ recipients_over: 1 }], then: 'refuse' },
    { name: 'Marketing', when: [{ purpose: 'marketing' }], then: 'hold' },
    { name: 'Rest', when: ['always'], then: 'allow' },
    strangers,
  ]);
  const crowd = await post('two@example.org', { to: ['two@example.org', 'three@example.org'] });
  assert.deepEqual([crowd.status, crowd.body.code], [403, 'not_allowed_by_policy']);
  assert.match(crowd.body.detail, /Crowds: It has 2 recipients/);
  assert.equal((await post('three@example.org')).body.status, 'sent');
  assert.equal((await held('three@example.org', { purpose: 'marketing' })).approval.rule, 'Marketing');
});

test('a trusted domain and a contact of a person need no approval; a contact that the program made does', async () => {
  await operator.request('PUT', '/v1/trusted-recipients', { recipients: ['trusted.example'] });
  await operator.request('POST', '/v1/contacts', { name: 'Bo', email: 'bo@example.org' });
  await client.request('POST', '/v1/contacts', { name: 'Eve', email: 'eve@example.org' });
  for (const to of ['a@trusted.example', 'bo@example.org', 'colleague@acme.example'])
    assert.equal((await post(to)).body.hold, null, to);
  await held('eve@example.org');
});

test('the key that asked, a key with * and a member who is no approver cannot decide', async () => {
  const { approval } = await held('four@example.org');
  const own = { organization_id: nil_uuid };
  for (const as of [
    client,
    organization(own),
    organization({ ...own, credential_kind: 'oauth' }),
    organization({ ...own, credential_kind: 'session', role: 'member' }),
  ]) {
    const refused = await approve(approval, as);
    assert.deepEqual([refused.status, refused.body.code], [403, 'approval_not_yours']);
  }
  assert.equal((await approve(approval, organization())).status, 404);
  const decider = organization({ ...own, scopes: ['approvals:write'] });
  assert.equal((await approve(approval, decider)).body.decided_via, 'key');
});

test('two people at once, and twice: one decision, one email', async () => {
  const { email, approval } = await held('five@example.org');
  const person = () => organization({ organization_id: nil_uuid, credential_kind: 'session' });
  const answers = await Promise.all([
    approve(approval, person()),
    approve(approval, person()),
    approve(approval),
  ]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409]);
  const again = await reject(approval);
  assert.deepEqual([again.status, again.body.code], [409, 'approval_already_decided']);
  await later(1);
  assert.deepEqual([(await read(email.id)).status, sentTo('five@example.org')], ['sent', 1]);
});

test('a rejected email, and one whose approval expires, end as canceled', async () => {
  const rejected = await held('six@example.org');
  const answer = await reject(rejected.approval, 'Wrong person.');
  assert.deepEqual([answer.body.status, answer.body.note], ['rejected', 'Wrong person.']);
  const end = async (id: string) => {
    const { status, end_reason, hold } = await read(id);
    return { status, end_reason, hold };
  };
  assert.deepEqual(await end(rejected.email.id), {
    status: 'canceled',
    end_reason: 'approval_rejected',
    hold: null,
  });
  await setPolicy([{ ...strangers, expires_in_seconds: 300 }]);
  const expired = await held('six@example.org');
  await later(301);
  const late = await approve(expired.approval);
  assert.deepEqual([late.status, late.body.code], [409, 'approval_already_decided']);
  assert.equal((await approvalOf(expired.approval.id)).status, 'expired');
  assert.deepEqual(await end(expired.email.id), {
    status: 'canceled',
    end_reason: 'approval_expired',
    hold: null,
  });
  const unseen = await held('six@example.org');
  await later(316);
  assert.equal((await read(unseen.email.id)).status, 'canceled');
  assert.deepEqual(await events(unseen.approval.id), ['approval.decided', 'approval.requested']);
  assert.equal(sentTo('six@example.org'), 0);
});

test('canceling the email cancels its approval', async () => {
  const { email, approval } = await held('seven@example.org');
  assert.equal((await client.request('POST', `/v1/emails/${email.id}/cancel`)).status, 200);
  assert.equal((await approvalOf(approval.id)).status, 'canceled');
  assert.equal((await approve(approval)).body.code, 'approval_already_decided');
});

test('an approval is for exactly the payload: a change before it refuses it, a change after it needs a new one', async () => {
  const { email, approval } = await held('eight@example.org');
  const wrong = await approve({ ...approval, payload_sha256: 'another' });
  assert.deepEqual([wrong.status, wrong.body.code], [409, 'approval_payload_changed']);
  const change = (body_text: string) =>
    db.run(sql`update emails set body_text = ${body_text} where id = ${email.id}`);
  await change('Something else');
  assert.equal((await approve(approval)).body.code, 'approval_payload_changed');
  await change(email.body_text!);
  await turn(true);
  assert.equal((await approve(approval)).status, 200);
  await later(2);
  assert.equal((await read(email.id)).hold?.kind, 'kill_switch');
  await change('Something else');
  await turn(false);
  await later(60);
  const { hold } = await read(email.id);
  assert.equal(hold?.kind, 'approval');
  assert.notEqual(hold.approval_id, approval.id);
  const renewed = await approvalOf(hold.approval_id!);
  assert.deepEqual(
    [renewed.shown.body_text, renewed.reasons[0]!.code],
    ['Something else', 'payload_changed'],
  );
  assert.equal(sentTo('eight@example.org'), 0);
  assert.equal((await approve(renewed)).status, 200);
  await later(1);
  assert.equal(sentTo('eight@example.org'), 1);
});

test('approved while the channel is stopped, it waits and is sent afterwards', async () => {
  const { email, approval } = await held('nine@example.org');
  await turn(true);
  assert.equal((await approve(approval)).status, 200);
  await later(5);
  assert.deepEqual([(await read(email.id)).hold?.kind, sentTo('nine@example.org')], ['kill_switch', 0]);
  await turn(false);
  await later(60);
  assert.deepEqual([(await read(email.id)).status, sentTo('nine@example.org')], ['sent', 1]);
});

test('approved after the recipient opted out, or after a rule began to refuse it, it is not sent', async () => {
  const stopped = await held('ten@example.org');
  await client.request('POST', '/v1/email-suppressions', { recipient: 'ten@example.org' });
  assert.equal((await approve(stopped.approval)).status, 200);
  await later(1);
  const after = await read(stopped.email.id);
  assert.deepEqual([after.status, after.end_reason, sentTo('ten@example.org')], ['failed', 'not_allowed', 0]);
  const refused = await held('eleven@example.org');
  await setPolicy([{ name: 'Nothing', when: ['always'], then: 'refuse' }]);
  await later(2);
  assert.equal((await approve(refused.approval)).status, 200);
  await later(1);
  assert.deepEqual(
    [(await read(refused.email.id)).end_reason, sentTo('eleven@example.org')],
    ['not_allowed', 0],
  );
});

test('a scheduled email is approved first and then waits for its time', async () => {
  const now = Date.parse((await client.request<{ now: string }>('GET', '/v1/sandbox/clock')).body.now);
  const scheduled_at = new Date(now + 3_600_000).toISOString();
  const { email, approval } = await held('twelve@example.org', { scheduled_at });
  assert.equal(approval.shown.scheduled_at, scheduled_at);
  assert.equal((await approve(approval)).status, 200);
  assert.equal((await read(email.id)).hold?.kind, 'schedule');
  await later(3601);
  assert.equal(sentTo('twelve@example.org'), 1);
});

test('above 500 pending approvals nothing more is accepted', async () => {
  const { approval } = await held('last@example.org');
  await db.run(sql`
    insert into approvals select (json_populate_record(a, json_build_object('id', gen_random_uuid()))).*
      from approvals a, generate_series(1, 499) where a.id = ${approval.id}`);
  const answer = await post('more@example.org');
  assert.deepEqual([answer.status, answer.body.code], [429, 'too_many_approvals']);
  await db.run(sql`delete from approvals where object_id = ${approval.object.id} and id <> ${approval.id}`);
});

test('a decided approval loses what it showed after a day, but not while the approved email waits', async () => {
  const { body: clock } = await client.request<{ now: string }>('GET', '/v1/sandbox/clock');
  const day_ms = 86_400_000;
  const scheduled_at = new Date(Date.parse(clock.now) + 4 * day_ms).toISOString();
  const rejected = await held('no@example.org', { subject: 'Secret', body_html: '<p>Secret</p>' });
  const waiting = await held('wait@example.org', { subject: 'Secret', scheduled_at });
  assert.equal((await reject(rejected.approval, 'Not this one')).status, 200);
  assert.equal((await approve(waiting.approval)).status, 200);
  const batch = await client.request<{ id: string }>('POST', '/v1/email-batches', {
    emails: [{ ...smallest, to: ['batch@example.org'], subject: 'Secret' }],
  });
  assert.equal(batch.status, 201, batch.text);
  assert.equal((await reject(await approvalOf(batch.body.id))).status, 200);

  await later(2 * 86_400);
  const erased = await approvalOf(rejected.approval.id);
  const { from } = rejected.approval.shown;
  assert.deepEqual(erased.shown, {
    ...{ from, to: ['no@example.org'], cc: [], bcc: [], subject: null, body_text: null, body_html: null },
    ...{ attachments: [], more: {}, scheduled_at: null },
  });
  assert.ok(erased.content_erased_at! > erased.decided_at!);
  assert.deepEqual(
    [erased.note, erased.decided_by, erased.payload_sha256],
    ['Not this one', 'operator_key', rejected.approval.payload_sha256],
  );
  const [message, ...others] = (await approvalOf(batch.body.id)).messages;
  assert.deepEqual([message?.to, message?.subject, others], [['batch@example.org'], null, []]);
  assert.equal((await approvalOf(waiting.approval.id)).shown.subject, 'Secret');

  await later(3 * 86_400);
  assert.equal((await read(waiting.email.id)).status, 'sent');
  await later(3600);
  assert.equal((await approvalOf(waiting.approval.id)).shown.subject, null);
});
