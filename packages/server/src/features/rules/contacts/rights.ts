// Who may change what of a contact: rules read its kind, vouching, time zone, number and address.
import type { ContactPatch } from '@parley/contract/rules/people/contacts';
import type { Caller } from '../../../platform/http/context.ts';
import { requireRight } from '../../access/rule-inputs/index.ts';
import type { StoredContact } from './store.ts';

/** Throws when the caller may not make this change. */
export function requireContactRights(
  caller: Caller,
  before: StoredContact,
  after: StoredContact,
  patch: ContactPatch,
): void {
  requireRight(caller, 'contacts.is_vouched', {
    is_stricter: patch.is_vouched !== true,
    path: 'body.is_vouched',
  });
  requireRight(caller, 'contacts.do_not_contact', {
    is_stricter: patch.do_not_contact !== false,
    path: 'body.do_not_contact',
  });
  for (const field of ['name', 'role', 'phone_e164', 'email', 'time_zone'] as const)
    if (before[field] !== after[field]) requireFieldRight(caller, before, field);
}

type Field = 'name' | 'role' | 'phone_e164' | 'email' | 'time_zone';

function requireFieldRight(caller: Caller, contact: StoredContact, field: Field): void {
  const path = `body.${field}`;
  requireRight(caller, 'contacts.kind', { is_stricter: contact.kind !== 'member', path, detail: of_member });
  // Another number would get the zone, and the old one would lose it.
  if (field === 'time_zone' || field === 'phone_e164')
    requireRight(caller, 'contacts.time_zone', {
      is_stricter: !contact.is_zone_by_person,
      path,
      detail: zone_by_person,
    });
}

/** A contact that a program made or that only messages go to may be deleted by everyone. */
export function requireDeleteRight(caller: Caller, contact: StoredContact): void {
  requireRight(caller, 'contacts.kind', { is_stricter: contact.kind !== 'member', detail: of_member });
  requireRight(caller, 'contacts.time_zone', {
    is_stricter: !contact.is_zone_by_person,
    detail: zone_by_person,
  });
}

const of_member = 'Only a person changes the contact of a member.';
const zone_by_person = 'A person set the time zone of this contact; only a person changes it.';
