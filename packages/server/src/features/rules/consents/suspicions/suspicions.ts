// Suspected revocations: noted when a message resembles a refusal, and decided by a person.
import type { SuspectedRevocation, SuspicionDecision } from '@parley/contract/rules/people/consents';
import type { Clock } from '../../../../platform/clock.ts';
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import type { PageRequest } from '../../../../platform/db/page.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Context } from '../../../../platform/http/context.ts';
import type { Ids } from '../../../../platform/ids.ts';
import type { Outbox } from '../../../../platform/outbox.ts';
import { type AuditLog, actorOf } from '../../../access/audit/index.ts';
import { requireRight } from '../../../access/rule-inputs/index.ts';
import { recipientKey } from '../consent.ts';
import type { Refusal } from '../refusal.ts';
import type { RevocationStore } from '../revocation-store.ts';
import type { SuspicionStore } from './suspicion-store.ts';

export type SuspicionDeps = {
  db: Database;
  suspicions: SuspicionStore;
  revocations: RevocationStore;
  audit: AuditLog;
  outbox: Outbox;
  clock: Clock;
  ids: Ids;
};

type Suspected = {
  organization_id: string;
  /** Who wrote it. */
  recipient: string;
  channel: SuspectedRevocation['channel'];
  item_id: string;
};

/** Must run in the transaction that stores the message. Does nothing when the person refused the channel before. */
export async function suspect(deps: SuspicionDeps, tx: Transaction, suspected: Suspected): Promise<void> {
  const { organization_id, recipient, channel, item_id } = suspected;
  const recipient_key = recipientKey(recipient);
  const refused = await deps.revocations.refusals(tx, organization_id, recipient_key, [channel]);
  if (refused.length > 0) return;
  const suspected_at = deps.clock.now().toISOString();
  const data = { id: deps.ids.next(), recipient, channel, item_id, suspected_at };
  if (!(await deps.suspicions.add(tx, { ...data, organization_id, recipient_key }))) return;
  await deps.outbox.write(tx, [
    { organization_id, type: 'consent.revocation_suspected', resource_id: data.id, data },
  ]);
}

export const suspicionService = (
  deps: SuspicionDeps,
  revoke: (tx: Transaction, refusal: Refusal) => Promise<void>,
) => ({
  list: (organization_id: string, query: PageRequest) => deps.suspicions.list(organization_id, query),

  /** A decision that was made before stays. */
  async decide(context: Context, id: string, decision: SuspicionDecision): Promise<SuspectedRevocation> {
    const { organization_id, caller } = context;
    const before = await deps.suspicions.find(organization_id, id);
    if (!before) throw new ApiError('not_found');
    requireRight(caller, 'suspected_revocations.decision');
    const decided = await deps.db.transaction(async (tx) => {
      const verdict = { decision, decided_by: caller.credential_id, now: deps.clock.now() };
      const suspicion = await deps.suspicions.decide(tx, organization_id, id, verdict);
      if (!suspicion) return null;
      const { recipient, channel, item_id } = suspicion;
      if (decision === 'revoked')
        await revoke(tx, { organization_id, recipient, channel, revoked_by: { kind: 'api', item_id } });
      const entry = { organization_id, action: 'consent.suspicion_decided', object_id: id };
      await deps.audit.write(tx, actorOf(context), { ...entry, detail: { recipient, channel, decision } });
      return suspicion;
    });
    return decided ?? (await deps.suspicions.find(organization_id, id))!;
  },
});
export type SuspicionService = ReturnType<typeof suspicionService>;
