// The rules for sending as a person reads them in the documentation: plain data, and whether they forbid a hand-over. Written
// independently of the checks of the product, and calls none of them.
import type { Channel } from '@parley/contract/access/admin';
import type { Purpose } from '@parley/contract/rules/approvals/hold';
import { personOf } from './people.ts';

export type ConsentChannel = 'call' | 'email' | 'sms';
export const consentChannel: Record<Channel, ConsentChannel> = { calls: 'call', emails: 'email', sms: 'sms' };

export type PolicyRule = {
  name: string;
  subjects: readonly { kind: 'any' | 'api_key' | 'agent' }[];
  channels: readonly Channel[];
  when: readonly (
    | 'always'
    | 'not_vouched'
    | { recipients_over: number }
    | { purpose: Purpose }
    | { batch_over: number }
  )[];
  then: 'hold' | 'refuse' | 'allow';
};
export type Window = { from: string; to: string };
export type Budget = {
  id: string;
  of: 'organization' | 'api_key' | 'agent';
  channel: Channel | 'all';
  window: 'hour' | 'day';
  max_count: number | null;
  max_amount_micros: number | null;
};

export type Rules = {
  policy: readonly PolicyRule[];
  consent: 'warrant' | 'recorded';
  stop_scope: 'channel' | 'phone' | 'all';
  destinations: readonly string[] | null;
  messages_per_person_per_day: number | null;
  new_recipients_per_day: number | null;
  /** When the limit of new recipients was set to this value. */
  new_limit_since_ms: number;
  hours: { calls: Window | null; sms: Window | null; exempt: readonly ('reply_60m' | 'transactional')[] };
  budgets: readonly Budget[];
  /** Who must not be contacted, such as "sms +14155550101". */
  refused: ReadonlySet<string>;
  consents: readonly {
    recipient: string;
    channel: ConsentChannel;
    purposes: readonly Purpose[];
    until_ms: number;
  }[];
  /** Recipients that a person vouched for, in the list of the organization or by an approval. */
  vouched: ReadonlySet<string>;
  approved: ReadonlySet<string>;
  /** Messages that people sent, newest last. */
  heard: readonly { from: string; channel: ConsentChannel; at_ms: number; is_revoked: boolean }[];
};

/** The price list of the test, in millionths. Emails cost nothing. */
export const prices = { call_minute: 50_000, sms_segment: 10_000 };

/** Replaced as a whole with every change, so that a hand-over can keep the one of its moment. */
export type Book = {
  /** The kill switch of all organizations: true where it is on. */
  stopped: Readonly<Record<Channel, boolean>>;
  organizations: Readonly<Record<string, Rules>>;
};
export const empty_book: Book = {
  stopped: { calls: false, emails: false, sms: false },
  organizations: {},
};

export const no_rules: Rules = {
  policy: [],
  consent: 'warrant',
  stop_scope: 'phone',
  destinations: null,
  messages_per_person_per_day: null,
  new_recipients_per_day: null,
  new_limit_since_ms: 0,
  hours: { calls: null, sms: null, exempt: ['reply_60m'] },
  budgets: [],
  refused: new Set(),
  consents: [],
  vouched: new Set(),
  approved: new Set(),
  heard: [],
};

/** What is handed over, and what is known about the request behind it. */
export type Sent = {
  organization_id: string | null;
  channel: Channel;
  origin: 'api' | 'agent' | 'keyword' | 'forward' | 'system';
  recipients: readonly string[];
  purpose: Purpose;
  batch_size: number;
  is_by_person: boolean;
  is_approved: boolean;
  at_ms: number;
};

const day_ms = 86_400_000;

