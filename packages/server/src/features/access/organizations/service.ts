// The rules of organizations: created by superadmins or by people who sign up, and changed by superadmins.
import type {
  Organization,
  OrganizationCreate,
  OrganizationOrigin,
  OrganizationPatch,
  User,
} from '@parley/contract/access/organizations';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import type { PageRequest } from '../../../platform/db/page.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Caller, Context } from '../../../platform/http/context.ts';
import type { Ids } from '../../../platform/ids.ts';
import { type Actor, type AuditLog, actorOf } from '../audit/index.ts';
import type { ApiKeyService } from '../identity/index.ts';
import { requireRight } from '../rule-inputs/index.ts';
import type { MemberService } from './members.ts';
import type { OrganizationStore } from './store.ts';

type OrganizationDeps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  store: OrganizationStore;
  audit: AuditLog;
  members: MemberService;
  api_keys: ApiKeyService;
  /** How many organizations one person may create. */
  organizations_per_person: number;
  /** Caps per hour of organizations that people create themselves. */
  sign_up_caps: Organization['velocity_caps'];
  /** Limits how many new people an organization contacts that nobody knows yet, or that an agent acts for. */
  limitNewRecipients(tx: Transaction, organization_id: string): Promise<void>;
};

export function organizationService(deps: OrganizationDeps) {
  const { store } = deps;
  return {
    create: (context: Context, input: OrganizationCreate) => create(deps, context, input),
    createOwn: (actor: Actor, owner: Pick<User, 'id' | 'email' | 'name'>, name: string) =>
      createOwn(deps, actor, owner, name),
    list: (query: PageRequest) => store.list(query),
    async get(id: string): Promise<Organization> {
      const organization = await store.find(id);
      if (!organization) throw new ApiError('not_found');
      return organization;
    },
    ofUser: (user_id: string) => store.ofUser(user_id),
    update: (context: Context, id: string, patch: OrganizationPatch) => update(deps, context, id, patch),
  };
}
export type OrganizationService = ReturnType<typeof organizationService>;

function newOrganization(deps: OrganizationDeps, name: string, origin: OrganizationOrigin): Organization {
  const now = deps.clock.now().toISOString();
  return {
    id: deps.ids.next(),
    name,
    origin,
    velocity_caps: { calls: null, emails: null, sms: null },
    storage_bytes_max: null,
    created_at: now,
    updated_at: now,
  };
}

async function create(
  deps: OrganizationDeps,
  context: Context,
  input: OrganizationCreate,
): Promise<Organization> {
  // Without managed mode there is only the shared key, and no credential could use the organization.
  deps.api_keys.requireManaged();
  const organization = newOrganization(deps, input.name, input.origin ?? 'human');
  await deps.db.transaction(async (tx) => {
    await deps.store.insert(tx, organization);
    if (organization.origin === 'agent') await deps.limitNewRecipients(tx, organization.id);
    await deps.audit.write(tx, actorOf(context), {
      organization_id: organization.id,
      action: 'organization.created',
      object_id: organization.id,
      detail: { name: organization.name, origin: organization.origin },
    });
  });
  return organization;
}

/** A user creates an organization and becomes its owner. It starts with caps that a superadmin can change or remove. */
async function createOwn(
  deps: OrganizationDeps,
  actor: Actor,
  owner: Pick<User, 'id' | 'email' | 'name'>,
  name: string,
): Promise<Organization> {
  const organization = { ...newOrganization(deps, name, 'human'), velocity_caps: deps.sign_up_caps };
  await deps.db.transaction(async (tx) => {
    await requireMayFound(deps, tx, owner.id);
    await deps.store.insert(tx, organization, owner.id);
    await deps.limitNewRecipients(tx, organization.id);
    await deps.audit.write(tx, actor, {
      organization_id: organization.id,
      action: 'organization.created',
      object_id: organization.id,
      detail: { name },
    });
    await deps.members.add(tx, actor, organization.id, {
      user_id: owner.id,
      name: owner.name,
      email: owner.email,
      role: 'owner',
    });
  });
  return organization;
}

async function requireMayFound(
  { store, organizations_per_person: max }: OrganizationDeps,
  tx: Transaction,
  user_id: string,
): Promise<void> {
  const count = await store.countFounded(tx, user_id);
  if (count < max) return;
  throw new ApiError('too_many_organizations', {
    detail: `You created ${count} organizations; one person may create ${max}.`,
  });
}

const update = (
  { db, store, clock, audit, limitNewRecipients }: OrganizationDeps,
  context: Context,
  id: string,
  patch: OrganizationPatch,
): Promise<Organization> =>
  db.transaction(async (tx) => {
    const before = await store.lock(tx, id);
    if (!before) throw new ApiError('not_found');
    const old_caps = before.velocity_caps;
    const new_caps = patch.velocity_caps ?? {};
    const after: Organization = {
      ...before,
      name: patch.name ?? before.name,
      origin: patch.origin ?? before.origin,
      velocity_caps: {
        calls: new_caps.calls === undefined ? old_caps.calls : new_caps.calls,
        emails: new_caps.emails === undefined ? old_caps.emails : new_caps.emails,
        sms: new_caps.sms === undefined ? old_caps.sms : new_caps.sms,
      },
      storage_bytes_max:
        patch.storage_bytes_max === undefined ? before.storage_bytes_max : patch.storage_bytes_max,
      updated_at: clock.now().toISOString(),
    };
    requireLimitRights(context.caller, before, after);
    await store.replace(tx, after);
    if (after.origin === 'agent' && before.origin !== 'agent') await limitNewRecipients(tx, id);
    await audit.write(tx, actorOf(context), {
      organization_id: id,
      action: 'organization.changed',
      object_id: id,
      detail: patch,
    });
    return after;
  });

/** Throws when the caller may not allow the organization more per hour. */
function requireLimitRights(caller: Caller, before: Organization, after: Organization): void {
  const allowed = (cap: number | null) => cap ?? Number.POSITIVE_INFINITY;
  // null is the cap for agents there, and no cap elsewhere.
  const isStricter = (old_cap: number | null, new_cap: number | null) =>
    old_cap === new_cap ||
    (allowed(new_cap) <= allowed(old_cap) && (old_cap !== null || before.origin !== 'agent'));
  const detail = 'Only the operator raises the limits of an organization.';
  for (const channel of ['calls', 'emails', 'sms'] as const)
    requireRight(caller, `organizations.${channel}_per_hour`, {
      is_stricter: isStricter(before.velocity_caps[channel], after.velocity_caps[channel]),
      path: `body.velocity_caps.${channel}`,
      detail,
    });
  requireRight(caller, 'organizations.origin', {
    is_stricter: after.origin === before.origin || after.origin === 'agent',
    path: 'body.origin',
    detail,
  });
}
