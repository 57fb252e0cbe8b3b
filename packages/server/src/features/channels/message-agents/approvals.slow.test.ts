// Replies of agents that wait for a person: they use the approvals that everything else uses.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { Approval } from '@parley/contract/rules/approvals/approvals';
import { startTestApp } from '../../../../testing/app.ts';
import { ok, type Page } from '../../../../testing/conversations.ts';
import { sql } from '../../../platform/db/sql.ts';

const { app, client, operator, db, later } = await startTestApp();

async function desk(messaging: object) {
  const { id, e164 } = await ok<{ id: string; e164: string }>(client, 'POST', '/v1/numbers', {
    country_code: 'US',
  });
  const agent = await ok<{ id: string }>(client, 'POST', '/v1/agents', { name: 'Desk', messaging });
  await ok(client, 'PATCH', `/v1/numbers/${id}`, { sms_agent_id: agent.id });
  return { e164, agent_id: agent.id };
}
type Desk = Awaited<ReturnType<typeof desk>>;

const say = async ({ e164 }: Desk, from: string, body: string) => {
  await ok<Sms>(client, 'POST', '/v1/sandbox/inbound-sms', { from, to: e164, body });
  await later(4);
};
/** What the agent wrote, oldest first. */
const replies = async ({ e164 }: Desk) =>
  (await ok<Page<Sms>>(client, 'GET', '/v1/sms?direction=outbound&limit=100')).items
    .filter(({ from }) => from === e164)
    .reverse();
const statuses = async (at: Desk) =>
  (await replies(at)).map(({ status, hold }) => (hold ? hold.kind : status));
const approvalOf = ({ hold }: Pick<Sms, 'hold'>) =>
  ok<Approval>(client, 'GET', `/v1/approvals/${hold!.approval_id}`);
const approve = ({ id, payload_sha256 }: Approval) =>
  operator.request<{ code: string }>('POST', `/v1/approvals/${id}/approve`, { payload_sha256 });
const reject = ({ id }: Approval) => ok(operator, 'POST', `/v1/approvals/${id}/reject`, {});
const timesSent = async (id: string) => {
  type Outbox = Page<{ resource_id: string }>;
  const { items } = await ok<Outbox>(client, 'GET', '/v1/sandbox/outbox?limit=200');
  return items.filter(({ resource_id }) => resource_id === id).length;
};

test('a reply waits for 72 hours without any policy; approved, it is sent once; rejected, never', async () => {
  const [at, person] = [await desk({ reply_mode: 'approve' }), '+14155552671'];
  await say(at, person, 'Hello');
  const [first] = await replies(at);
  const approval = await approvalOf(first!);
  assert.deepEqual(
    [approval.rule, approval.reasons.map(({ code }) => code), approval.requested_by.agent_id],
    ['Replies of the agent', ['reply_mode'], at.agent_id],
  );
  assert.deepEqual(
    [approval.object, approval.shown.body_text],
    [{ noun: 'sms', id: first!.id }, 'This is an AI assistant. Hello! How can I help you?'],
  );
  assert.equal(Date.parse(approval.expires_at) - Date.parse(approval.requested_at), 72 * 3_600_000);
  assert.equal(await timesSent(first!.id), 0);

  // A newer message gets a proposal of its own; the person has not read yet that an AI writes.
  await say(at, person, 'Are you there?');
  const [, second] = await replies(at);
  assert.match(second!.body, /^This is an AI assistant\. /);
  assert.deepEqual(await statuses(at), ['approval', 'approval']);

  assert.equal((await approve(approval)).status, 200);
  await later(5);
  assert.equal((await approve(approval)).body.code, 'approval_already_decided');
  await reject(await approvalOf(second!));
  await later(5);
  assert.deepEqual(await statuses(at), ['delivered', 'canceled']);
  assert.deepEqual([await timesSent(first!.id), await timesSent(second!.id)], [1, 0]);

  // The agent wrote it, so it is not paused.
  await app.projector.drain();
  await say(at, person, 'Thanks');
  await later(73 * 3600);
  assert.deepEqual(await statuses(at), ['delivered', 'canceled', 'canceled']);
});

