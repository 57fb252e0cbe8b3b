// The rules of membership: a member has a contact, every change is in the audit log, and the last owner cannot leave.
import type { Member } from '@parley/contract/access/members';
import { type Role, roles } from '@parley/contract/access/roles';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import type { PageRequest } from '../../../platform/db/page.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Context } from '../../../platform/http/context.ts';
import type { Ids } from '../../../platform/ids.ts';
import { type Actor, type AuditLog, actorOf } from '../audit/index.ts';
import { type CredentialChanges, type IdentityStore, requirePerson, subjectOf } from '../identity/index.ts';
import type { InvitationStore } from './invitation-store.ts';
import type { MemberStore } from './member-store.ts';
import type { PeopleStore } from './people-store.ts';
import { isRaise, leavesNoOwner, mayManage } from './role-rules.ts';

/** Each member is a contact of the organization. */
export type MembershipContacts = {
  beginMembership(
    tx: Transaction,
    organization_id: string,
    person: { name: string; email: string; role: string },
  ): Promise<string>;
  endMembership(tx: Transaction, organization_id: string, contact_id: string): Promise<void>;
};

export type MemberDeps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  member_store: MemberStore;
  invitation_store: InvitationStore;
  people: PeopleStore;
  identities: IdentityStore;
  contacts: MembershipContacts;
  audit: AuditLog;
  changes: CredentialChanges;
};

type NewMember = { user_id: string; name: string; email: string; role: Role };

export function memberService(deps: MemberDeps) {
  const { db, member_store: store, audit } = deps;
  return {
    /** Part of a larger change. Throws when the user is already a member, or has not verified the address. */
    add: (tx: Transaction, actor: Actor, organization_id: string, member: NewMember) =>
      add(deps, tx, actor, organization_id, member),

    list: (organization_id: string, query: PageRequest) => store.list(organization_id, query),

    async update(context: Context, id: string, role: Role): Promise<Member> {
      const { organization_id, caller } = context;
      return db.transaction(async (tx) => {
        const member = await lock(deps, tx, organization_id, id);
        if (!mayManage(caller.role, member.role) || !mayManage(caller.role, role))
          throw new ApiError('role_too_low');
        if (member.role === role) return member;
        if (isRaise(member.role, role)) requirePerson(caller);
        await requireOwnerAfter(deps, tx, member, role);
        await store.setRole(tx, organization_id, id, role);
        await endInvitations(deps, tx, member, role);
        await deps.changes.write(tx, subjectOf.organization(organization_id));
        await audit.write(tx, actorOf(context), {
          organization_id,
          action: 'member.role_changed',
          object_id: id,
          detail: { user_id: member.user_id, from: member.role, to: role },
        });
        return { ...member, role };
      });
    },

    async remove(context: Context, id: string): Promise<undefined> {
      const { organization_id, caller } = context;
      await db.transaction(async (tx) => {
        const member = await lock(deps, tx, organization_id, id);
        const is_self = member.user_id === caller.identity.user_id;
        if (!is_self && !mayManage(caller.role, member.role)) throw new ApiError('role_too_low');
        await requireOwnerAfter(deps, tx, member, null);
        await remove(deps, tx, actorOf(context), member);
      });
    },

    /** A superadmin may remove the last owner, to give the organization to another person. */
    async removeByOperator(context: Context, organization_id: string, id: string): Promise<undefined> {
      await db.transaction(async (tx) => {
        const member = await lock(deps, tx, organization_id, id);
        await remove(deps, tx, actorOf(context), member);
      });
    },
  };
}
export type MemberService = ReturnType<typeof memberService>;

async function lock(deps: MemberDeps, tx: Transaction, organization_id: string, id: string): Promise<Member> {
  const member = await deps.member_store.lock(tx, organization_id, id);
  if (!member) throw new ApiError('not_found');
  return member;
}

async function add(
  deps: MemberDeps,
  tx: Transaction,
  actor: Actor,
  organization_id: string,
  { user_id, name, email, role }: NewMember,
): Promise<Member> {
  if (!(await deps.people.isVerified(tx, user_id))) throw new ApiError('address_not_verified');
  const contact_id = await deps.contacts.beginMembership(tx, organization_id, { name, email, role });
  const now = deps.clock.now();
  // Of an earlier membership that a release before this rule ended.
  await deps.identities.endCredentials(tx, organization_id, user_id, now);
  const created_at = now.toISOString();
  const member = { id: deps.ids.next(), organization_id, user_id, contact_id, role, email, name, created_at };
  if (!(await deps.member_store.insert(tx, organization_id, member))) throw new ApiError('member_exists');
  await deps.changes.write(tx, subjectOf.organization(organization_id));
  await deps.audit.write(tx, actor, {
    organization_id,
    action: 'member.added',
    object_id: member.id,
    detail: { user_id, role },
  });
  return member;
}

async function remove(deps: MemberDeps, tx: Transaction, actor: Actor, member: Member): Promise<void> {
  const { organization_id } = member;
  await deps.member_store.delete(tx, organization_id, member.id);
  await deps.identities.endCredentials(tx, organization_id, member.user_id, deps.clock.now());
  await endInvitations(deps, tx, member, null);
  if (member.contact_id) await deps.contacts.endMembership(tx, organization_id, member.contact_id);
  await deps.changes.write(tx, subjectOf.organization(organization_id));
  await deps.audit.write(tx, actor, {
    organization_id,
    action: 'member.removed',
    object_id: member.id,
    detail: { user_id: member.user_id, role: member.role },
  });
}

/** Those that the member could not write with the role after the change. */
const endInvitations = (
  { invitation_store }: MemberDeps,
  tx: Transaction,
  { organization_id, user_id }: Member,
  role_after: Role | null,
): Promise<void> =>
  invitation_store.deleteOf(
    tx,
    organization_id,
    user_id,
    roles.filter((role) => role_after === null || !mayManage(role_after, role)),
  );

async function requireOwnerAfter(
  deps: MemberDeps,
  tx: Transaction,
  member: Member,
  role_after: Role | null,
): Promise<void> {
  const owners = await deps.member_store.countOwners(tx, member.organization_id);
  if (leavesNoOwner(owners, member.role, role_after)) throw new ApiError('last_owner');
}
