// The rules of invitations: a link for one address, shown once, good once, for a week.
import { limits, nil_uuid } from '@parley/contract/limits';
import type { Invitation, InvitationCreate, Member, NewInvitation } from '@parley/contract/members';
import type { User } from '@parley/contract/organizations';
import type { Role } from '@parley/contract/roles';
import type { Clock } from '../../platform/clock.ts';
import { randomToken, sha256Base64url } from '../../platform/crypto.ts';
import type { Database } from '../../platform/db/database.ts';
import type { PageRequest } from '../../platform/db/page.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import type { Context } from '../../platform/http/context.ts';
import type { Ids } from '../../platform/ids.ts';
import { type Actor, type AuditLog, actorOf } from '../audit/index.ts';
import type { MemberService } from './members.ts';
import { mayManage } from './role-rules.ts';
import type { OrganizationStore } from './store.ts';

const kept_ms = limits.invitation_kept_days * 86_400_000;

export type OpenInvitation = { organization: string; email: string; role: Role };

export function invitationService(deps: {
  db: Database;
  clock: Clock;
  ids: Ids;
  store: OrganizationStore;
  members: MemberService;
  audit: AuditLog;
  requireManaged(): void;
  acceptUrl(token: string): string;
}) {
  const { db, clock, ids, store, members, audit } = deps;

  async function invite(
    context: Context,
    organization_id: string,
    given: InvitationCreate,
  ): Promise<NewInvitation> {
    deps.requireManaged();
    const email = given.email.toLowerCase();
    const { user_id } = context.caller.identity;
    const token = randomToken('');
    const now = clock.now();
    const invitation: Invitation = {
      id: ids.next(),
      organization_id,
      email,
      role: given.role ?? 'member',
      invited_by: user_id === nil_uuid ? null : user_id,
      created_at: now.toISOString(),
      expires_at: new Date(now.getTime() + kept_ms).toISOString(),
      accepted_at: null,
    };
    await db.transaction(async (tx) => {
      if (await store.isMemberByEmail(tx, organization_id, email)) throw new ApiError('member_exists');
      await store.insertInvitation(tx, organization_id, {
        ...invitation,
        token_hash: sha256Base64url(token),
      });
      await audit.write(tx, actorOf(context), {
        organization_id,
        action: 'invitation.created',
        object_id: invitation.id,
        detail: { role: invitation.role },
      });
    });
    return { ...invitation, accept_url: deps.acceptUrl(token) };
  }

  return {
    create(context: Context, given: InvitationCreate): Promise<NewInvitation> {
      if (!mayManage(context.caller.role, given.role ?? 'member')) throw new ApiError('role_too_low');
      return invite(context, context.organization_id, given);
    },

    createByOperator: invite,

    list: (organization_id: string, query: PageRequest) => store.listInvitations(organization_id, query),

    async withdraw(context: Context, id: string): Promise<undefined> {
      const { organization_id, caller } = context;
      await db.transaction(async (tx) => {
        const gone = await store.deleteInvitation(tx, organization_id, id);
        if (!gone) throw new ApiError('not_found');
        if (!mayManage(caller.role, gone.role)) throw new ApiError('role_too_low');
        await audit.write(tx, actorOf(context), {
          organization_id,
          action: 'invitation.withdrawn',
          object_id: id,
        });
      });
    },

    /** What the holder of a link may know; null when it is used up, too old or made up. */
    open: (token: string): Promise<OpenInvitation | null> =>
      store.openInvitation(db, sha256Base64url(token), clock.now()),

    /** Null when the link does not work for this person: an invitation is for one address. */
    async accept(
      actor: Actor,
      token: string,
      user: Pick<User, 'id' | 'email' | 'name'>,
    ): Promise<Member | null> {
      return db.transaction(async (tx) => {
        const found = await store.openInvitation(tx, sha256Base64url(token), clock.now());
        if (!found || found.email !== user.email.toLowerCase()) return null;
        if (!(await store.acceptInvitation(tx, found.organization_id, found.id, clock.now()))) return null;
        return members.add(tx, actor, found.organization_id, {
          user_id: user.id,
          name: user.name,
          email: user.email,
          role: found.role,
        });
      });
    },
  };
}
export type InvitationService = ReturnType<typeof invitationService>;
