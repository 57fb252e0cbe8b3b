// Who may change receive rules: everybody may refuse more, only a person lets more in.
import type { ReceiveSettings } from '@parley/contract/rules/receive-rules';
import type { Caller } from '../../../platform/http/context.ts';
import { requireRight } from '../../access/rule-inputs/index.ts';
import { isBefore, type StoredRule, strictest_first } from './rule.ts';

const strictness = ({ action }: Pick<StoredRule, 'action'>) => -strictest_first.indexOf(action);

/** `before`: null for a new rule. `others`: all rules of the organization as they are stored. */
export function requireRuleRight(
  caller: Caller,
  before: StoredRule | null,
  after: StoredRule,
  others: readonly StoredRule[],
): void {
  const is_same = before?.action === after.action && before.applies_to === after.applies_to;
  requireRight(caller, 'receive_rules.action', {
    is_stricter: is_same || (isAtLeast(before, after) && !overridesStricter(after, others)),
    path: 'body.action',
    detail: 'Only a person lets more in than before.',
  });
}

/** An allow rule also trusts a sender not to send spam. */
function isAtLeast(before: StoredRule | null, after: StoredRule): boolean {
  if (before === null) return after.action !== 'allow';
  const is_as_wide = after.applies_to === before.applies_to || after.applies_to === 'all';
  return strictness(after) >= strictness(before) && is_as_wide;
}

/** A quarantine rule for one address would deliver what a block rule for its domain refuses. */
const overridesStricter = (rule: StoredRule, others: readonly StoredRule[]) =>
  others.some(
    (other) =>
      other.id !== rule.id &&
      other.channel === rule.channel &&
      strictness(other) > strictness(rule) &&
      isBefore(rule, other),
  );

export function requireDeleteRight(caller: Caller, rule: StoredRule): void {
  requireRight(caller, 'receive_rules.action', {
    is_stricter: rule.action === 'allow',
    detail: `Only a person deletes a rule with the action ${rule.action}.`,
  });
}

type SettingsChange = { [Name in keyof ReceiveSettings]?: ReceiveSettings[Name] | undefined };

export function requireSettingsRight(caller: Caller, before: ReceiveSettings, change: SettingsChange): void {
  for (const name of ['spam', 'unauthenticated', 'virus'] as const)
    requireRight(caller, `receive_settings.${name}`, {
      is_stricter: change[name] !== 'deliver' || before[name] === 'deliver',
      path: `body.${name}`,
    });
}
