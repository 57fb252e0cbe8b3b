// What superadmins do for the users and members of any organization.
import type { NewApiKey } from '@parley/contract/access/credentials/api-keys';
import type { Member } from '@parley/contract/access/members';
import type { MemberCreate, PasswordLink, User } from '@parley/contract/access/organizations';
import type { Transaction } from '../../../platform/db/database.ts';
import type { PageRequest } from '../../../platform/db/page.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Context } from '../../../platform/http/context.ts';
import type { SystemMailSender } from '../../../platform/system-mail.ts';
import { actorOf } from '../audit/index.ts';
import { type ApiKeyService, requireOperatorSession, subjectOf } from '../identity/index.ts';
import type { MemberDeps, MemberService } from './members.ts';
import type { OrganizationService } from './service.ts';

type OperatorDeps = MemberDeps & {
  organizations: OrganizationService;
  members: MemberService;
  api_keys: ApiKeyService;
  mail: Pick<SystemMailSender, 'isReceivedHere'>;
  passwordLink(user_id: string): Promise<PasswordLink>;
};

export function operatorService(deps: OperatorDeps) {
  const { db, people, members, organizations, audit, api_keys, changes } = deps;
  return {
    async listMembers(id: string, query: PageRequest) {
      await organizations.get(id);
      return members.list(id, query);
    },

    async addMember(context: Context, id: string, input: MemberCreate): Promise<Member> {
      api_keys.requireManaged();
      await organizations.get(id);
      await requireReachable(deps, input);
      return db.transaction(async (tx) => {
        const user = await ensureUser(deps, tx, id, input);
        return members.add(tx, actorOf(context), id, {
          user_id: user.id,
          name: user.name,
          email: user.email,
          role: input.role ?? 'member',
        });
      });
    },

    createApiKey: async (
      context: Context,
      id: string,
      input: Parameters<ApiKeyService['issueFor']>[2] & { user_id: string },
    ): Promise<NewApiKey> => {
      api_keys.requireManaged();
      const { user_id, ...key } = input;
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
        await changes.write(tx, subjectOf.user(user_id));
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
export type OperatorService = ReturnType<typeof operatorService>;

/** Links for a new password are mailed to members who sign in here; the others need none. */
async function requireReachable({ mail }: OperatorDeps, { email, external_subject }: MemberCreate) {
  if (external_subject == null && (await mail.isReceivedHere(email)))
    throw new ApiError('address_received_here', { path: 'body.email' });
}

/** A user of the external issuer has a separate account, which a password for the same address does not open. */
async function ensureUser(
  deps: OperatorDeps,
  tx: Transaction,
  organization_id: string,
  input: MemberCreate,
): Promise<User> {
  const { people } = deps;
  const email = input.email.toLowerCase();
  const user = { id: deps.ids.next(), email, name: input.name, now: deps.clock.now() };
  const subject = input.external_subject ?? null;
  if (subject === null) {
    await people.discardUnverified(tx, email);
    return people.ensureVerified(tx, user);
  }
  const external = await people.ensureExternal(tx, { ...user, subject });
  if (!external) throw new ApiError('external_subject_taken');
  if (await deps.member_store.hasEmail(tx, organization_id, email)) throw new ApiError('member_exists');
  return external;
}
