// Consents: the ledger of who agreed to be contacted, and what people said when they no longer want to be.
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { Outbox } from '../../../platform/outbox.ts';
import type { PartyHash } from '../../../platform/party-hash.ts';
import type { AuditLog } from '../../access/audit/index.ts';
import type { SendingRulesFeature } from '../sending-rules/index.ts';
import { consentGate, type GateDeps } from './gate.ts';
import { requireMayUnsuppress } from './lift-rights.ts';
import { revocationStore } from './revocation-store.ts';
import { consentRevocations, type RevocationDeps } from './revocations.ts';
import { consentRoutes } from './routes.ts';
import { type ConsentDeps, consentService, storeConsent } from './service.ts';
import { consentStore } from './store.ts';
import { suspicionStore } from './suspicions/suspicion-store.ts';
import { suspicionService } from './suspicions/suspicions.ts';

export { consentChannelOf, recipientKey } from './consent.ts';
export type { ConsentGate } from './gate.ts';
export { consentPersonalData } from './personal-data-store.ts';
export { plainWords } from './plain-words.ts';
export type { Refusal } from './refusal.ts';
export type { ConsentCondition } from './store.ts';
export { resemblesRefusal } from './suspicions/resembles-refusal.ts';

export function consentFeature(
  options: {
    db: Database;
    clock: Clock;
    ids: Ids;
    outbox: Outbox;
    audit: AuditLog;
    partyHash: PartyHash;
    rules: SendingRulesFeature;
    /** Where an upload can be downloaded for a short time; null when it does not exist. */
    attachmentLink: ConsentDeps['attachmentLink'];
  } & Pick<RevocationDeps, 'suppressText' | 'suppressEmail'>,
) {
  const deps = {
    ...options,
    store: consentStore(options.db, options.clock),
    revocations: revocationStore(options.db, options.partyHash),
    suspicions: suspicionStore(options.db),
  };
  const gate = consentGate({ ...deps, recordInbound: recordInbound(deps) });
  const service = consentService(deps, gate);
  const revocations = {
    ...consentRevocations(deps),
    /** Throws when the caller may not delete this suppression. */
    requireMayUnsuppress: (...args: Unsuppressing) => requireMayUnsuppress(deps, ...args),
  };
  const suspicions = suspicionService(deps, revocations.revoke);
  return { routes: [consentRoutes(service, suspicions)], gate, revocations };
}
type Unsuppressing = Parameters<typeof requireMayUnsuppress> extends [unknown, ...infer Rest] ? Rest : never;
export type ConsentFeature = ReturnType<typeof consentFeature>;
export type ConsentRevocations = ConsentFeature['revocations'];

const recordInbound =
  (
    deps: Parameters<typeof storeConsent>[0] & { db: Database; clock: Clock; ids: Ids },
  ): GateDeps['recordInbound'] =>
  async ({ organization_id, channel, purpose }, recipient, at, expires_at) => {
    const id = deps.ids.next();
    await deps.db.transaction((tx) =>
      storeConsent(deps, tx, {
        id,
        organization_id,
        recipient,
        channels: [channel],
        purposes: [purpose],
        basis: 'inbound_message',
        source: { kind: 'inbound', captured_at: at.toISOString() },
        proof_attachment_id: null,
        expires_at: expires_at.toISOString(),
        recorded_by: null,
        created_at: deps.clock.now().toISOString(),
      }),
    );
    return id;
  };
