// Applies the rules of an approval policy to one message or call. Facts are loaded only when a condition needs them.
import type {
  ApprovalChannel,
  ApprovalCondition,
  ApprovalRule,
} from '@parley/contract/rules/approvals/approval-policy';
import type { Purpose } from '@parley/contract/rules/approvals/hold';
import { credentialsOf, type Principal } from '../admission/index.ts';

export type SendingFacts = {
  channel: ApprovalChannel;
  principal: Principal | null;
  /** The record was stored without its sender, because there was no policy then. It is not by an agent. */
  is_unknown_sender?: boolean;
  recipients: readonly string[];
  purpose: Purpose;
  batch_size: number;
  hasAttachment(): Promise<boolean>;
  priceMicros(): Promise<number>;
  /** The recipients that nobody vouched for. */
  unvouched(): Promise<readonly string[]>;
  /** The recipients that were never contacted. */
  newOnes(): Promise<readonly string[]>;
  isOutsideHours(): Promise<boolean>;
};
export type Reason = { code: string; message: string };
export type Match = { rule: ApprovalRule; reason: Reason };

const people: ReadonlySet<Principal['kind']> = new Set(['session', 'outside_token', 'operator_key']);
/** People who are signed in have decided already. */
export const isSentByPerson = (principal: Principal | null) =>
  principal !== null && people.has(principal.kind);

/** The first rule that fits; null when none does. */
export async function firstMatch(rules: readonly ApprovalRule[], facts: SendingFacts): Promise<Match | null> {
  for (const rule of rules) {
    if (!rule.channels.includes(facts.channel)) continue;
    if (!rule.subjects.some((subject) => fits(subject, facts))) continue;
    for (const condition of rule.when) {
      const message = await meets(condition, facts);
      if (message === null) continue;
      const code = typeof condition === 'string' ? condition : Object.keys(condition)[0]!;
      return { rule, reason: { code, message } };
    }
  }
  return null;
}

function fits(
  { kind, id }: ApprovalRule['subjects'][number],
  { principal, is_unknown_sender = false }: SendingFacts,
): boolean {
  if (kind === 'any') return true;
  // Any key or program may have sent it, so a rule about one of them applies.
  if (principal === null) return is_unknown_sender && kind !== 'agent';
  if (kind === 'agent') return principal.agent_id !== null && (id == null || id === principal.agent_id);
  // A rule about one key or program also applies to the keys and agents that it created.
  if (kind === 'oauth_grant') {
    return id == null ? principal.kind === 'oauth' : credentialsOf(principal).includes(`grant:${id}`);
  }
  if (id != null) return credentialsOf(principal).includes(`key:${id}`);
  return principal.kind === 'api_key' || principal.kind === 'shared_key';
}

/** Why the condition is met, in one sentence; null when it is not. */
async function meets(condition: ApprovalCondition, facts: SendingFacts): Promise<string | null> {
  if (typeof condition === 'string') return plain[condition](facts);
  if ('recipients_over' in condition) {
    const { length } = facts.recipients;
    return length > condition.recipients_over ? `It has ${length} recipients.` : null;
  }
  if ('batch_over' in condition) {
    return facts.batch_size > condition.batch_over
      ? `It is part of a batch of ${facts.batch_size} messages.`
      : null;
  }
  if ('amount_over_micros' in condition) {
    const micros = await facts.priceMicros();
    return micros > condition.amount_over_micros ? `It costs ${micros / 1_000_000}.` : null;
  }
  return facts.purpose === condition.purpose ? `Its purpose is ${facts.purpose}.` : null;
}

const shown_recipients = 5;
const named = (recipients: readonly string[], text: (list: string) => string): string | null => {
  if (recipients.length === 0) return null;
  const more = recipients.length - shown_recipients;
  return text(recipients.slice(0, shown_recipients).join(', ') + (more > 0 ? ` and ${more} more` : ''));
};

type PlainCondition = Extract<ApprovalCondition, string>;
const plain: Record<PlainCondition, (facts: SendingFacts) => Promise<string | null>> = {
  always: async () => 'The rule applies to everything.',
  new_recipient: async (facts) =>
    named(await facts.newOnes(), (list) => `Nothing was exchanged with ${list} before.`),
  not_vouched: async (facts) => named(await facts.unvouched(), (list) => `Nobody vouched for ${list}.`),
  has_attachment: async (facts) => ((await facts.hasAttachment()) ? 'It has attachments.' : null),
  outside_hours: async (facts) =>
    (await facts.isOutsideHours()) ? 'It is outside the hours in which recipients may be contacted.' : null,
};
