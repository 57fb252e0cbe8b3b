// Performs the steps of a sequence over the API, and keeps the book of rules that the hand-overs are judged by.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Channel } from '@parley/contract/access/admin';
import { waitFor } from '../wait-for.ts';
import { applyChange, heardFrom } from './changes.ts';
import { people } from './people.ts';
import { stop_call_seconds, tagged } from './recorder.ts';
import type { Decide, Send, Step } from './steps.ts';
import { stopPrompt } from './stopping-llm.ts';
import type { Tenant } from './tenant.ts';
import { type Ask, need, type Request, type World } from './world.ts';

type Held = {
  id: string;
  status: string;
  hold: { kind: string; approval_id: string | null } | null;
  /** Of a refusal. */
  code?: string;
  fix?: string;
};
type Approval = {
  id: string;
  payload_sha256: string;
  shown: Shown;
  messages: Shown[];
};
type Shown = { to: string[]; body_text: string | null };

const paths: Record<Channel, string> = { calls: '/v1/calls', emails: '/v1/emails', sms: '/v1/sms' };

let last_tag = 0;

function newRequest(
  world: World,
  tenant: Tenant,
  about: Pick<Request, 'channel' | 'recipients'> & Partial<Request>,
): number {
  const tag = ++last_tag;
  world.requests.set(tag, {
    organization_id: tenant.organization_id,
    purpose: 'conversational',
    batch_size: 1,
    created_ms: world.clock.ms(),
    is_by_person: false,
    is_approved: false,
    record_id: null,
    was_held: false,
    is_refused: false,
    book: world.recorder.book,
    ...about,
  });
  return tag;
}

function remember(world: World, tag: number, { status, body }: { status: number; body: Held }): void {
  const request = world.requests.get(tag)!;
  request.is_refused = status >= 400;
  request.record_id = status === 201 ? body.id : refusedEmail(body);
  if (status !== 201) return;
  noteCallTag(world, tag, body.id);
  request.was_held = body.hold !== null;
}

/** The id of an email that was stored and counted, and refused at the hand-over because the rules changed meanwhile. */
const refusedEmail = ({ code, fix }: Held): string | null =>
  code === 'email_not_allowed' ? /\/v1\/emails\/([^/]+)/.exec(fix!)![1]! : null;

/** A call may be dialed before the response to its request arrives. */
function noteCallTag({ recorder }: World, tag: number, id: string): void {
  recorder.call_tags.set(id, tag);
  for (const handed of recorder.handed)
    if (handed.record_id === id && handed.channel === 'calls') handed.tag = tag;
}

const scheduled = (world: World, in_seconds: number | null) =>
  in_seconds === null ? {} : { scheduled_at: new Date(world.clock.ms() + in_seconds * 1000).toISOString() };

function bodyOf(world: World, tenant: Tenant, send: Send, tag: number): object {
  const shared = { recipient_consent: true, purpose: send.purpose, ...scheduled(world, send.in_seconds) };
  const to = send.to.map((index) => people[index]!);
  const text = tagged(tag, 'Hello');
  if (send.channel === 'sms') return { ...shared, to: to[0]!.phone, body: text };
  if (send.channel === 'calls') {
    const agent = { system_prompt: text, max_duration_seconds: 60 };
    return { ...shared, from: tenant.number, to: to[0]!.phone, ...agent };
  }
  const list_unsubscribe = to.length === 1;
  return { ...shared, to: to.map(({ email }) => email), subject: 'Hi', body_text: text, list_unsubscribe };
}

const recipientsOf = ({ channel, to }: Send): string[] =>
  channel === 'emails' ? to.map((index) => people[index]!.email) : [people[to[0]!]!.phone];

export async function performSend(world: World, tenant: Tenant, send: Send): Promise<number> {
  const { channel, purpose, is_by_person } = send;
  const tag = newRequest(world, tenant, { channel, purpose, is_by_person, recipients: recipientsOf(send) });
  const as: Ask = is_by_person ? tenant.person : tenant.program;
  remember(world, tag, await as<Held>('POST', paths[channel], bodyOf(world, tenant, send, tag)));
  return tag;
}

