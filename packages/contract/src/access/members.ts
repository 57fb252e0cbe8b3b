// Members: the people of an organization, and the invitations for new ones.
import { z } from 'zod';
import { defineOperations } from '../operation.ts';
import { EmailAddress, pageOf, pageQuery, Timestamp, Uuid } from '../schema/fields.ts';
import { Role } from './roles.ts';

export const Member = z
  .strictObject({
    id: Uuid,
    organization_id: Uuid,
    user_id: Uuid,
    contact_id: Uuid.nullable().describe('The contact record of this person, of kind member.'),
    role: Role,
    email: z.string(),
    name: z.string(),
    created_at: Timestamp,
  })
  .meta({ id: 'Member' });
export type Member = z.infer<typeof Member>;

export const MemberPatch = z.strictObject({ role: Role }).meta({ id: 'MemberPatch' });

export const memberExample: Member = {
  id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e73',
  organization_id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e71',
  user_id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e72',
  contact_id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e74',
  role: 'member',
  email: 'ana@example.com',
  name: 'Ana Sousa',
  created_at: '2026-06-06T12:00:00.000Z',
};

const one = { params: z.strictObject({ member_id: Uuid }) };

export const members = defineOperations('members', 'The people of your organization; managed mode only.', {
  list: {
    method: 'GET',
    path: '/v1/members',
    summary: 'List members, newest first',
    query: z.strictObject(pageQuery),
    success: {
      status: 200,
      body: pageOf(Member, 'MemberPage'),
      example: { items: [memberExample], next_cursor: null },
    },
  },
  update: {
    method: 'PATCH',
    path: '/v1/members/{member_id}',
    summary: 'Change the role of a member',
    description: 'Only a person gives a member more rights; an API key can only lower a role.',
    ...one,
    body: MemberPatch,
    body_example: { role: 'admin' },
    success: { status: 200, body: Member, example: { ...memberExample, role: 'admin' } },
    errors: ['role_too_low', 'last_owner', 'credential_cannot_issue', 'person_required'],
  },
  remove: {
    method: 'DELETE',
    path: '/v1/members/{member_id}',
    summary: 'Remove a member',
    description:
      'The keys of the member and the programs that they connected stop working immediately, also if the person joins again. Every member may remove themselves.',
    ...one,
    success: { status: 204 },
    errors: ['role_too_low', 'last_owner', 'credential_cannot_issue'],
  },
});

const invitationFields = {
  id: Uuid,
  organization_id: Uuid,
  email: z.string(),
  role: Role,
  invited_by: Uuid.nullable(),
  created_at: Timestamp,
  expires_at: Timestamp,
  accepted_at: Timestamp.nullable(),
};

export const Invitation = z.strictObject(invitationFields).meta({ id: 'Invitation' });
export type Invitation = z.infer<typeof Invitation>;

export const NewInvitation = z
  .strictObject({
    ...invitationFields,
    accept_url: z.string().describe('Send this link to the person. It is returned only in this response.'),
  })
  .meta({ id: 'NewInvitation' });
export type NewInvitation = z.infer<typeof NewInvitation>;

export const InvitationCreate = z
  .strictObject({ email: EmailAddress, role: Role.optional().describe('Default: member.') })
  .meta({ id: 'InvitationCreate' });
export type InvitationCreate = z.output<typeof InvitationCreate>;

const invitationExample: Invitation = {
  id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e75',
  organization_id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e71',
  email: 'bo@example.com',
  role: 'member',
  invited_by: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e72',
  created_at: '2026-06-06T12:00:00.000Z',
  expires_at: '2026-06-13T12:00:00.000Z',
  accepted_at: null,
};
export const newInvitationExample: NewInvitation = {
  ...invitationExample,
  accept_url: 'https://parley.example.com/auth/invitations/pGq0dYq1m8Jt2Qh5Wc9Xb4Nf7Ls6Pa3Re0Tu1Iy2Oe4',
};

export const invitations = defineOperations('invitations', 'Invitation links for new members.', {
  create: {
    method: 'POST',
    path: '/v1/invitations',
    summary: 'Invite a person',
    description:
      'Only a person can do this, not an API key. The response contains the link to send to the person. It works once, for seven days.',
    body: InvitationCreate,
    body_example: { email: 'bo@example.com', role: 'member' },
    success: { status: 201, body: NewInvitation, example: newInvitationExample },
    errors: [
      'not_found',
      'role_too_low',
      'member_exists',
      'credential_cannot_issue',
      'person_required',
      'address_received_here',
    ],
  },
  list: {
    method: 'GET',
    path: '/v1/invitations',
    summary: 'List invitations, newest first',
    query: z.strictObject(pageQuery),
    success: {
      status: 200,
      body: pageOf(Invitation, 'InvitationPage'),
      example: { items: [invitationExample], next_cursor: null },
    },
  },
  withdraw: {
    method: 'DELETE',
    path: '/v1/invitations/{invitation_id}',
    summary: 'Withdraw an invitation',
    params: z.strictObject({ invitation_id: Uuid }),
    success: { status: 204 },
    errors: ['role_too_low'],
  },
});
