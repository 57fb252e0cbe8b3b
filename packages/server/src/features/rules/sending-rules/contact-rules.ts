// Reads and replaces the contact rules of an organization.
import {
  type ContactRules,
  type ContactRulesSet,
  contact_rule_defaults,
} from '@parley/contract/rules/people/contact-rules';
import type { Context } from '../../../platform/http/context.ts';
import type { RuleTypes, SendingRules } from './rules.ts';

type Rules = {
  current(organization_id: string): Promise<SendingRules>;
  set(context: Context, name: 'contact_rules', value: RuleTypes['contact_rules']): Promise<void>;
};

export type StoredContactRules = Omit<ContactRules, 'version'>;

/** Rules that were stored before a field existed have its default. */
export const contactRulesOf = ({ contact_rules }: SendingRules): StoredContactRules => {
  if (contact_rules === null) return contact_rule_defaults;
  const { default_new_recipients_per_day: _, ...rules } = contact_rules;
  return { ...contact_rule_defaults, ...rules };
};

/** The rules of an organization that nobody has set rules for yet. */
export const limitedToNew = (new_recipients_per_day: number): RuleTypes['contact_rules'] => ({
  new_recipients_per_day,
  default_new_recipients_per_day: new_recipients_per_day,
});

export const contactRulesService = (rules: Rules) => {
  const get = async (organization_id: string): Promise<ContactRules> => {
    const current = await rules.current(organization_id);
    return { version: current.version, ...contactRulesOf(current) };
  };
  return {
    get,
    async set(context: Context, input: ContactRulesSet): Promise<ContactRules> {
      const { contact_rules } = await rules.current(context.organization_id);
      const own_default = contact_rules?.default_new_recipients_per_day;
      const { new_recipients_per_day = own_default ?? null } = input;
      await rules.set(context, 'contact_rules', {
        consent: input.consent ?? contact_rule_defaults.consent,
        stop_scope: input.stop_scope ?? contact_rule_defaults.stop_scope,
        new_recipients_per_day,
        ...(own_default !== undefined && { default_new_recipients_per_day: own_default }),
        messages_per_person_per_day: input.messages_per_person_per_day ?? null,
        destinations: input.destinations ?? null,
      });
      return get(context.organization_id);
    },
  };
};
export type ContactRulesService = ReturnType<typeof contactRulesService>;
