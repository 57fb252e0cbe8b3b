// Calls, texts and emails that a rule stops or holds, and those that somebody cancels: explain names the rule, and a script
// follows the fix.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Hold } from '@parley/contract/rules/approvals/hold';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { ended, eventually, people } from '../../../../testing/calls.ts';
import {
  decide,
  expected,
  type FollowedFix,
  followFixes,
  newOwn,
  type Own,
  verdictOf,
} from '../../../../testing/followed-fixes.ts';

const app = await startTestApp();
const { later } = app;
const friend = '+15005550001';

type Item = { id: string; status: string; hold: Hold | null };
type Noun = {
  channel: 'calls' | 'sms' | 'emails';
  /** How explain names it. */
  word: 'call' | 'text' | 'email';
  body: Record<string, unknown>;
  works: string;
};
const nouns: Noun[] = [
  { channel: 'calls', word: 'call', body: { to: people.hangs_up }, works: 'callee_hangup' },
  { channel: 'sms', word: 'text', body: { to: friend, body: 'Hello' }, works: 'delivered' },
  {
    channel: 'emails',
    word: 'email',
    body: { to: ['delivered@sandbox.test'], subject: 'Hello', body_text: 'Hi' },
    works: 'delivered',
  },
];
const [call, text] = nouns as [Noun, Noun, Noun];

const nowMs = async () =>
  Date.parse((await expected<{ now: string }>(200, app.client, 'GET', '/v1/sandbox/clock')).now);
const inSeconds = async (seconds: number) => new Date((await nowMs()) + seconds * 1000).toISOString();
const create = (of: Client, { channel, body }: Noun, more: object = {}) =>
  expected<Item>(201, of, 'POST', `/v1/${channel}`, { recipient_consent: true, ...body, ...more });
const read = (of: Client, { channel }: Noun, id: string) =>
  expected<Item>(200, of, 'GET', `/v1/${channel}/${id}`);
/** After everything that is due. */
async function done(of: Client, { channel }: Noun, { id }: { id: string }): Promise<string> {
  if (channel === 'calls') await ended(of, id);
  else await app.app.jobs.drain();
  return id;
}
const sent = async (of: Client, noun: Noun, more: object = {}) =>
  done(of, noun, await create(of, noun, more));
const scheduled = async (of: Client, noun: Noun, seconds: number) =>
  (await create(of, noun, { scheduled_at: await inSeconds(seconds) })).id;
/** A call is claimed before the rules hold it. */
async function heldBy(of: Client, noun: Noun, id: string, kind: Hold['kind']): Promise<string> {
  await eventually(`held by ${kind}`, async () => (await read(of, noun, id)).hold?.kind === kind);
  return id;
}
const setPolicy = (person: Client, rules: object[]) =>
  expected(200, person, 'PUT', '/v1/approval-policy', { rules });
const policy = ({ channel }: Noun, then: 'hold' | 'refuse') => [
  {
    name: 'All',
    when: ['always'],
    channels: [channel],
    then,
    ...(then === 'hold' && { expires_in_seconds: 300 }),
  },
];

const approvalsOf = (noun: Noun): FollowedFix<Own>[] => [
  {
    name: `${noun.word}: one that a person rejected`,
    expected: ['approval_rejected', 'policy', 'now_with_new_key'],
    fix: /Read the note of the approval. Change the \w+ accordingly and (place|send) a new one/,
    async fail({ program, person }) {
      await setPolicy(person, policy(noun, 'hold'));
      const { id } = await create(program, noun);
      const approval_id = await decide(person, { reject: 'Set metadata.ticket.' });
      const verdict = await verdictOf(program, approval_id);
      assert.deepEqual([verdict.code, verdict.who], ['rejected', 'policy']);
      assert.match(verdict.fix, /Read the note/);
      return id;
    },
    async follow({ program, person }) {
      const { items } = await expected<{ items: { note: string }[] }>(200, program, 'GET', '/v1/approvals');
      assert.equal(items[0]!.note, 'Set metadata.ticket.');
      const { id } = await create(program, noun, { metadata: { ticket: 7 } });
      await decide(person, 'approve');
      await later(5);
      return done(program, noun, { id });
    },
    works: noun.works,
  },
  {
    name: `${noun.word}: one whose approval expired`,
    expected: ['approval_expired', 'policy', 'now_with_new_key'],
    fix: /Tell an approver, and (place|send) the \w+ again/,
    async fail({ program, person }) {
      await setPolicy(person, policy(noun, 'hold'));
      const { id } = await create(program, noun);
      await later(316);
      return id;
    },
    async follow({ program, person }) {
      const { id } = await create(program, noun);
      await decide(person, 'approve');
      await later(5);
      return done(program, noun, { id });
    },
    works: noun.works,
  },
  {
    name: `${noun.word}: one that waits for an approval`,
    expected: ['approval', 'policy', 'no'],
    fix: /POST \/v1\/approvals\/\{approval_id\}\/approve/,
    async fail({ program, person }) {
      await setPolicy(person, policy(noun, 'hold'));
      return (await create(program, noun)).id;
    },
    async follow({ program, person }, { id }) {
      const approval_id = await decide(person, 'approve');
      await later(5);
      assert.equal((await verdictOf(program, approval_id)).code, 'approved');
      assert.equal((await verdictOf(program, await done(program, noun, { id }))).code, noun.works);
      return undefined;
    },
  },
];

