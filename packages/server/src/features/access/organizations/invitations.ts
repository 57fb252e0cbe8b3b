// The rules of invitations: a link for one email address, shown once, usable once, valid for a week.

import type { Invitation, InvitationCreate, Member, NewInvitation } from '@parley/contract/access/members';
import type { User } from '@parley/contract/access/organizations';
import type { Role } from '@parley/contract/access/roles';
import { limits, nil_uuid } from '@parley/contract/limits';
import type { Clock } from '../../../platform/clock.ts';
import { randomToken, sha256Base64url } from '../../../platform/crypto.ts';
import type { Database, Queryable } from '../../../platform/db/database.ts';
import type { PageRequest } from '../../../platform/db/page.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Caller, Context } from '../../../platform/http/context.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { SystemMailSender } from '../../../platform/system-mail.ts';
import { type Actor, type AuditLog, actorOf } from '../audit/index.ts';
import { requirePerson } from '../identity/index.ts';
import type { FoundInvitation, InvitationStore } from './invitation-store.ts';
import type { MemberStore } from './member-store.ts';
import type { MemberService } from './members.ts';
import { mayManage, mayStillInvite } from './role-rules.ts';

const lifetime_ms = limits.invitation_kept_days * 86_400_000;

const key_prefix = 'key:';
const keyIdOf = ({ credential_kind, credential_id }: Caller): string | null =>
  credential_kind === 'api_key' && credential_id.startsWith(key_prefix)
    ? credential_id.slice(key_prefix.length)
    : null;

export type OpenInvitation = { organization: string; email: string; role: Role };

type InvitationDeps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  invitation_store: InvitationStore;
  member_store: MemberStore;
  members: MemberService;
  audit: AuditLog;
  requireManaged(): void;
  mail: Pick<SystemMailSender, 'isReceivedHere'>;
  acceptUrl(token: string): string;
};

export function invitationService(deps: InvitationDeps) {
  const { db, clock, invitation_store: store, members, audit } = deps;
  return {
    create(context: Context, input: InvitationCreate): Promise<NewInvitation> {
      deps.requireManaged();
      requirePerson(context.caller);
      if (!mayManage(context.caller.role, input.role ?? 'member')) throw new ApiError('role_too_low');
      return invite(deps, context, context.organization_id, input, { as: 'member' });
    },

    createByOperator(
      context: Context,
      organization_id: string,
      input: InvitationCreate,
    ): Promise<NewInvitation> {
      deps.requireManaged();
      return invite(deps, context, organization_id, input, { as: 'operator' });
    },

    list: (organization_id: string, query: PageRequest) => store.list(organization_id, query),

    async withdraw(context: Context, id: string): Promise<undefined> {
      const { organization_id, caller } = context;
      await db.transaction(async (tx) => {
        const deleted = await store.delete(tx, organization_id, id);
        if (!deleted) throw new ApiError('not_found');
        if (!mayManage(caller.role, deleted.role)) throw new ApiError('role_too_low');
        await audit.write(tx, actorOf(context), {
          organization_id,
          action: 'invitation.withdrawn',
          object_id: id,
        });
      });
    },

    /** What the page of a link shows; null when the link was used, expired or is invalid. */
    findOpen: (token: string): Promise<OpenInvitation | null> => findOpen(deps, db, token),

    /** Null when the link is not valid for this user: an invitation is for one email address. */
    async accept(
      actor: Actor,
      token: string,
      user: Pick<User, 'id' | 'email' | 'name'>,
    ): Promise<Member | null> {
      return db.transaction(async (tx) => {
        const invitation = await findOpen(deps, tx, token);
        if (!invitation || invitation.email !== user.email.toLowerCase()) return null;
        const { id, organization_id, role } = invitation;
        if (!(await store.accept(tx, organization_id, id, clock.now()))) return null;
        const { id: user_id, name, email } = user;
        return members.add(tx, actor, organization_id, { user_id, name, email, role });
      });
    },
  };
}
export type InvitationService = ReturnType<typeof invitationService>;

/** Null when the link was used or has expired, or who wrote it may not invite any more. */
async function findOpen(
  { invitation_store: store, clock }: InvitationDeps,
  on: Queryable,
  token: string,
): Promise<FoundInvitation | null> {
  const now = clock.now();
  const invitation = await store.findOpen(on, sha256Base64url(token), now);
  if (!invitation) return null;
  return mayStillInvite(invitation, await store.inviterNow(on, invitation, now)) ? invitation : null;
}

async function invite(
  deps: InvitationDeps,
  context: Context,
  organization_id: string,
  input: InvitationCreate,
  by: { as: 'member' | 'operator' },
): Promise<NewInvitation> {
  const email = input.email.toLowerCase();
  if (await deps.mail.isReceivedHere(email))
    throw new ApiError('address_received_here', { path: 'body.email' });
  const { user_id } = context.caller.identity;
  const token = randomToken('');
  const now = deps.clock.now();
  const invitation: Invitation = {
    id: deps.ids.next(),
    organization_id,
    email,
    role: input.role ?? 'member',
    invited_by: user_id === nil_uuid ? null : user_id,
    created_at: now.toISOString(),
    expires_at: new Date(now.getTime() + lifetime_ms).toISOString(),
    accepted_at: null,
  };
  await deps.db.transaction(async (tx) => {
    if (await deps.member_store.hasEmail(tx, organization_id, email)) throw new ApiError('member_exists');
    const inviter = { invited_as: by.as, invited_with_key: keyIdOf(context.caller) };
    const row = { ...invitation, ...inviter, token_hash: sha256Base64url(token) };
    await deps.invitation_store.insert(tx, organization_id, row);
    await deps.audit.write(tx, actorOf(context), {
      organization_id,
      action: 'invitation.created',
      object_id: invitation.id,
      detail: { role: invitation.role },
    });
  });
  return { ...invitation, accept_url: deps.acceptUrl(token) };
}
