// The steps of a random sequence, as plain data: fast-check generates and shortens them.
import type { Channel } from '@parley/contract/access/admin';
import type { Purpose } from '@parley/contract/rules/approvals/hold';
import fc from 'fast-check';
import { people } from './people.ts';
import { type PolicyRule, prices, type Rules } from './rules.ts';

export type Send = {
  kind: 'send';
  channel: Channel;
  /** Indexes of people; calls and texts use the first one. */
  to: readonly number[];
  purpose: Purpose;
  is_by_person: boolean;
  /** Null: immediately. */
  in_seconds: number | null;
};
export type Change =
  | { kind: 'switch'; channel: Channel; is_on: boolean }
  | { kind: 'policy'; rules: readonly PolicyRule[] }
  | { kind: 'contact_rules'; rules: ContactRules }
  | { kind: 'quiet_hours'; hours: Rules['hours']; on_violation: 'defer' | 'refuse' }
  | {
      kind: 'budget';
      of: 'organization' | 'api_key' | 'agent';
      channel: Channel | 'all';
      window: 'hour' | 'day';
      max_count: number | null;
      max_amount_micros: number | null;
    }
  /** Replaces the recipients that need no approval. */
  | { kind: 'trust'; people: readonly number[] }
  | { kind: 'consent'; to: number; channel: Channel; purposes: readonly Purpose[]; days: number }
  | { kind: 'revoke_consents'; to: number }
  | { kind: 'suppress'; to: number; channel: 'sms' | 'emails' }
  | { kind: 'unsubscribe' }
  | { kind: 'stop_text'; from: number };
export type Decide = { kind: 'decide'; which: number; is_approved: boolean };
export type ContactRules = Pick<
  Rules,
  'consent' | 'stop_scope' | 'destinations' | 'messages_per_person_per_day' | 'new_recipients_per_day'
>;
export type Step =
  | Send
  | Change
  | { kind: 'batch'; to: readonly number[]; purpose: Purpose; in_seconds: number | null }
  | { kind: 'reply'; from: number }
  | { kind: 'forward'; to: number }
  /** A text that the agent answers. */
  | { kind: 'text_in'; from: number }
  /** A call in which the person says that they do not want to be contacted. */
  | { kind: 'stop_call'; to: number }
  /** An email that is forwarded automatically. */
  | { kind: 'mail_in'; from: number }
  | Decide
  | { kind: 'cancel'; which: number }
  | { kind: 'move'; which: number; in_seconds: number }
  | { kind: 'clock'; seconds: number }
  | { kind: 'busy'; is_busy: boolean }
  /** While `during` runs. `after_turns`: of the event loop; null: the provider has it and did not respond yet. */
  | { kind: 'crash'; during: Send | Decide | null; after_turns: number | null }
  /** At the same time, so that the change comes between the request and the hand-over. */
  | { kind: 'race'; send: Send; change: Change };

const channels = ['calls', 'emails', 'sms'] as const;
const purposes = ['transactional', 'conversational', 'marketing'] as const;
const person = fc.nat(people.length - 1);
const channel = fc.constantFrom(...channels);
const purpose = fc.constantFrom(...purposes);
const in_seconds = fc.option(fc.integer({ min: 60, max: 50_000 }), { freq: 2 });

const send: fc.Arbitrary<Send> = fc.record({
  kind: fc.constant('send'),
  channel,
  to: fc.uniqueArray(person, { minLength: 1, maxLength: 3 }),
  purpose,
  is_by_person: fc.constantFrom(false, false, false, true),
  in_seconds,
});

const decide: fc.Arbitrary<Decide> = fc.record({
  kind: fc.constant('decide'),
  which: fc.nat(3),
  is_approved: fc.constantFrom(true, true, false),
});

const some = <T>(values: readonly T[]) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: values.length });

const policyRule = (index: number): fc.Arbitrary<PolicyRule> =>
  fc.record({
    name: fc.constant(`rule ${index}`),
    subjects: fc.constantFrom([{ kind: 'any' }], [{ kind: 'api_key' }], [{ kind: 'agent' }]) as fc.Arbitrary<
      PolicyRule['subjects']
    >,
    channels: some(channels),
    when: fc.constantFrom(
      ['always'],
      ['not_vouched'],
      [{ recipients_over: 1 }],
      [{ purpose: 'marketing' }],
      [{ batch_over: 1 }],
    ) as fc.Arbitrary<PolicyRule['when']>,
    then: fc.constantFrom('hold', 'hold', 'refuse', 'allow'),
  });

const window = fc.option(
  fc.constantFrom(
    { from: '08:00', to: '21:00' },
    { from: '00:00', to: '12:30' },
    { from: '20:00', to: '24:00' },
  ),
);