const waitingOf = (noun: Noun): FollowedFix<Own>[] => [
  {
    name: `${noun.word}: one that waits for its time`,
    expected: ['schedule', 'you', 'no'],
    fix: /move it with PATCH/,
    fail: ({ program }) => scheduled(program, noun, 86_400),
    async follow({ program }, { id }) {
      const scheduled_at = await inSeconds(30);
      await expected(200, program, 'PATCH', `/v1/${noun.channel}/${id}`, { scheduled_at });
      await later(31);
      assert.equal((await verdictOf(program, await done(program, noun, { id }))).code, noun.works);
      return undefined;
    },
  },
  {
    name: `${noun.word}: one that was canceled`,
    expected: ['canceled', 'you', 'now_with_new_key'],
    fix: /again if it is still needed/,
    async fail({ program }) {
      const id = await scheduled(program, noun, 86_400);
      await expected(200, program, 'POST', `/v1/${noun.channel}/${id}/cancel`);
      return id;
    },
    follow: ({ program }) => sent(program, noun),
    works: noun.works,
  },
  {
    name: `${noun.word}: one that the policy refuses when its time comes`,
    expected: ['not_allowed_by_policy', 'policy', 'later'],
    fix: /Read GET \/v1\/approval-policy. A person can .*change the policy/,
    async fail({ program, person }) {
      const id = await scheduled(program, noun, 60);
      await setPolicy(person, policy(noun, 'refuse'));
      await later(61);
      return done(program, noun, { id });
    },
    async follow({ program, person }) {
      const { rules } = await expected<{ rules: object[] }>(200, program, 'GET', '/v1/approval-policy');
      assert.equal(rules.length, 1);
      await setPolicy(person, []);
      return sent(program, noun);
    },
    works: noun.works,
  },
  {
    name: `${noun.word}: one that the kill switch holds`,
    expected: ['kill_switch', 'policy', 'no'],
    fix: /Wait until the operator turns the kill switch off. It is then sent by itself/,
    async fail({ program }) {
      const id = await scheduled(program, noun, 60);
      await expected(200, app.operator, 'PATCH', '/v1/admin/kill-switch', { [noun.channel]: true });
      await later(61);
      return heldBy(program, noun, id, 'kill_switch');
    },
    async follow({ program }, { id }) {
      await expected(200, app.operator, 'PATCH', '/v1/admin/kill-switch', { [noun.channel]: false });
      await later(121);
      assert.equal((await verdictOf(program, await done(program, noun, { id }))).code, noun.works);
      return undefined;
    },
  },
  {
    name: `${noun.word}: one above the limit of new recipients`,
    expected: ['recipient_limit', 'policy', 'no'],
    fix: /^Wait until tomorrow \(UTC\)/,
    async fail({ program, person }) {
      await expected(200, person, 'PUT', '/v1/contact-rules', { new_recipients_per_day: 1 });
      const other = {
        calls: { to: people.busy },
        sms: { to: '+15005550005' },
        emails: { to: ['other@sandbox.test'] },
      }[noun.channel];
      const id = await scheduled(program, noun, 60);
      await sent(program, noun, other);
      await later(61);
      return heldBy(program, noun, id, 'recipient_limit');
    },
    async follow({ program }, { id }) {
      const { hold } = await read(program, noun, id);
      await later(Math.ceil((Date.parse(hold!.until!) - (await nowMs())) / 1000) + 1);
      assert.equal((await verdictOf(program, await done(program, noun, { id }))).code, noun.works);
      return undefined;
    },
  },
];

/** What waits keeps its time after a change of the rule. */
async function sentAgain({ program }: Own, id: string): Promise<string> {
  await expected(200, program, 'POST', `/v1/sms/${id}/cancel`);
  return sent(program, text);
}

