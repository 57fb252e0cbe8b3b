// The rules of membership: it comes with a contact, every change is logged, and the last owner stays.
import type { Member } from '@parley/contract/members';
import type { Role } from '@parley/contract/roles';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { PageRequest } from '../../platform/db/page.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import type { Context } from '../../platform/http/context.ts';
import type { Ids } from '../../platform/ids.ts';
import type { TtlCache } from '../../platform/ttl-cache.ts';
import { type Actor, type AuditLog, actorOf } from '../audit/index.ts';
import type { ContactService } from '../contacts/index.ts';
import type { IdentityStore } from '../identity/index.ts';
import type { PeopleStore } from './people-store.ts';
import { leavesNoOwner, mayManage } from './role-rules.ts';
import type { OrganizationStore } from './store.ts';

export type MemberDeps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  store: OrganizationStore;
  people: PeopleStore;
  identities: IdentityStore;
  contacts: ContactService;
  audit: AuditLog;
  version: TtlCache<number>;
};

export function memberService(deps: MemberDeps) {
  const { db, clock, ids, store, people, contacts, audit } = deps;

  /** Whoever remembers what this person may do must look again. */
  const rightsChanged = async (tx: Transaction) => {
    await deps.identities.raiseCredentialsVersion(tx);
    tx.afterCommit(() => deps.version.forget());
  };

  async function remove(tx: Transaction, actor: Actor, member: Member): Promise<void> {
    const { organization_id } = member;
    await store.deleteMember(tx, organization_id, member.id);
    if (member.contact_id) await contacts.endMembership(tx, organization_id, member.contact_id);
    await rightsChanged(tx);
    await audit.write(tx, actor, {
      organization_id,
      action: 'member.removed',
      object_id: member.id,
      detail: { user_id: member.user_id, role: member.role },
    });
  }

  const refuseWithoutOwner = async (tx: Transaction, member: Member, after: Role | null) => {
    const owners = await store.ownersOf(tx, member.organization_id);
    if (leavesNoOwner(owners, member.role, after)) throw new ApiError('last_owner');
  };

  return {
    /** Part of a larger change. Throws when the person is a member already, or never proved the address. */
    async add(
      tx: Transaction,
      actor: Actor,
      organization_id: string,
      person: { user_id: string; name: string; email: string; role: Role },
    ): Promise<Member> {
      const { user_id, name, email, role } = person;
      if (!(await people.isVerified(tx, user_id))) throw new ApiError('address_not_verified');
      const contact_id = await contacts.beginMembership(tx, organization_id, { name, email, role });
      const created_at = clock.now().toISOString();
      const member: Member = {
        id: ids.next(),
        organization_id,
        user_id,
        contact_id,
        role,
        email,
        name,
        created_at,
      };
      if (!(await store.insertMember(tx, organization_id, member))) throw new ApiError('member_exists');
      await rightsChanged(tx);
      await audit.write(tx, actor, {
        organization_id,
        action: 'member.added',
        object_id: member.id,
        detail: { user_id, role },
      });
      return member;
    },

    list: (organization_id: string, query: PageRequest) => store.listMembers(organization_id, query),

    async update(context: Context, id: string, role: Role): Promise<Member> {
      const { organization_id, caller } = context;
      return db.transaction(async (tx) => {
        const member = await store.lockMember(tx, organization_id, id);
        if (!member) throw new ApiError('not_found');
        if (!mayManage(caller.role, member.role) || !mayManage(caller.role, role))
          throw new ApiError('role_too_low');
        if (member.role === role) return member;
        await refuseWithoutOwner(tx, member, role);
        await store.setRole(tx, organization_id, id, role);
        await rightsChanged(tx);
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
        const member = await store.lockMember(tx, organization_id, id);
        if (!member) throw new ApiError('not_found');
        const self = member.user_id === caller.identity.user_id;
        if (!self && !mayManage(caller.role, member.role)) throw new ApiError('role_too_low');
        await refuseWithoutOwner(tx, member, null);
        await remove(tx, actorOf(context), member);
      });
    },

    /** A superadmin may leave an organization without an owner, to hand it over. */
    async removeByOperator(context: Context, organization_id: string, id: string): Promise<undefined> {
      await db.transaction(async (tx) => {
        const member = await store.lockMember(tx, organization_id, id);
        if (!member) throw new ApiError('not_found');
        await remove(tx, actorOf(context), member);
      });
    },

    rightsChanged,
  };
}
export type MemberService = ReturnType<typeof memberService>;
