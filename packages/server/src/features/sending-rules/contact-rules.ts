// Reads and replaces the contact rules of an organization.
import {
  type ContactRules,
  type ContactRulesSet,
  contact_rule_defaults,
} from '@parley/contract/contact-rules';
import type { Context } from '../../platform/http/context.ts';
import type { RuleTypes, SendingRules } from './rules.ts';

type Rules = {
  current(organization_id: string): Promise<SendingRules>;
  set(context: Context, name: 'contact_rules', value: RuleTypes['contact_rules']): Promise<void>;
};

export type StoredContactRules = Omit<ContactRules, 'version'>;

/** Rules that were stored before a field existed have its default. */
export const contactRulesOf = ({ contact_rules }: SendingRules): StoredContactRules =>
  contact_rules === null ? contact_rule_defaults : { ...contact_rule_defaults, ...contact_rules };

export const contactRulesService = (rules: Rules) => {
  const get = async (organization_id: string): Promise<ContactRules> => {
    const current = await rules.current(organization_id);
    return { version: current.version, ...contactRulesOf(current) };
  };
  return {
    get,
    async set(context: Context, input: ContactRulesSet): Promise<ContactRules> {
      await rules.set(context, 'contact_rules', {
        consent: input.consent ?? contact_rule_defaults.consent,
        stop_scope: input.stop_scope ?? contact_rule_defaults.stop_scope,
        new_recipients_per_day: input.new_recipients_per_day ?? null,
        messages_per_person_per_day: input.messages_per_person_per_day ?? null,
        destinations: input.destinations ?? null,
      });
      return get(context.organization_id);
    },
  };
};
export type ContactRulesService = ReturnType<typeof contactRulesService>;