async function sendBatch(
  world: World,
  tenant: Tenant,
  step: Extract<Step, { kind: 'batch' }>,
): Promise<void> {
  const tags = step.to.map((index) =>
    newRequest(world, tenant, {
      channel: 'emails',
      recipients: [people[index]!.email],
      purpose: step.purpose,
      batch_size: step.to.length,
    }),
  );
  const emails = tags.map((tag, index) => ({
    to: [people[step.to[index]!]!.email],
    subject: 'Hi',
    body_text: tagged(tag, 'Hello'),
    recipient_consent: true,
    purpose: step.purpose,
    ...scheduled(world, step.in_seconds),
  }));
  type Item = { index: number; email_id: string | null; hold: Held['hold'] };
  const answer = await tenant.program<{ items: Item[] }>('POST', '/v1/email-batches', {
    emails,
    on_error: 'send_valid',
  });
  if (answer.status !== 201) return;
  for (const { index, email_id, hold } of answer.body.items) {
    const request = world.requests.get(tags[index]!)!;
    request.record_id = email_id;
    request.is_refused = email_id === null;
    request.was_held = hold !== null;
  }
}

async function mailIn(world: World, tenant: Tenant, from: number): Promise<string> {
  const { email } = people[from]!;
  heardFrom(world, tenant, email, 'email');
  const mail = await need<{ id: string }>(
    tenant.person('POST', '/v1/sandbox/inbound-emails', {
      from: email,
      to: [tenant.mailbox],
      subject: 'Question',
      body_text: 'Are you open today?',
    }),
  );
  return mail.id;
}

async function textIn(world: World, tenant: Tenant, from: number): Promise<void> {
  const { phone } = people[from]!;
  heardFrom(world, tenant, phone, 'sms');
  const text = { from: phone, to: tenant.number, body: 'Are you open today?' };
  await need(tenant.person('POST', '/v1/sandbox/inbound-sms', text));
}

async function stopCall(world: World, tenant: Tenant, to: number): Promise<void> {
  const { phone } = people[to]!;
  const tag = newRequest(world, tenant, { channel: 'calls', recipients: [phone] });
  const call = {
    from: tenant.number,
    to: phone,
    system_prompt: stopPrompt(tag),
    max_duration_seconds: stop_call_seconds,
  };
  remember(world, tag, await tenant.program<Held>('POST', '/v1/calls', { ...call, recipient_consent: true }));
}

/** A reply to a received email, or a forward of one to somebody else. */
async function answerMail(
  world: World,
  tenant: Tenant,
  step: { kind: 'reply' | 'forward'; person: number },
): Promise<void> {
  const is_reply = step.kind === 'reply';
  const id = await mailIn(world, tenant, is_reply ? step.person : 0);
  const { email } = people[step.person]!;
  const tag = newRequest(world, tenant, { channel: 'emails', recipients: [email] });
  const content = { body_text: tagged(tag, 'Hello'), recipient_consent: true };
  remember(
    world,
    tag,
    await tenant.program<Held>(
      'POST',
      `/v1/emails/${id}/${step.kind}`,
      is_reply ? content : { ...content, to: [email] },
    ),
  );
}

export async function decide(world: World, tenant: Tenant, { which, is_approved }: Decide): Promise<void> {
  const pending = await tenant.person<{ items: Approval[] }>('GET', '/v1/approvals?status=pending');
  const approval = pending.body.items[which % Math.max(1, pending.body.items.length)];
  if (!approval) return;
  const { id, payload_sha256, shown, messages } = approval;
  const decided = messages.length > 0 ? messages : [shown];
  // Before the request: a crash may come after the commit and before the response.
  if (is_approved) for (const each of decided) markApproved(world, tenant, each);
  const path = `/v1/approvals/${id}/${is_approved ? 'approve' : 'reject'}`;
  await tenant.person('POST', path, is_approved ? { payload_sha256 } : {});
}

