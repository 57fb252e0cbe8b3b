// The HTTP operations of organizations, members and invitations.
import {
  invitations as invitationOperations,
  members as memberOperations,
} from '@parley/contract/access/members';
import { organizations as operations } from '@parley/contract/access/organizations';
import { routesOf } from '../../../platform/http/context.ts';
import { requireMayAppoint, requireNotGranted } from '../identity/index.ts';
import type { InvitationService } from './invitations.ts';
import type { MemberService } from './members.ts';
import type { OperatorService } from './operator.ts';
import type { OrganizationService } from './service.ts';

export const memberRoutes = (members: MemberService) =>
  routesOf(memberOperations, {
    list: ({ query }, context) => members.list(context.organization_id, query),
    update({ params, body }, context) {
      requireMayAppoint(context.caller, body.role);
      return members.update(context, params.member_id, body.role);
    },
    remove({ params }, context) {
      requireNotGranted(context.caller);
      return members.remove(context, params.member_id);
    },
  });

export const invitationRoutes = (invitations: InvitationService) =>
  routesOf(invitationOperations, {
    create({ body }, context) {
      requireMayAppoint(context.caller, body.role ?? 'member');
      return invitations.create(context, body);
    },
    list: ({ query }, context) => invitations.list(context.organization_id, query),
    withdraw: ({ params }, context) => invitations.withdraw(context, params.invitation_id),
  });

export const organizationRoutes = (
  organizations: OrganizationService,
  operator: OperatorService,
  members: MemberService,
  invitations: InvitationService,
) =>
  routesOf(operations, {
    create: ({ body }, context) => organizations.create(context, body),
    list: ({ query }) => organizations.list(query),
    get: ({ params }) => organizations.get(params.organization_id),
    update: ({ params, body }, context) => organizations.update(context, params.organization_id, body),
    list_members: ({ params, query }) => operator.listMembers(params.organization_id, query),
    add_member: ({ params, body }, context) => operator.addMember(context, params.organization_id, body),
    remove_member: ({ params }, context) =>
      members.removeByOperator(context, params.organization_id, params.member_id),
    invite: async ({ params, body }, context) => {
      await organizations.get(params.organization_id);
      return invitations.createByOperator(context, params.organization_id, body);
    },
    create_api_key: ({ params, body }, context) =>
      operator.createApiKey(context, params.organization_id, body),
    create_password_link: ({ params }, context) => operator.createPasswordLink(context, params.user_id),
    update_user: ({ params, body }, context) => operator.updateUser(context, params.user_id, body.superadmin),
  });
