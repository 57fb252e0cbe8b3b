// A receive rule as it is stored and compared, and the choice of the rule that decides.
import {
  type ReceiveAction,
  type ReceiveChannel,
  type ReceiveMatch,
  type ReceiveRule,
  type ReceiveScope,
  receiveMatches,
  receiveScopes,
} from '@parley/contract/rules/receive-rules';

export type StoredRule = Omit<ReceiveRule, 'scope' | 'match'> & {
  scope_kind: ReceiveScope;
  /** Empty for the organization. */
  scope_value: string;
  match_kind: ReceiveMatch;
  /** Empty for everyone. */
  match_value: string;
};

/** What a rule needs to know of a message or a call. Addresses are in the form in which addresses are compared. */
export type Arrival = {
  channel: ReceiveChannel;
  from: string;
  /** The country of the number; null when it has none. */
  country: string | null;
  to: string;
  email_domain_id: string | null;
  is_reply: boolean;
};

export type DecidingRule = Pick<StoredRule, 'id' | 'action' | 'labels'>;

export const strictest_first: readonly ReceiveAction[] = ['block', 'quarantine', 'allow'];

/** The rule that decides; null when none applies. */
export function decidingRule(rules: readonly StoredRule[], arrival: Arrival): StoredRule | null {
  let first: StoredRule | null = null;
  for (const rule of rules)
    if (applies(rule, arrival) && (first === null || isBefore(rule, first))) first = rule;
  return first;
}

const rankOf = ({ scope_kind, match_kind, action }: StoredRule) =>
  receiveScopes.indexOf(scope_kind) * 100 +
  receiveMatches.indexOf(match_kind) * 10 +
  strictest_first.indexOf(action);
/** Whether rule `a` decides where both apply. */
export const isBefore = (a: StoredRule, b: StoredRule) => rankOf(a) < rankOf(b);

function applies(rule: StoredRule, arrival: Arrival): boolean {
  if (rule.channel !== arrival.channel) return false;
  if (rule.applies_to !== 'all' && (rule.applies_to === 'reply') !== arrival.is_reply) return false;
  return isInScope(rule, arrival) && matches(rule, arrival);
}

function isInScope({ scope_kind, scope_value }: StoredRule, { to, email_domain_id }: Arrival): boolean {
  if (scope_kind === 'organization') return true;
  if (scope_kind === 'email_domain') return scope_value === email_domain_id;
  if (scope_value === to) return true;
  // Mail to ana+orders@ reaches ana@, so the rule of ana@ applies.
  const [at, to_at] = [scope_value.lastIndexOf('@'), to.lastIndexOf('@')];
  return at > 0 && to.startsWith(`${scope_value.slice(0, at)}+`) && scope_value.slice(at) === to.slice(to_at);
}

function matches({ match_kind, match_value }: StoredRule, { from, country }: Arrival): boolean {
  switch (match_kind) {
    case 'everyone':
      return true;
    case 'address':
    case 'number':
      return from === match_value;
    case 'country':
      return country === match_value;
    case 'domain': {
      const domain = from.slice(from.lastIndexOf('@') + 1);
      return domain === match_value || domain.endsWith(`.${match_value}`);
    }
  }
}
