// Organizations, as managed by the operator of the service; superadmins only.
import { z } from 'zod';
import { limits } from '../limits.ts';
import { defineOperations } from '../operation.ts';
import { EmailAddress, pageOf, pageQuery, Timestamp, Uuid } from '../schema/fields.ts';
import { apiKeyFields, NewApiKey, newApiKeyExample } from './credentials/api-keys.ts';
import { InvitationCreate, Member, memberExample, NewInvitation, newInvitationExample } from './members.ts';
import { Role } from './roles.ts';

export const organizationOrigins = ['human', 'agent'] as const;
export type OrganizationOrigin = (typeof organizationOrigins)[number];

const Name = z.string().trim().min(1, 'Expected a name').max(limits.name_chars);
const Origin = z
  .enum(organizationOrigins)
  .describe('agent: created by or for a program; its calls, emails and texts have an hourly cap.');
const Cap = z
  .int()
  .min(0)
  .max(1_000_000)
  .nullable()
  .describe('Per hour. null: the default of the origin (human: none).');

export const VelocityCaps = z
  .strictObject({ calls: Cap, emails: Cap, sms: Cap })
  .meta({ id: 'VelocityCaps' });

const StorageQuota = z
  .int()
  .min(0)
  .max(2 ** 50)
  .nullable()
  .describe('How many bytes the organization may store. null: PARLEY_STORAGE_QUOTA_MB.');