/** The person has also vouched for the recipients. */
function markApproved(world: World, { organization_id }: Tenant, { to, body_text }: Shown): void {
  const { approved } = world.rulesOf(organization_id);
  world.changeRules(organization_id, { approved: new Set([...approved, ...to]) });
  const [, tag] = /#(\d+)#/.exec(body_text ?? '') ?? [];
  const request = tag === undefined ? undefined : world.requests.get(Number(tag));
  if (request) request.is_approved = true;
  else world.approved_texts.add(body_text ?? '');
}

/** The records of the organization that wait now. */
async function waiting(tenant: Tenant): Promise<{ channel: Channel; id: string; text: string }[]> {
  const found: { channel: Channel; id: string; text: string }[] = [];
  for (const channel of ['calls', 'emails', 'sms'] as const) {
    const { body } = await tenant.person<{ items: (Held & { direction: string; body?: string })[] }>(
      'GET',
      `${paths[channel]}?limit=100`,
    );
    for (const { id, status, hold, body: text = '' } of body.items)
      if (status === 'queued' && hold) found.push({ channel, id, text });
  }
  return found;
}

async function changeWaiting(
  world: World,
  tenant: Tenant,
  step: Extract<Step, { kind: 'cancel' | 'move' }>,
): Promise<void> {
  const all = await waiting(tenant);
  const record = all[step.which % Math.max(1, all.length)];
  if (!record) return;
  const path = `${paths[record.channel]}/${record.id}`;
  if (step.kind === 'cancel') {
    await tenant.program('POST', `${path}/cancel`);
    return;
  }
  const moved = await tenant.program('PATCH', path, scheduled(world, step.in_seconds));
  if (moved.status !== 200) return;
  // What was approved had another time.
  for (const request of world.requests.values())
    if (request.record_id === record.id) request.is_approved = false;
  world.approved_texts.delete(record.text);
}

async function crash(
  world: World,
  tenant: Tenant,
  { during, after_turns }: Extract<Step, { kind: 'crash' }>,
): Promise<void> {
  const before = world.recorder.handed.length;
  if (during) {
    if (after_turns === null) world.recorder.mood = 'silent';
    const work = (
      during.kind === 'send' ? performSend(world, tenant, during) : decide(world, tenant, during)
    ).then(
      () => 'answered',
      () => 'broken',
    );
    if (after_turns !== null) for (let turn = 0; turn < after_turns; turn++) await nextTurn();
    else await handedOrIdle(world, before, work);
  }
  await world.crash();
  // The leases of what the old process had claimed end.
  await world.advance(120);
}

/** Until the provider has something, or the request was answered and the queue does nothing with it. */
async function handedOrIdle(world: World, before: number, work: Promise<string>): Promise<void> {
  let idle_checks = 0;
  let is_answered = false;
  void work.then(() => {
    is_answered = true;
  });
  await waitFor('handed over, or not at all', () => {
    if (is_answered) idle_checks++;
    return world.recorder.handed.length > before || idle_checks > 10;
  });
}

/** Everything in the step may run at the same time. */
async function race(
  world: World,
  tenant: Tenant,
  { send, change }: Extract<Step, { kind: 'race' }>,
): Promise<void> {
  await Promise.all([performSend(world, tenant, send), applyChange(world, tenant, change)]);
}

export async function perform(world: World, tenant: Tenant, step: Step): Promise<void> {
  switch (step.kind) {
    case 'send':
      return void (await performSend(world, tenant, step));
    case 'batch':
      return sendBatch(world, tenant, step);
    case 'reply':
      return answerMail(world, tenant, { kind: 'reply', person: step.from });
    case 'forward':
      return answerMail(world, tenant, { kind: 'forward', person: step.to });
    case 'text_in':
      return textIn(world, tenant, step.from);
    case 'stop_call':
      return stopCall(world, tenant, step.to);
    case 'mail_in':
      return void (await mailIn(world, tenant, step.from));
    case 'decide':
      return decide(world, tenant, step);
    case 'cancel':
    case 'move':
      return changeWaiting(world, tenant, step);
    case 'clock':
      return world.advance(step.seconds);
    case 'busy':
      world.recorder.mood = step.is_busy ? 'busy' : 'works';
      return;
    case 'crash':
      return crash(world, tenant, step);
    case 'race':
      return race(world, tenant, step);
    default:
      return applyChange(world, tenant, step);
  }
}
