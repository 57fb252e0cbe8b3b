// Decides about received emails, texts and calls: the rules of the organization, then the checks of the mail server.
import type {
  DmarcPolicy,
  emailVerdicts,
  QuarantineReason,
} from '@parley/contract/channels/emails/email-records';
import { type ReceiveSettings, receive_setting_defaults } from '@parley/contract/rules/receive-rules';
import { addressKey } from '@parley/contract/schema/mailbox';
import { keyedTtlCache } from '../../../platform/ttl-cache.ts';
import type { SenderProof } from '../../access/sender-proof/index.ts';
import { type Arrival, type DecidingRule, decidingRule, type StoredRule } from './rule.ts';
import type { ReceiveRuleStore } from './store.ts';

type Verdict = (typeof emailVerdicts)[number];

export type IncomingEmail = {
  from: string;
  recipients: readonly { address: string; email_domain_id: string }[];
  verdicts: { spam: Verdict; virus: Verdict };
  sender_proof: SenderProof;
  /** What the domain of the sender asks to do with mail that is not proven; null when it is not known. */
  dmarc_policy: DmarcPolicy | null;
  /** Whether it answers an email of the organization. */
  isReply(): Promise<boolean>;
};

export type EmailDecision =
  | { action: 'allow'; rule: DecidingRule | null }
  | { action: 'block'; rule: DecidingRule }
  | { action: 'quarantine'; rule: DecidingRule | null; reason: QuarantineReason };

type Known = { rules: StoredRule[]; settings: ReceiveSettings };

/** A change applies on every process after this time. */
const rules_age_ms = 2000;
const max_organizations = 10_000;

export function receiveJudge(store: ReceiveRuleStore, countryOf: (e164: string) => string | null) {
  const cache = keyedTtlCache<Known>({ max_age_ms: rules_age_ms, max_entries: max_organizations });
  const known = (organization_id: string) =>
    cache.get(organization_id, async () => ({
      rules: await store.all(organization_id),
      settings: (await store.settings(organization_id)) ?? receive_setting_defaults,
    }));

  return {
    forget: cache.forget,

    async email(organization_id: string, email: IncomingEmail): Promise<EmailDecision> {
      const { rules, settings } = await known(organization_id);
      const by_rule = await ruleDecision(rules, email);
      if (by_rule.action === 'block') return by_rule;
      const failed = failedCheck(settings, email, by_rule.rule);
      return failed ? { action: 'quarantine', rule: by_rule.rule, reason: failed } : by_rule;
    },

    /** The rule that decides about a text or a call. */
    async phone(
      organization_id: string,
      { channel, from, to }: { channel: 'sms' | 'call'; from: string; to: string },
    ): Promise<DecidingRule | null> {
      const { rules } = await known(organization_id);
      if (!rules.some((rule) => rule.channel === channel)) return null;
      const country = from.startsWith('+') ? countryOf(from) : null;
      return decidingRule(rules, { channel, from, to, country, email_domain_id: null, is_reply: false });
    },
  };
}
export type ReceiveJudge = ReturnType<typeof receiveJudge>;

/**
 * The email is one record for all of its recipients. It is blocked only if every recipient blocks it; if some do, it is kept
 * in quarantine, because a sender could otherwise pass the rule of one address by naming a second one.
 */
async function ruleDecision(rules: readonly StoredRule[], email: IncomingEmail): Promise<EmailDecision> {
  const email_rules = rules.filter(({ channel }) => channel === 'email');
  if (email_rules.length === 0) return { action: 'allow', rule: null };
  const is_reply = email_rules.some(({ applies_to }) => applies_to !== 'all') && (await email.isReply());
  const decisions = email.recipients.map(({ address, email_domain_id }) => {
    const arrival: Arrival = {
      channel: 'email',
      from: addressKey(email.from),
      country: null,
      to: addressKey(address),
      email_domain_id,
      is_reply,
    };
    return decidingRule(email_rules, arrival);
  });
  const strictest =
    decisions.find((rule) => rule?.action === 'block') ??
    decisions.find((rule) => rule?.action === 'quarantine') ??
    decisions.find((rule) => rule !== null) ??
    null;
  if (strictest === null || strictest.action === 'allow') return { action: 'allow', rule: strictest };
  if (decisions.every((rule) => rule?.action === 'block')) return { action: 'block', rule: strictest };
  return { action: 'quarantine', rule: strictest, reason: 'rule' };
}

/**
 * An allow rule trusts a sender not to send spam. It does not prove who the sender is, so it does nothing for mail whose sender
 * failed DMARC. For domains that publish nothing it holds: their mail could not be let in otherwise.
 */
function failedCheck(
  settings: ReceiveSettings,
  { verdicts, sender_proof, dmarc_policy }: IncomingEmail,
  rule: DecidingRule | null,
): QuarantineReason | null {
  if (verdicts.virus === 'FAIL' && settings.virus === 'quarantine') return 'virus';
  const is_refused =
    sender_proof !== 'proven' && (dmarc_policy === 'quarantine' || dmarc_policy === 'reject');
  if (is_refused && settings.unauthenticated === 'quarantine') return 'unauthenticated';
  const is_trusted = rule?.action === 'allow' && sender_proof !== 'failed';
  return verdicts.spam === 'FAIL' && settings.spam === 'quarantine' && !is_trusted ? 'spam' : null;
}