/** Why the rules forbid the hand-over; null when they allow it. */
export function forbiddenBecause(book: Book, sent: Sent): string | null {
  const { channel, origin, organization_id } = sent;
  if (book.stopped[channel]) return 'the kill switch is on';
  if (origin === 'system' || organization_id === null) return null;
  const rules = book.organizations[organization_id] ?? no_rules;
  if (channel !== 'emails' && !isDestination(rules, sent)) return 'the country is not allowed';
  if (origin === 'keyword') return null;
  const refused = sent.recipients.find((each) => rules.refused.has(`${consentChannel[channel]} ${each}`));
  if (refused) return `${refused} must not be contacted`;
  if (origin === 'forward') return null;
  if (rules.consent === 'recorded') {
    const missing = sent.recipients.find((each) => !hasConsented(rules, sent, each));
    if (missing) return `no consent of ${missing} is recorded`;
  }
  const quiet = sent.recipients.find((each) => isQuiet(rules, sent, each));
  if (quiet) return `${quiet} may not be contacted at this time of day`;
  return approvalProblem(rules, sent);
}

const isDestination = ({ destinations }: Rules, { recipients }: Sent) =>
  destinations === null || recipients.every((each) => destinations.includes(personOf(each).country));

function hasConsented(rules: Rules, { channel, purpose, at_ms }: Sent, recipient: string): boolean {
  const on = consentChannel[channel];
  const is_recorded = rules.consents.some(
    (each) =>
      each.recipient === recipient &&
      each.channel === on &&
      each.purposes.includes(purpose) &&
      each.until_ms > at_ms,
  );
  if (is_recorded || purpose !== 'conversational') return is_recorded;
  return rules.heard.some(
    (each) =>
      each.from === recipient &&
      each.channel === on &&
      !each.is_revoked &&
      at_ms - each.at_ms <= 180 * day_ms,
  );
}

function isQuiet({ hours, heard }: Rules, { channel, purpose, at_ms }: Sent, recipient: string): boolean {
  const window = channel === 'emails' ? null : hours[channel];
  if (!window) return false;
  if (purpose === 'transactional' && hours.exempt.includes('transactional')) return false;
  if (personOf(recipient).zones.every((zone) => isInside(window, zone, at_ms))) return false;
  const is_reply = heard.some(({ from, at_ms: at }) => from === recipient && at_ms - at <= 3_600_000);
  return !(is_reply && hours.exempt.includes('reply_60m'));
}

/** What a clock on the wall shows there, such as 08:05, is compared as text. */
function isInside({ from, to }: Window, time_zone: string, at_ms: number): boolean {
  const options = { timeZone: time_zone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const shown = new Date(at_ms).toLocaleTimeString('en-GB', options);
  return shown >= from && shown < to;
}

function approvalProblem(rules: Rules, sent: Sent): string | null {
  if (sent.is_by_person) return null;
  const rule = rules.policy.find((each) => fits(rules, each, sent));
  if (rule?.then === 'refuse') return `the rule ${rule.name} refuses it`;
  if (rule?.then === 'hold' && !sent.is_approved) return `nobody approved it, as the rule ${rule.name} says`;
  return null;
}

function fits({ vouched, approved }: Rules, { subjects, channels, when }: PolicyRule, sent: Sent): boolean {
  if (!channels.includes(sent.channel)) return false;
  const own_kind = sent.origin === 'agent' ? 'agent' : 'api_key';
  if (!subjects.some(({ kind }) => kind === 'any' || kind === own_kind)) return false;
  return when.some((condition) => {
    if (condition === 'always') return true;
    if (condition === 'not_vouched')
      return sent.recipients.some((each) => !vouched.has(each) && !approved.has(each));
    if ('recipients_over' in condition) return sent.recipients.length > condition.recipients_over;
    if ('batch_over' in condition) return sent.batch_size > condition.batch_over;
    return sent.purpose === condition.purpose;
  });
}

/** The number of the hour or day, which is a window of a budget. */
export const windowOf = (window: 'hour' | 'day', at_ms: number): number =>
  Math.floor(at_ms / (window === 'hour' ? 3_600_000 : day_ms));
