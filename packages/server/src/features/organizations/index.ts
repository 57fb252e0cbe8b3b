// Organizations: who belongs together, in which role, and by which invitation.
export { type InvitationService, invitationService } from './invitations.ts';
export { type MemberService, memberService } from './members.ts';
export { type PeopleStore, peopleStore } from './people-store.ts';
export { invitationRoutes, memberRoutes, organizationRoutes } from './routes.ts';
export { type OrganizationService, organizationService } from './service.ts';
export { organizationStore } from './store.ts';
