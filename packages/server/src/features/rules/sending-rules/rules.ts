// The types of the rules of an organization for what it sends.
import type { ApprovalRule } from '@parley/contract/rules/approvals/approval-policy';
import type { ContactRules } from '@parley/contract/rules/people/contact-rules';
import type { QuietHours } from '@parley/contract/rules/quiet-hours';

/** Each rule belongs to one feature, which declares its type here. */
export type RuleTypes = {
  quiet_hours: QuietHours;
  /** A field that did not exist when they were stored is missing; see `contactRulesOf`. */
  contact_rules: Partial<Omit<ContactRules, 'version'>> & {
    /** The default of this organization, where it is not that of all. */
    default_new_recipients_per_day?: number;
  };
  approval_policy: readonly ApprovalRule[];
  /** Addresses, numbers and domains, in the spelling that comparisons use. */
  trusted_recipients: readonly string[];
  /** Everything that agents do waits for a person. */
  agent_approval: 'all_acts';
};
export type RuleName = keyof RuleTypes;
export type NewRules = Partial<{ [Name in RuleName]: RuleTypes[Name] | null }>;

export type SendingRules = { [name in RuleName]: RuleTypes[name] | null } & {
  /** Grows with every change; 0 when no rule was ever set. */
  version: number;
  has_budgets: boolean;
  /** Somebody does not want to be called. */
  has_call_stops: boolean;
};

export const no_rules: SendingRules = {
  version: 0,
  quiet_hours: null,
  contact_rules: null,
  approval_policy: null,
  trusted_recipients: null,
  agent_approval: null,
  has_budgets: false,
  has_call_stops: false,
};
