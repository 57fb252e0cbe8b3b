// Organizations: their members, the roles of members, and invitations.
export { invitationStore } from './invitation-store.ts';
export { type InvitationService, invitationService } from './invitations.ts';
export { memberStore } from './member-store.ts';
export { type MemberService, type MembershipContacts, memberService } from './members.ts';
export { operatorService } from './operator.ts';
export { type PeopleStore, peopleStore } from './people-store.ts';
export { invitationRoutes, memberRoutes, organizationRoutes } from './routes.ts';
export { type OrganizationService, organizationService } from './service.ts';
export {
  type Account,
  addReserved,
  findAccount,
  lockAccount,
  organizationStore,
  setBalance,
} from './store.ts';
