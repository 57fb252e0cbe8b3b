// Revokes consent for a person, as far as the contact rules of the organization say, and lifts it again.
import type { ConsentChannel, RevokedBy } from '@parley/contract/rules/people/consents';
import type { StopScope } from '@parley/contract/rules/people/contact-rules';
import type { Clock } from '../../../platform/clock.ts';
import type { Queryable, Transaction } from '../../../platform/db/database.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { Outbox } from '../../../platform/outbox.ts';
import { contactRulesOf, type SendingRulesFeature } from '../sending-rules/index.ts';
import { recipientKey } from './consent.ts';
import type { Refusal } from './refusal.ts';
import type { RevocationStore } from './revocation-store.ts';
import type { SuspicionStore } from './suspicions/suspicion-store.ts';
import { type SuspicionDeps, suspect } from './suspicions/suspicions.ts';

export type RevocationDeps = SuspicionDeps & {
  revocations: RevocationStore;
  suspicions: SuspicionStore;
  rules: Pick<SendingRulesFeature, 'current' | 'forget'>;
  /** Adds the recipient to the list of the channel. Calls have no list of their own. */
  suppressText(tx: Transaction, organization_id: string, recipient: string): Promise<unknown>;
  suppressEmail(tx: Transaction, organization_id: string, recipient: string): Promise<unknown>;
  outbox: Outbox;
  clock: Clock;
  ids: Ids;
};

type Target = { recipient: string; channels: ConsentChannel[]; shown_as?: string };

export const consentRevocations = (deps: RevocationDeps) => ({
  /** Must run in the transaction that records what the person said. */
  async revoke(tx: Transaction, refusal: Refusal): Promise<void> {
    const { stop_scope } = contactRulesOf(await deps.rules.current(refusal.organization_id, tx));
    for (const target of await targetsOf(deps, tx, refusal, refusal.is_for_all ? 'all' : stop_scope))
      await revokeFor(deps, tx, refusal, target);
  },

  /** The person must not be contacted at any of these numbers and addresses. `shownAs`: what events say instead of them. */
  async revokeAll(
    tx: Transaction,
    organization_id: string,
    recipients: readonly string[],
    { shownAs = (recipient) => recipient }: { shownAs?: (recipient: string) => string } = {},
  ): Promise<void> {
    const revoked_by = { kind: 'api', item_id: null } as const;
    for (const recipient of recipients) {
      const channel = channelsOf(recipient)[0]!;
      const refusal: Refusal = { organization_id, recipient, channel, revoked_by };
      await revokeFor(deps, tx, refusal, {
        recipient,
        channels: channelsOf(recipient),
        shown_as: shownAs(recipient),
      });
    }
  },

  /** The opposite of `revokeAll`. A person must decide about it. */
  async liftAll(tx: Transaction, organization_id: string, recipients: readonly string[]): Promise<void> {
    for (const recipient of recipients) {
      const lifting = {
        recipient_key: recipientKey(recipient),
        channels: channelsOf(recipient),
        now: deps.clock.now(),
      };
      await deps.revocations.lift(tx, organization_id, lifting);
      await deps.revocations.removeSuppressions(tx, organization_id, lifting);
    }
  },

  /** For a message that resembles a refusal, in the transaction that stores it. */
  suspect: (tx: Transaction, suspected: Parameters<typeof suspect>[2]) => suspect(deps, tx, suspected),

  /** Whether a person must decide first whether the recipient refused the channel. */
  isSuspected: (organization_id: string, recipient: string, channel: ConsentChannel) =>
    deps.suspicions.isOpen(organization_id, recipientKey(recipient), channel),

  /** `kind`: only what was revoked in this way. */
  lift: (
    on: Queryable,
    organization_id: string,
    recipient: string,
    channels: readonly ConsentChannel[],
    kind?: RevokedBy['kind'],
  ) =>
    deps.revocations.lift(on, organization_id, {
      recipient_key: recipientKey(recipient),
      channels,
      now: deps.clock.now(),
      ...(kind && { kind }),
    }),
});

const channelsOf = (recipient: string): ConsentChannel[] =>
  recipient.includes('@') ? ['email'] : ['sms', 'call'];
export type ConsentRevocations = ReturnType<typeof consentRevocations>;

async function targetsOf(
  { revocations }: RevocationDeps,
  tx: Transaction,
  { organization_id, recipient, channel }: Refusal,
  scope: StopScope,
): Promise<Target[]> {
  if (scope === 'channel') return [{ recipient, channels: [channel] }];
  const target: Target = { recipient, channels: channel === 'email' ? ['email'] : ['sms', 'call'] };
  if (scope === 'phone') return [target];
  const contact = await revocations.otherOf(tx, organization_id, recipientKey(recipient));
  const other = channel === 'email' ? contact?.phone_e164 : contact?.email;
  if (!other) return [target];
  return [target, { recipient: other, channels: channel === 'email' ? ['sms', 'call'] : ['email'] }];
}

async function revokeFor(
  deps: RevocationDeps,
  tx: Transaction,
  { organization_id, revoked_by: by }: Refusal,
  { recipient, channels, shown_as = recipient }: Target,
): Promise<void> {
  const { revocations, ids, clock } = deps;
  const now = clock.now();
  const revoked_by: RevokedBy = { conversation_id: null, quote: null, ...by };
  const revoked_at = now.toISOString();
  const id = ids.next();
  const revoked: ConsentChannel[] = [];
  for (const channel of channels) {
    const each = { organization_id, recipient_key: recipientKey(recipient), channel, consent_id: null };
    const revocation_id = revoked.length === 0 ? id : ids.next();
    if (await revocations.add(tx, { ...each, id: revocation_id, revoked_by, created_at: revoked_at }))
      revoked.push(channel);
  }
  await deps.suspicions.closeFor(tx, organization_id, {
    recipient_key: recipientKey(recipient),
    channels,
    now,
  });
  if (channels.includes('sms')) await deps.suppressText(tx, organization_id, recipient);
  if (channels.includes('email')) await deps.suppressEmail(tx, organization_id, recipient);
  if (revoked.length === 0) return;
  if (revoked.includes('call')) {
    await revocations.noteCallStops(tx, organization_id, now);
    tx.afterCommit(() => deps.rules.forget(organization_id));
  }
  const data = { id, recipient: shown_as, channels: revoked, revoked_by, revoked_at };
  await deps.outbox.write(tx, [{ organization_id, type: 'consent.revoked', resource_id: id, data }]);
}
