// The dry run of an approval policy: applies rules to what was sent in the last days.
import { type Channel, channels } from '@parley/contract/access/admin';
import type { ApprovalDryRun, ApprovalRule } from '@parley/contract/rules/approvals/approval-policy';
import type { Prices } from '@parley/contract/rules/spending/funds';
import type { Clock } from '../../../platform/clock.ts';
import type { Funds } from '../funds/index.ts';
import type { HistoryStore, SentRecord } from './history/history-store.ts';
import type { Parties } from './parties/parties.ts';
import { firstMatch, isSentByPerson, type SendingFacts } from './rules.ts';

const days = 7;
const records_per_channel = 5000;
const max_examples = 20;
const nouns = { calls: 'call', emails: 'email', sms: 'sms' } as const;

export type DryRunDeps = {
  clock: Clock;
  history: HistoryStore;
  parties: Parties;
  funds: Pick<Funds, 'prices'>;
};

export async function dryRun(
  deps: DryRunDeps,
  organization_id: string,
  rules: readonly ApprovalRule[],
  trusted: readonly string[],
): Promise<ApprovalDryRun> {
  const since = new Date(deps.clock.ms() - days * 86_400_000);
  const prices = await deps.funds.prices();
  const matched = new Map(rules.map(({ name }) => [name, 0]));
  const result: ApprovalDryRun = {
    since: since.toISOString(),
    considered: 0,
    held: 0,
    refused: 0,
    by_rule: [],
    examples: [],
    unknown_subjects: 0,
  };
  for (const channel of channels) {
    const sent = await deps.history.sentSince(organization_id, channel, since, records_per_channel);
    const parties = await partiesOf(deps, organization_id, sent, trusted);
    for (const record of sent) {
      result.considered++;
      const facts = factsOf(channel, record, { prices, ...parties });
      if (facts.principal === null) result.unknown_subjects++;
      if (isSentByPerson(facts.principal)) continue;
      const match = await firstMatch(rules, facts);
      if (!match || match.rule.then === 'allow') continue;
      const { name, then: outcome } = match.rule;
      matched.set(name, (matched.get(name) ?? 0) + 1);
      result[outcome === 'hold' ? 'held' : 'refused']++;
      if (result.examples.length === max_examples) continue;
      const { id, to, requested_at } = record;
      result.examples.push({ noun: nouns[channel], id, to, requested_at, rule: name, outcome });
    }
  }
  result.by_rule = [...matched].map(([rule, count]) => ({ rule, matched: count }));
  return result;
}

type KnownParties = {
  unvouched: ReadonlySet<string>;
  /** The first record to each recipient that nobody vouched for: the others were not new any more. */
  first_ids: ReadonlyMap<string, string>;
};

function firstIds(sent: readonly SentRecord[], unnamed: readonly string[]): ReadonlyMap<string, string> {
  const candidates = new Set(unnamed);
  const first = new Map<string, string>();
  // The newest record comes first, so the last one that is set is the oldest.
  for (const { id, to } of sent) for (const each of to) if (candidates.has(each)) first.set(each, id);
  return first;
}

/** Asked once for all recipients of a channel. */
async function partiesOf(
  { parties }: DryRunDeps,
  organization_id: string,
  sent: readonly SentRecord[],
  trusted: readonly string[],
): Promise<KnownParties> {
  const recipients = [...new Set(sent.flatMap(({ to }) => to))];
  return {
    unvouched: new Set(await parties.unvouched(organization_id, recipients, trusted)),
    first_ids: firstIds(sent, await parties.unnamed(organization_id, recipients)),
  };
}

function factsOf(
  channel: Channel,
  { id, to, terms, agent_id, has_attachment, segments }: SentRecord,
  { prices, unvouched, first_ids }: KnownParties & { prices: Prices },
): SendingFacts {
  const agent = agent_id ? { kind: 'agent' as const, credential_id: null, agent_id } : null;
  const price = { emails: 0, sms: prices.sms_segment * segments, calls: prices.call_minute }[channel];
  return {
    channel,
    principal: terms?.principal ?? agent,
    recipients: to,
    purpose: terms?.purpose ?? 'conversational',
    batch_size: 1,
    hasAttachment: async () => has_attachment,
    priceMicros: async () => price,
    unvouched: async () => to.filter((each) => unvouched.has(each)),
    newOnes: async () => to.filter((each) => first_ids.get(each) === id),
    // The time of the recipient at that moment is not stored.
    isOutsideHours: async () => false,
  };
}
