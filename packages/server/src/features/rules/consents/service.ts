// The operations of consents. Entries are only added; a revocation is an entry of its own.

import { default_purpose, type Purpose } from '@parley/contract/rules/approvals/hold';
import type {
  Consent,
  ConsentBasis,
  ConsentChannel,
  ConsentCheck,
  ConsentCreate,
} from '@parley/contract/rules/people/consents';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import type { PageRequest } from '../../../platform/db/page.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Context } from '../../../platform/http/context.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { Outbox } from '../../../platform/outbox.ts';
import { type AuditLog, actorOf } from '../../access/audit/index.ts';
import { type ConsentQuery, type NewConsent, recipientKey } from './consent.ts';
import type { ConsentGate } from './gate.ts';
import { requireMayLift } from './lift-rights.ts';
import type { RevocationStore } from './revocation-store.ts';
import type { ConsentStore } from './store.ts';

export type ConsentDeps = {
  db: Database;
  store: ConsentStore;
  revocations: RevocationStore;
  audit: AuditLog;
  outbox: Outbox;
  clock: Clock;
  ids: Ids;
  attachmentLink(organization_id: string, id: string): Promise<string | null>;
};

/** The person said so: weaker bases do not undo what the person said before. */
const lifting_bases: ReadonlySet<ConsentBasis> = new Set(['express', 'express_written']);

export function consentService(deps: ConsentDeps, gate: ConsentGate) {
  const { store, revocations } = deps;
  const get = async (organization_id: string, id: string): Promise<Consent> => {
    const consent = await store.find(organization_id, id);
    if (!consent) throw new ApiError('not_found');
    return consent;
  };
  return {
    create: (context: Context, input: ConsentCreate) => create(deps, context, input),
    list: (organization_id: string, query: PageRequest & { recipient?: string | undefined }) =>
      store.list(organization_id, query),
    get,

    async proof(organization_id: string, id: string): Promise<{ location: string }> {
      const { proof_attachment_id } = await get(organization_id, id);
      const location =
        proof_attachment_id && (await deps.attachmentLink(organization_id, proof_attachment_id));
      if (!location) throw new ApiError('not_found', { detail: 'The consent has no file that proves it.' });
      return { location };
    },

    async check(
      organization_id: string,
      {
        recipient,
        channel,
        purpose,
      }: { recipient: string; channel: ConsentChannel; purpose?: Purpose | undefined },
    ): Promise<ConsentCheck> {
      const recipient_key = recipientKey(recipient);
      const query: ConsentQuery = {
        organization_id,
        recipient_key,
        channel,
        purpose: purpose ?? default_purpose,
      };
      const consent_id = await gate.find(query, recipient);
      if (await revocations.isStopped(organization_id, recipient_key, channel))
        return { allowed: false, consent_id, reason: 'suppressed' };
      if (consent_id !== null) return { allowed: true, consent_id, reason: 'consent' };
      return (await gate.needsRecord(organization_id))
        ? { allowed: false, consent_id, reason: 'not_recorded' }
        : { allowed: true, consent_id, reason: 'warrant' };
    },

    async revoke(context: Context, id: string, reason: string | null): Promise<Consent> {
      const consent = await get(context.organization_id, id);
      if (consent.status === 'revoked') return consent;
      await deps.db.transaction((tx) => revokeOne(deps, tx, context, consent, reason));
      return get(context.organization_id, id);
    },
  };
}
export type ConsentService = ReturnType<typeof consentService>;

async function create(deps: ConsentDeps, context: Context, input: ConsentCreate): Promise<Consent> {
  const { store } = deps;
  const { organization_id } = context;
  const { recipient, channels, purposes, basis, source, proof_attachment_id } = input;
  const consent: NewConsent = {
    id: deps.ids.next(),
    organization_id,
    recipient,
    channels,
    purposes,
    basis,
    source,
    proof_attachment_id: proof_attachment_id ?? null,
    expires_at: input.expires_at ? new Date(input.expires_at).toISOString() : null,
    recorded_by: context.caller.credential_id,
    created_at: deps.clock.now().toISOString(),
  };
  await deps.db.transaction(async (tx) => {
    if (proof_attachment_id && !(await store.keepProof(tx, organization_id, proof_attachment_id)))
      throw new ApiError('attachment_not_found', { path: 'body.proof_attachment_id' });
    await storeConsent(deps, tx, consent);
    if (lifting_bases.has(basis)) await liftFor(deps, tx, context, consent);
    const detail = { recipient, channels, basis };
    await deps.audit.write(tx, actorOf(context), {
      organization_id,
      action: 'consent.recorded',
      object_id: consent.id,
      detail,
    });
  });
  return (await store.find(organization_id, consent.id))!;
}

export async function storeConsent(
  { store, outbox }: Pick<ConsentDeps, 'store' | 'outbox'>,
  tx: Transaction,
  consent: NewConsent,
): Promise<void> {
  const { id, organization_id, recipient, channels, purposes, basis, expires_at } = consent;
  await store.insert(tx, organization_id, consent);
  if (basis === 'warranted') return;
  const data = { id, recipient, channels, purposes, basis, expires_at };
  await outbox.write(tx, [{ organization_id, type: 'consent.recorded', resource_id: id, data }]);
}

async function liftFor(
  deps: ConsentDeps,
  tx: Transaction,
  context: Context,
  consent: NewConsent,
): Promise<void> {
  const { revocations } = deps;
  const { organization_id, recipient, channels } = consent;
  const recipient_key = recipientKey(recipient);
  const refused = await revocations.refusals(tx, organization_id, recipient_key, channels);
  if (refused.length === 0) return;
  const proof = { recipient, is_by_inbound: consent.source.kind === 'inbound' };
  await requireMayLift(deps, context, proof, refused);
  const lifting = { recipient_key, channels, now: new Date(consent.created_at) };
  await revocations.lift(tx, organization_id, lifting);
  await revocations.removeSuppressions(tx, organization_id, lifting);
}

async function revokeOne(
  { revocations, audit, outbox, clock, ids }: ConsentDeps,
  tx: Transaction,
  context: Context,
  { id, recipient, channels, revoked_channels }: Consent,
  reason: string | null,
): Promise<void> {
  const { organization_id } = context;
  const revoked_by = { kind: 'api', item_id: null, conversation_id: null, quote: null } as const;
  const created_at = clock.now().toISOString();
  const open = channels.filter((channel) => !revoked_channels.includes(channel));
  for (const channel of open)
    await revocations.add(tx, {
      id: ids.next(),
      organization_id,
      recipient_key: recipientKey(recipient),
      channel,
      consent_id: id,
      revoked_by,
      created_at,
    });
  const data = { id, recipient, channels: open, revoked_by, revoked_at: created_at };
  await outbox.write(tx, [{ organization_id, type: 'consent.revoked', resource_id: id, data }]);
  const detail = { recipient, channels: open, reason };
  await audit.write(tx, actorOf(context), {
    organization_id,
    action: 'consent.revoked',
    object_id: id,
    detail,
  });
}