test('approve_first holds only the first reply that a stranger gets, and none to a contact', async () => {
  const [at, stranger, ana] = [await desk({ reply_mode: 'approve_first' }), '+14155552672', '+14155552673'];
  await say(at, stranger, 'Hello');
  const [first] = await replies(at);
  assert.deepEqual(
    (await approvalOf(first!)).reasons.map(({ code }) => code),
    ['first_reply'],
  );
  await reject(await approvalOf(first!));
  await say(at, stranger, 'Is anybody there?');
  const [, second] = await replies(at);
  assert.equal((await approve(await approvalOf(second!))).status, 200);
  await later(5);
  await say(at, stranger, 'Thanks');
  assert.deepEqual(await statuses(at), ['canceled', 'delivered', 'delivered']);

  await ok(client, 'POST', '/v1/contacts', { name: 'Ana', phone_e164: ana });
  await say(at, ana, 'Good morning');
  await app.projector.drain();
  assert.equal((await statuses(at)).at(-1), 'delivered');
});

test('a rule of the policy can refuse the reply or name its approvers, but not let it pass', async () => {
  const at = await desk({ reply_mode: 'approve' });
  const rule = { name: 'Texts', channels: ['sms'], when: ['always'] };
  for (const [index, [then, held_by]] of (
    [
      ['allow', 'Replies of the agent'],
      ['hold', 'Texts'],
      ['refuse', null],
    ] as const
  ).entries()) {
    await ok(operator, 'PUT', '/v1/approval-policy', { rules: [{ ...rule, then }] });
    await say(at, `+1415555268${index}`, 'Hello');
    const reply = (await replies(at))[index];
    assert.equal(reply ? (await approvalOf(reply)).rule : null, held_by, then);
  }
  await ok(operator, 'PUT', '/v1/approval-policy', { rules: [] });
});

test('a mail that fails DMARC is answered only with an approval, whatever the mode', async () => {
  const domain = await ok<{ id: string; default_address: string }>(client, 'POST', '/v1/email-domains', {
    kind: 'service_mail',
    local_prefix_user: 'desk',
    local_prefix_org: randomUUID().slice(0, 13),
  });
  const agent = await ok<{ id: string }>(client, 'POST', '/v1/agents', { name: 'Desk' });
  await ok(client, 'PATCH', `/v1/email-domains/${domain.id}`, { email_agent_id: agent.id });
  const receive = async (subject: string, dmarc: string) => {
    await ok(client, 'POST', '/v1/sandbox/inbound-emails', {
      from: 'ana@example.org',
      to: [domain.default_address],
      subject,
      text: `Hello, about ${subject}`,
      verdicts: { dmarc },
    });
    await later(31);
    const { items } = await ok<Page<Email>>(client, 'GET', '/v1/emails?direction=outbound');
    return items.find((each) => each.subject === `Re: ${subject}`)!;
  };
  const read = (id: string) => ok<Email>(client, 'GET', `/v1/emails/${id}`);
  assert.equal((await receive('Zero', 'PASS')).status, 'sent');

  const one = await receive('One', 'FAIL');
  const approval = await approvalOf(one);
  assert.deepEqual(
    approval.reasons.map(({ code }) => code),
    ['dmarc_failed'],
  );
  await reject(approval);
  assert.equal((await read(one.id)).status, 'canceled');

  const two = await receive('Two', 'FAIL');
  assert.equal((await approve(await approvalOf(two))).status, 200);
  await later(5);
  const sent = await read(two.id);
  assert.deepEqual(
    [sent.status, sent.to_addresses, sent.from_address],
    ['sent', ['ana@example.org'], domain.default_address],
  );
  const row = await db.maybe<{ headers: Record<string, string> }>(
    sql`select composition->'headers' as headers from emails where id = ${two.id}`,
  );
  assert.equal(row!.headers['Auto-Submitted'], 'auto-replied');
  assert.deepEqual([await timesSent(one.id), await timesSent(two.id)], [0, 1]);
});
