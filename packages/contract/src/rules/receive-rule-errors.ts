// The errors of receive rules and of the quarantine.
import { defineErrors } from '../error-definition.ts';

export const receiveRuleErrors = defineErrors({
  invalid_receive_rule: {
    status: 422,
    message: 'The parts of the receive rule do not fit together.',
    when: 'The scope, match, action or applies_to is not possible for the channel, or a value is missing or not of the named kind.',
    fix: 'Emails: scope organization, email_domain or address; match address, domain or everyone. Texts and calls: scope organization or number; match number, country or everyone; applies_to all; no quarantine.',
  },
  receive_rule_exists: {
    status: 409,
    message: 'There is already a rule for this.',
    when: 'Another rule has the same channel, scope, match and applies_to.',
    fix: 'Change that rule with PATCH /v1/receive-rules/{receive_rule_id}.',
  },
  too_many_receive_rules: {
    status: 422,
    message: 'The organization has too many receive rules.',
    when: 'The organization has 2,000 receive rules.',
    fix: 'Delete rules that are no longer needed, or use one rule for a whole domain or country.',
  },
  email_not_received: {
    status: 409,
    message: 'Only received emails have a quarantine.',
    when: 'The email is one that you sent.',
    fix: 'Use the id of an email with direction inbound.',
  },
  virus_release_refused: {
    status: 403,
    message: 'Only an owner or admin may release an email with a virus.',
    when: 'The email is in quarantine because of a virus, and the role of the caller is member.',
    fix: 'Ask an owner or admin of the organization.',
  },
});