export const Organization = z
  .strictObject({
    id: Uuid,
    name: z.string(),
    origin: Origin,
    velocity_caps: VelocityCaps,
    storage_bytes_max: StorageQuota,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Organization' });
export type Organization = z.infer<typeof Organization>;

export const OrganizationCreate = z
  .strictObject({ name: Name, origin: Origin.optional().describe('Default: human.') })
  .meta({ id: 'OrganizationCreate' });
export type OrganizationCreate = z.output<typeof OrganizationCreate>;

export const OrganizationPatch = z
  .strictObject({
    name: Name.optional(),
    origin: Origin.optional(),
    velocity_caps: z
      .strictObject({ calls: Cap.optional(), emails: Cap.optional(), sms: Cap.optional() })
      .optional(),
    storage_bytes_max: StorageQuota.optional(),
  })
  .describe('Fields that are left out keep their value.')
  .meta({ id: 'OrganizationPatch' });
export type OrganizationPatch = z.output<typeof OrganizationPatch>;

export const MemberCreate = z
  .strictObject({
    email: EmailAddress,
    name: Name,
    role: Role.optional().describe('Default: member.'),
    external_subject: z
      .string()
      .min(1)
      .max(255)
      .nullish()
      .describe('The sub claim of this person at the configured JWT issuer.'),
  })
  .meta({ id: 'MemberCreate' });
export type MemberCreate = z.output<typeof MemberCreate>;

export const UserPatch = z.strictObject({ superadmin: z.boolean() }).meta({ id: 'UserPatch' });
export const User = z
  .strictObject({
    id: Uuid,
    email: z.string(),
    name: z.string(),
    superadmin: z.boolean(),
    external_subject: z.string().nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'User' });
export type User = z.infer<typeof User>;

export const PasswordLink = z
  .strictObject({
    url: z.string().describe('Send this link to the person. It is returned only in this response.'),
    expires_at: Timestamp,
  })
  .meta({ id: 'PasswordLink' });
export type PasswordLink = z.infer<typeof PasswordLink>;

const example: Organization = {
  id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e71',
  name: 'Sousa Trading',
  origin: 'human',
  velocity_caps: { calls: null, emails: null, sms: null },
  storage_bytes_max: null,
  created_at: '2026-06-06T12:00:00.000Z',
  updated_at: '2026-06-06T12:00:00.000Z',
};
const userExample: User = {
  id: memberExample.user_id,
  email: 'ana@example.com',
  name: 'Ana Sousa',
  superadmin: true,
  external_subject: null,
  created_at: '2026-06-06T12:00:00.000Z',
};

const one = { access: 'superadmin', params: z.strictObject({ organization_id: Uuid }) } as const;

export const organizations = defineOperations('organizations', 'Organizations; superadmins only.', {
  create: {
    method: 'POST',
    path: '/v1/admin/organizations',
    summary: 'Create an organization',
    description: 'Managed mode only: 404 if the shared key is the only credential.',
    access: 'superadmin',
    body: OrganizationCreate,
    body_example: { name: 'Sousa Trading', origin: 'human' },
    success: { status: 201, body: Organization, example },
  },
  list: {
    method: 'GET',
    path: '/v1/admin/organizations',
    summary: 'List organizations, newest first',
    access: 'superadmin',
    query: z.strictObject(pageQuery),
    success: {
      status: 200,
      body: pageOf(Organization, 'OrganizationPage'),
      example: { items: [example], next_cursor: null },
    },
  },
  get: {
    method: 'GET',
    path: '/v1/admin/organizations/{organization_id}',
    summary: 'Read one organization',
    ...one,
    success: { status: 200, body: Organization, example },
  },
  update: {
    method: 'PATCH',
    path: '/v1/admin/organizations/{organization_id}',
    summary: 'Change an organization, its origin, its caps or its storage quota',
    ...one,
    body: OrganizationPatch,
    body_example: { origin: 'agent', velocity_caps: { calls: 5 } },
    success: {
      status: 200,
      body: Organization,
      example: { ...example, origin: 'agent', velocity_caps: { calls: 5, emails: null, sms: null } },
    },
    errors: ['person_required'],
  },
  list_members: {
    method: 'GET',
    path: '/v1/admin/organizations/{organization_id}/members',
    summary: 'List the members of an organization',
    ...one,
    query: z.strictObject(pageQuery),
    success: {
      status: 200,
      body: pageOf(Member, 'MemberPage'),
      example: { items: [memberExample], next_cursor: null },
    },
  },
  add_member: {
    method: 'POST',
    path: '/v1/admin/organizations/{organization_id}/members',
    summary: 'Add a person as a member',
    description:
      'A person whose address is unknown gets an account without a password. With external_subject the person gets a separate account, even if another account has the same address.',
    ...one,
    body: MemberCreate,
    body_example: { email: 'ana@example.com', name: 'Ana Sousa', role: 'owner' },
    success: { status: 201, body: Member, example: { ...memberExample, role: 'owner' } },
    errors: ['member_exists', 'external_subject_taken', 'address_received_here'],
  },
  remove_member: {
    method: 'DELETE',
    path: '/v1/admin/organizations/{organization_id}/members/{member_id}',
    summary: 'Remove a member',
    access: 'superadmin',
    params: z.strictObject({ organization_id: Uuid, member_id: Uuid }),
    success: { status: 204 },
  },
  invite: {
    method: 'POST',
    path: '/v1/admin/organizations/{organization_id}/invitations',
    summary: 'Invite a person to an organization',
    ...one,
    body: InvitationCreate,
    body_example: { email: 'bo@example.com', role: 'owner' },
    success: { status: 201, body: NewInvitation, example: { ...newInvitationExample, role: 'owner' } },
    errors: ['member_exists', 'address_received_here'],
  },
  create_api_key: {
    method: 'POST',
    path: '/v1/admin/organizations/{organization_id}/api-keys',
    summary: 'Create a key for a member',
    ...one,
    body: z
      .strictObject({ user_id: Uuid.describe('A member of the organization.'), ...apiKeyFields })
      .meta({ id: 'MemberApiKeyCreate' }),
    body_example: { user_id: memberExample.user_id, name: 'First key' },
    success: { status: 201, body: NewApiKey, example: newApiKeyExample },
    errors: ['operator_session_needed', 'outlives_credential', 'too_many_keys'],
  },
  create_password_link: {
    method: 'POST',
    path: '/v1/admin/users/{user_id}/password-links',
    summary: 'Create a link with which a person sets a new password',
    description: 'The link works once, for an hour. Using it signs the person out everywhere.',
    access: 'superadmin',
    params: z.strictObject({ user_id: Uuid }),
    success: {
      status: 201,
      body: PasswordLink,
      example: {
        url: 'https://parley.example.com/auth/passwords/pGq0dYq1m8Jt2Qh5Wc9Xb4Nf7Ls6Pa3Re0Tu1Iy2Oe4',
        expires_at: '2026-06-06T13:00:00.000Z',
      },
    },
    errors: ['operator_session_needed', 'signs_in_elsewhere'],
  },
  update_user: {
    method: 'PATCH',
    path: '/v1/admin/users/{user_id}',
    summary: 'Make a person a superadmin, or remove that role',
    description:
      'Making a person a superadmin needs the shared key or a recent console session. The rights apply only to their own recent console sessions and to keys with the scope admin, not to their other keys and tokens.',
    access: 'superadmin',
    params: z.strictObject({ user_id: Uuid }),
    body: UserPatch,
    body_example: { superadmin: true },
    success: { status: 200, body: User, example: userExample },
    errors: ['operator_session_needed', 'address_not_verified'],
  },
});
