// Checks that the parts of a receive rule fit together, and brings its values into the form in which they are compared.

import type { ReceiveRule, ReceiveRuleCreate } from '@parley/contract/rules/receive-rules';
import { PhoneNumber } from '@parley/contract/schema/fields';
import { readHostName } from '@parley/contract/schema/host-name';
import { addressKey, readAddress } from '@parley/contract/schema/mailbox';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { StoredRule } from './rule.ts';

type Form = Pick<
  StoredRule,
  'channel' | 'scope_kind' | 'scope_value' | 'match_kind' | 'match_value' | 'applies_to' | 'action'
>;

const possible = {
  email: {
    scopes: ['organization', 'email_domain', 'address'],
    matches: ['address', 'domain', 'everyone'],
  },
  phone: { scopes: ['organization', 'number'], matches: ['number', 'country', 'everyone'] },
};

const refuse = (field: string, detail: string): never => {
  throw new ApiError('invalid_receive_rule', { path: `body.${field}`, detail });
};

export function formOf(input: ReceiveRuleCreate): Form {
  const { channel, scope = { kind: 'organization' }, match } = input;
  const form: Form = {
    channel,
    scope_kind: scope.kind,
    scope_value: scopeValue(scope),
    match_kind: match.kind,
    match_value: matchValue(match),
    applies_to: input.applies_to ?? 'all',
    action: input.action,
  };
  checkForm(form);
  return form;
}

/** Also for a change of an existing rule. */
export function checkForm({ channel, scope_kind, match_kind, applies_to, action }: Form): void {
  const { scopes, matches } = channel === 'email' ? possible.email : possible.phone;
  const list = (names: readonly string[]) => names.join(', ');
  if (!scopes.includes(scope_kind)) refuse('scope.kind', `For ${channel}: ${list(scopes)}.`);
  if (!matches.includes(match_kind)) refuse('match.kind', `For ${channel}: ${list(matches)}.`);
  if (channel === 'email') return;
  if (action === 'quarantine') refuse('action', 'Only emails have a quarantine.');
  if (applies_to !== 'all') refuse('applies_to', 'Only emails are new ones or replies.');
}

function scopeValue({ kind, id, value }: NonNullable<ReceiveRuleCreate['scope']>): string {
  if (kind !== 'email_domain' && id != null) refuse('scope.id', 'Only for email_domain.');
  switch (kind) {
    case 'organization':
      return noValue('scope.value', value);
    case 'email_domain':
      noValue('scope.value', value);
      return (id ?? refuse('scope.id', 'Expected the id of an email domain.')).toLowerCase();
    case 'address':
      return address('scope.value', value);
    case 'number':
      return number('scope.value', value);
  }
}

function matchValue({ kind, value }: ReceiveRuleCreate['match']): string {
  const field = 'match.value';
  switch (kind) {
    case 'everyone':
      return noValue(field, value);
    case 'address':
      return address(field, value);
    case 'number':
      return number(field, value);
    case 'domain':
      return readHostName((value ?? '').replace(/^@/, '')) ?? refuse(field, 'Expected a domain.');
    case 'country':
      return /^[a-z]{2}$/i.test(value ?? '')
        ? value!.toUpperCase()
        : refuse(field, 'Expected two letters, such as US.');
  }
}

const noValue = (field: string, value: string | null | undefined): string =>
  value == null ? '' : refuse(field, 'This kind has no value.');

function address(field: string, value: string | null | undefined): string {
  const read = readAddress(value ?? '');
  return read === null ? refuse(field, 'Expected an address.') : addressKey(read);
}

function number(field: string, value: string | null | undefined): string {
  const read = PhoneNumber.safeParse(value ?? '');
  return read.success ? read.data : refuse(field, 'Expected a phone number with its country code.');
}

/** The rule as the API returns it. */
export function shownRule({
  scope_kind,
  scope_value,
  match_kind,
  match_value,
  ...rule
}: StoredRule): ReceiveRule {
  const is_domain = scope_kind === 'email_domain';
  return {
    ...rule,
    scope: {
      kind: scope_kind,
      id: is_domain ? scope_value : null,
      value: is_domain || scope_value === '' ? null : scope_value,
    },
    match: { kind: match_kind, value: match_value === '' ? null : match_value },
  };
}