/** Nothing, less or more than a text, and less or more than a minute. */
const amount = fc.constantFrom(
  0,
  prices.sms_segment - 1,
  2 * prices.sms_segment,
  prices.call_minute - 1,
  prices.call_minute + 2 * prices.sms_segment,
);

export const change: fc.Arbitrary<Change> = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant('switch' as const), channel, is_on: fc.boolean() }), weight: 2 },
  {
    arbitrary: fc.record({
      kind: fc.constant('policy' as const),
      rules: fc.oneof(fc.constant([]), fc.tuple(policyRule(1)), fc.tuple(policyRule(1), policyRule(2))),
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('contact_rules' as const),
      rules: fc.record({
        consent: fc.constantFrom('warrant', 'recorded'),
        stop_scope: fc.constantFrom('channel', 'phone', 'all'),
        destinations: fc.constantFrom(null, null, ['US'], ['GB']),
        messages_per_person_per_day: fc.constantFrom(null, null, 1, 2),
        new_recipients_per_day: fc.constantFrom(null, null, 0, 1, 2),
      }),
    }),
    weight: 2,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('quiet_hours' as const),
      hours: fc.record({ calls: window, sms: window, exempt: fc.subarray(['reply_60m', 'transactional']) }),
      on_violation: fc.constantFrom('defer', 'refuse'),
    }),
    weight: 2,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('budget' as const),
      of: fc.constantFrom('organization', 'api_key', 'agent'),
      channel: fc.constantFrom(...channels, 'all' as const),
      window: fc.constantFrom('hour', 'day'),
      max_count: fc.nat(4),
      max_amount_micros: fc.option(amount, { freq: 2 }),
    }),
    weight: 1,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('budget' as const),
      of: fc.constantFrom('organization', 'api_key', 'agent'),
      channel: fc.constantFrom(...channels, 'all' as const),
      window: fc.constantFrom('hour', 'day'),
      max_count: fc.constant(null),
      max_amount_micros: amount,
    }),
    weight: 1,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('consent' as const),
      to: person,
      channel,
      purposes: some(purposes),
      days: fc.constantFrom(1, 30),
    }),
    weight: 3,
  },
  fc.record({ kind: fc.constant('trust' as const), people: fc.uniqueArray(person, { maxLength: 3 }) }),
  fc.record({ kind: fc.constant('revoke_consents' as const), to: person }),
  fc.record({
    kind: fc.constant('suppress' as const),
    to: person,
    channel: fc.constantFrom('sms', 'emails'),
  }),
  fc.record({ kind: fc.constant('unsubscribe' as const) }),
  fc.record({ kind: fc.constant('stop_text' as const), from: person }),
) as fc.Arbitrary<Change>;

/** Minutes, hours over midnight, or days over a change of daylight saving time. */
const seconds = fc.oneof(
  fc.integer({ min: 1, max: 3600 }),
  fc.integer({ min: 3600, max: 14 * 3600 }),
  fc.constantFrom(86_400, 100_000, 26 * 3600),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: send, weight: 10 },
  { arbitrary: change, weight: 10 },
  {
    arbitrary: fc.record({
      kind: fc.constant('batch' as const),
      to: fc.array(person, { minLength: 1, maxLength: 3 }),
      purpose,
      in_seconds,
    }),
    weight: 1,
  },
  { arbitrary: fc.record({ kind: fc.constant('reply' as const), from: person }), weight: 1 },
  { arbitrary: fc.record({ kind: fc.constant('forward' as const), to: person }), weight: 1 },
  { arbitrary: fc.record({ kind: fc.constant('text_in' as const), from: person }), weight: 2 },
  { arbitrary: fc.record({ kind: fc.constant('mail_in' as const), from: person }), weight: 2 },
  { arbitrary: fc.record({ kind: fc.constant('stop_call' as const), to: person }), weight: 1 },
  { arbitrary: decide, weight: 6 },
  { arbitrary: fc.record({ kind: fc.constant('cancel' as const), which: fc.nat(3) }), weight: 1 },
  {
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      which: fc.nat(3),
      in_seconds: fc.integer({ min: 60, max: 50_000 }),
    }),
    weight: 1,
  },
  { arbitrary: fc.record({ kind: fc.constant('clock' as const), seconds }), weight: 6 },
  { arbitrary: fc.record({ kind: fc.constant('busy' as const), is_busy: fc.boolean() }), weight: 1 },
  {
    arbitrary: fc.record({
      kind: fc.constant('crash' as const),
      during: fc.option(fc.oneof(send, decide), { freq: 4 }),
      after_turns: fc.option(fc.nat(80)),
    }),
    weight: 1,
  },
  { arbitrary: fc.record({ kind: fc.constant('race' as const), send, change }), weight: 2 },
) as fc.Arbitrary<Step>;

export const sequence = (length: number): fc.Arbitrary<Step[]> =>
  fc.array(step, { minLength: Math.ceil(length / 2), maxLength: length, size: 'max' });
