// The rules of organizations themselves: made by superadmins or by people who sign up, and steered by superadmins.
import type { NewApiKey } from '@parley/contract/api-keys';
import type { Member } from '@parley/contract/members';
import type {
  MemberCreate,
  Organization,
  OrganizationCreate,
  OrganizationOrigin,
  OrganizationPatch,
  PasswordLink,
  User,
} from '@parley/contract/organizations';
import type { Transaction } from '../../platform/db/database.ts';
import type { PageRequest } from '../../platform/db/page.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import type { Context } from '../../platform/http/context.ts';
import { type Actor, actorOf } from '../audit/index.ts';
import { type ApiKeyService, requireOperatorSession } from '../identity/index.ts';
import type { MemberDeps, MemberService } from './members.ts';

export function organizationService(
  deps: MemberDeps & {
    members: MemberService;
    api_keys: ApiKeyService;
    passwordLink(user_id: string): Promise<PasswordLink>;
    /** Caps an hour of organizations that people found themselves. */
    founder_caps: Organization['velocity_caps'];
  },
) {
  const { db, clock, ids, store, people, members, audit, api_keys } = deps;

  const fresh = (name: string, origin: OrganizationOrigin): Organization => {
    const now = clock.now().toISOString();
    return {
      id: ids.next(),
      name,
      origin,
      velocity_caps: { calls: null, emails: null, sms: null },
      created_at: now,
      updated_at: now,
    };
  };

  /** Somebody of the outside issuer has an account of their own, which no password of the same address opens. */
  const personToAdd = async (
    tx: Transaction,
    organization_id: string,
    given: MemberCreate,
  ): Promise<User> => {
    const email = given.email.toLowerCase();
    const person = { id: ids.next(), email, name: given.name, now: clock.now() };
    const subject = given.external_subject ?? null;
    if (subject === null) {
      await people.discardUnverified(tx, email);
      return people.ensureVouched(tx, person);
    }
    const user = await people.ensureExternal(tx, { ...person, subject });
    if (!user) throw new ApiError('external_subject_taken');
    if (await store.isMemberByEmail(tx, organization_id, email)) throw new ApiError('member_exists');
    return user;
  };

  const found = async (id: string): Promise<Organization> => {
    const organization = await store.find(id);
    if (!organization) throw new ApiError('not_found');
    return organization;
  };

  return {
    async create(context: Context, given: OrganizationCreate): Promise<Organization> {
      // With the shared key alone nobody could ever use it.
      api_keys.requireManaged();
      const organization = fresh(given.name, given.origin ?? 'human');
      await db.transaction(async (tx) => {
        await store.insert(tx, organization);
        await audit.write(tx, actorOf(context), {
          organization_id: organization.id,
          action: 'organization.created',
          object_id: organization.id,
          detail: { name: organization.name, origin: organization.origin },
        });
      });
      return organization;
    },

    /** A person makes an organization of their own and is its owner. */
    async found(
      actor: Actor,
      owner: Pick<User, 'id' | 'email' | 'name'>,
      name: string,
    ): Promise<Organization> {
      // A stranger's organization begins with caps; a superadmin raises or removes them.
      const organization = { ...fresh(name, 'human'), velocity_caps: deps.founder_caps };
      await db.transaction(async (tx) => {
        await store.insert(tx, organization);
        await audit.write(tx, actor, {
          organization_id: organization.id,
          action: 'organization.created',
          object_id: organization.id,
          detail: { name },
        });
        await members.add(tx, actor, organization.id, {
          user_id: owner.id,
          name: owner.name,
          email: owner.email,
          role: 'owner',
        });
      });
      return organization;
    },

    list: (query: PageRequest) => store.list(query),
    get: found,
    ofUser: (user_id: string) => store.ofUser(user_id),

    async update(context: Context, id: string, patch: OrganizationPatch): Promise<Organization> {
      return db.transaction(async (tx) => {
        const before = await store.lock(tx, id);
        if (!before) throw new ApiError('not_found');
        const caps = patch.velocity_caps ?? {};
        const kept = before.velocity_caps;
        const after: Organization = {
          ...before,
          name: patch.name ?? before.name,
          origin: patch.origin ?? before.origin,
          velocity_caps: {
            calls: caps.calls === undefined ? kept.calls : caps.calls,
            emails: caps.emails === undefined ? kept.emails : caps.emails,
            sms: caps.sms === undefined ? kept.sms : caps.sms,
          },
          updated_at: clock.now().toISOString(),
        };
        await store.replace(tx, after);
        await audit.write(tx, actorOf(context), {
          organization_id: id,
          action: 'organization.changed',
          object_id: id,
          detail: patch,
        });
        return after;
      });
    },

    async listMembers(id: string, query: PageRequest) {
      await found(id);
      return members.list(id, query);
    },

    async addMember(context: Context, id: string, given: MemberCreate): Promise<Member> {
      api_keys.requireManaged();
      await found(id);
      return db.transaction(async (tx) => {
        const user = await personToAdd(tx, id, given);
        return members.add(tx, actorOf(context), id, {
          user_id: user.id,
          name: user.name,
          email: user.email,
          role: given.role ?? 'member',
        });
      });
    },

    createApiKey: async (
      context: Context,
      id: string,
      given: Parameters<ApiKeyService['issueFor']>[2] & { user_id: string },
    ): Promise<NewApiKey> => {
      api_keys.requireManaged();
      const { user_id, ...key } = given;
      return api_keys.issueFor(context, { organization_id: id, user_id }, key);
    },

    async createPasswordLink(context: Context, user_id: string): Promise<PasswordLink> {
      api_keys.requireManaged();
      requireOperatorSession(context.caller);
      if (!(await people.find(user_id))) throw new ApiError('not_found');
      if (await people.signsInElsewhere(user_id)) throw new ApiError('signs_in_elsewhere');
      const link = await deps.passwordLink(user_id);
      await audit.write(db, actorOf(context), {
        organization_id: null,
        action: 'password_link.created',
        object_id: user_id,
      });
      return link;
    },

    async updateUser(context: Context, user_id: string, superadmin: boolean): Promise<User> {
      if (superadmin) requireOperatorSession(context.caller);
      return db.transaction(async (tx) => {
        const user = await people.setSuperadmin(tx, user_id, superadmin);
        if (!user) throw new ApiError('not_found');
        if (superadmin && !(await people.isVerified(tx, user_id))) throw new ApiError('address_not_verified');
        await members.rightsChanged(tx);
        await audit.write(tx, actorOf(context), {
          organization_id: null,
          action: superadmin ? 'user.made_superadmin' : 'user.unmade_superadmin',
          object_id: user_id,
        });
        return user;
      });
    },
  };
}
export type OrganizationService = ReturnType<typeof organizationService>;