/** A text that waits for the hours of its recipient. */
const quietText = async ({ program, person }: Own): Promise<string> => {
  const hour = new Date(await nowMs()).getUTCHours();
  const from = `${String((hour + 2) % 22).padStart(2, '0')}:00`;
  const to = `${String(((hour + 2) % 22) + 1).padStart(2, '0')}:00`;
  // A zone that a program sets would only narrow the hours.
  await expected(201, person, 'POST', '/v1/contacts', {
    name: 'Ana',
    phone_e164: friend,
    time_zone: 'Etc/UTC',
  });
  await expected(200, person, 'PUT', '/v1/quiet-hours', { sms: { from, to } });
  return (await create(program, text)).id;
};
const more: FollowedFix<Own>[] = [
  {
    name: 'a text outside the hours of its recipient',
    expected: ['quiet_hours', 'policy', 'no'],
    fix: /^Wait for the end of the quiet hours/,
    fail: quietText,
    async follow({ program }, { id }) {
      const { hold } = await read(program, text, id);
      await later(Math.ceil((Date.parse(hold!.until!) - (await nowMs())) / 1000) + 1);
      assert.equal((await verdictOf(program, id)).code, 'delivered');
      return undefined;
    },
  },
  {
    name: 'a text outside the hours, whose hours an owner changes',
    expected: ['quiet_hours', 'policy', 'no'],
    fix: /change them with PUT \/v1\/quiet-hours; .* so cancel it and send it again/,
    fail: quietText,
    async follow(own, { id }) {
      await expected(200, own.person, 'PUT', '/v1/quiet-hours', { sms: null });
      return sentAgain(own, id);
    },
    works: 'delivered',
  },
  {
    name: 'a text above a limit of recipients that an owner raises',
    expected: ['recipient_limit', 'policy', 'no'],
    fix: /raise the limit with PUT \/v1\/contact-rules; .* so cancel it and send it again/,
    async fail({ program, person }) {
      await expected(200, person, 'PUT', '/v1/contact-rules', { new_recipients_per_day: 1 });
      const id = await scheduled(program, text, 60);
      await sent(program, text, { to: '+15005550005' });
      await later(61);
      return id;
    },
    async follow(own, { id }) {
      await expected(200, own.person, 'PUT', '/v1/contact-rules', { new_recipients_per_day: 10 });
      return sentAgain(own, id);
    },
    works: 'delivered',
  },
  {
    name: 'a call whose number was released before its time',
    expected: ['setup_error', 'you', 'now_with_new_key'],
    fix: /an active number of GET \/v1\/numbers, or without "from"/,
    detail: /is not yours any more/,
    async fail({ program }) {
      const number = await expected<Item>(201, program, 'POST', '/v1/numbers', { country_code: 'US' });
      const id = await scheduled(program, call, 60);
      await expected(200, program, 'DELETE', `/v1/numbers/${number.id}`);
      await later(61);
      return done(program, call, { id });
    },
    follow: ({ program }) => sent(program, call),
    works: 'callee_hangup',
  },
  {
    name: 'a text to a person who sends STOP before its time',
    expected: ['recipient_opted_out', 'recipient', 'no'],
    fix: /suppressed until the person texts START to the sender/,
    async fail({ program }) {
      const { e164 } = await expected<{ e164: string }>(201, program, 'POST', '/v1/numbers', {
        country_code: 'US',
      });
      const id = await scheduled(program, text, 60);
      await expected(201, program, 'POST', '/v1/sandbox/inbound-sms', {
        from: friend,
        to: e164,
        body: 'STOP',
      });
      await later(61);
      return id;
    },
    async follow({ program }) {
      const { items } = await expected<{ items: { e164: string }[] }>(200, program, 'GET', '/v1/numbers');
      const start = { from: friend, to: items[0]!.e164, body: 'START' };
      await expected(201, program, 'POST', '/v1/sandbox/inbound-sms', start);
      return sent(program, text);
    },
    works: 'delivered',
  },
];

/** They move the clock of the service, so they run one after the other. */
describe('rules', () => {
  followFixes(
    [...nouns.flatMap(waitingOf), ...more],
    () => newOwn(app),
    ({ program }) => program,
  );
  // The operator key decides where an organization has no members.
  followFixes(
    nouns.flatMap(approvalsOf),
    async () => {
      await setPolicy(app.operator, []);
      return { program: app.client, person: app.operator };
    },
    ({ program }) => program,
  );
});
