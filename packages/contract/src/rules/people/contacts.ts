// Contacts: the people an organization communicates with, each with a phone number, an email address or both.
import { z } from 'zod';
import { limits } from '../../limits.ts';
import { defineOperations } from '../../operation.ts';
import { E164, PhoneNumber, pageOf, pageQuery, Timestamp, TimeZone, Uuid } from '../../schema/fields.ts';
import { AddressText } from '../../schema/mailbox.ts';

export const contactKinds = ['member', 'contact'] as const;

const Name = z
  .string()
  .trim()
  .min(1, 'Expected a name')
  .max(limits.contact_name_chars)
  .describe('The name of the person.');

const Role = z.string().trim().min(1).max(100).describe('The role of the person, as free text.');

const DoNotContact = z
  .boolean()
  .describe('true revokes consent on all channels. Only people, and the operator key, can set false again.');

export const Contact = z
  .strictObject({
    id: Uuid,
    organization_id: Uuid,
    kind: z.enum(contactKinds).describe('member: a person of your organization; contact: anyone else.'),
    name: z.string(),
    phone_e164: E164.nullable(),
    email: z.string().nullable(),
    role: z.string().nullable(),
    time_zone: z
      .string()
      .nullable()
      .describe(
        'Where the person is, for quiet hours; null when it is not known. Set by a person it replaces the zones of the number; set by a program it is one more zone in which the time must be allowed.',
      ),
    is_vouched: z
      .boolean()
      .describe(
        'A person created or confirmed this contact; false when a program created it or changed its number or address. Approval policies can depend on it.',
      ),
    do_not_contact: z.boolean().describe('The person must not be contacted on any channel.'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Contact' });
export type Contact = z.infer<typeof Contact>;

const reachable = 'A contact needs a phone_e164, an email or both';

export const ContactCreate = z
  .strictObject({
    name: Name,
    phone_e164: PhoneNumber.nullish(),
    email: AddressText.nullish(),
    role: Role.nullish(),
    time_zone: TimeZone.nullish(),
    do_not_contact: DoNotContact.optional(),
  })
  .refine((contact) => contact.phone_e164 != null || contact.email != null, { message: reachable })
  .meta({ id: 'ContactCreate' });
export type ContactCreate = z.output<typeof ContactCreate>;

export const ContactPatch = z
  .strictObject({
    name: Name.optional(),
    phone_e164: PhoneNumber.nullish(),
    email: AddressText.nullish(),
    role: Role.nullish(),
    time_zone: TimeZone.nullish(),
    is_vouched: z
      .boolean()
      .optional()
      .describe('Only people who are signed in, and the operator key, can set true.'),
    do_not_contact: DoNotContact.optional(),
  })
  .describe('Fields that are left out keep their value; null clears a field.')
  .meta({ id: 'ContactPatch' });
export type ContactPatch = z.output<typeof ContactPatch>;

export const example: Contact = {
  id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e6f',
  organization_id: '00000000-0000-0000-0000-000000000000',
  kind: 'contact',
  name: 'Ana Sousa',
  phone_e164: '+14155550123',
  email: 'ana@example.com',
  role: 'Purchasing',
  time_zone: 'America/Los_Angeles',
  is_vouched: true,
  do_not_contact: false,
  created_at: '2026-06-06T12:00:00.000Z',
  updated_at: '2026-06-06T12:00:00.000Z',
};

const one = { params: z.strictObject({ contact_id: Uuid }) };

export const contacts = defineOperations('contacts', 'The people your agents communicate with.', {
  create: {
    method: 'POST',
    path: '/v1/contacts',
    summary: 'Add a contact',
    description:
      'Phone numbers and email addresses are unique within the organization. Two spellings of one address, such as bücher.example and xn--bcher-kva.example, count as the same.',
    body: ContactCreate,
    body_example: { name: 'Ana Sousa', phone_e164: '+1 415 555 0123', email: 'ana@example.com' },
    idempotent: true,
    success: { status: 201, body: Contact, example },
    errors: ['contact_exists'],
  },
  list: {
    method: 'GET',
    path: '/v1/contacts',
    summary: 'List contacts, newest first',
    query: z.strictObject({
      ...pageQuery,
      q: z
        .string()
        .trim()
        .min(1)
        .max(limits.search_chars)
        .optional()
        .describe(
          'Only contacts whose name, phone number or email address contains this text, ignoring case.',
        ),
    }),
    success: {
      status: 200,
      body: pageOf(Contact, 'ContactPage'),
      example: { items: [example], next_cursor: null },
    },
  },
  get: {
    method: 'GET',
    path: '/v1/contacts/{contact_id}',
    summary: 'Read one contact',
    ...one,
    success: { status: 200, body: Contact, example },
  },
  update: {
    method: 'PATCH',
    path: '/v1/contacts/{contact_id}',
    summary: 'Change a contact',
    description:
      'Only people change the contact of a member, and the number or time zone of a contact whose zone a person set.',
    ...one,
    body: ContactPatch,
    body_example: { role: 'Head of purchasing', email: null },
    success: { status: 200, body: Contact, example: { ...example, role: 'Head of purchasing', email: null } },
    errors: ['contact_exists', 'person_required'],
  },
  delete: {
    method: 'DELETE',
    path: '/v1/contacts/{contact_id}',
    summary: 'Remove a contact',
    ...one,
    success: { status: 204 },
    errors: ['person_required'],
  },
});
