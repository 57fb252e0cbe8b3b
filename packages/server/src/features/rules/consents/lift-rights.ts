// Who may undo a refusal or a suppression: people, and programs after the recipient wrote or called again on that channel.
import { default_purpose } from '@parley/contract/rules/approvals/hold';
import type { Transaction } from '../../../platform/db/database.ts';
import type { Context } from '../../../platform/http/context.ts';
import { mayLoosen, requireRight } from '../../access/rule-inputs/index.ts';
import { recipientKey } from './consent.ts';
import type { RevocationStore, StandingRefusal } from './revocation-store.ts';
import type { ConsentStore } from './store.ts';

type Lifting = {
  recipient: string;
  /** The caller says that the recipient wrote or called again, which the records must show. */
  is_by_inbound: boolean;
};

const person_fix =
  'Let a person record the consent in the console, or with the operator key. With the source kind inbound a program may do it after the person wrote or called again on this channel.';

/** Throws when the caller may not undo these refusals. */
export async function requireMayLift(
  { store }: { store: Pick<ConsentStore, 'lastInbound'> },
  { caller, organization_id }: Pick<Context, 'caller' | 'organization_id'>,
  { recipient, is_by_inbound }: Lifting,
  refused: readonly StandingRefusal[],
): Promise<void> {
  const input = 'consent_revocations.lifted_at';
  if (mayLoosen(caller, input)) return;
  const recipient_key = recipientKey(recipient);
  const hasWritten = async ({ channel, since }: StandingRefusal) =>
    is_by_inbound &&
    (await store.lastInbound(
      { organization_id, recipient_key, channel, purpose: default_purpose },
      since,
    )) !== null;
  const is_heard = await Promise.all(refused.map(hasWritten));
  const silent = refused.filter((_, index) => !is_heard[index]).map(({ channel }) => channel);
  if (silent.length === 0) return;
  const detail = `${recipient} refused ${silent.join(' and ')}. A program cannot lift that.`;
  requireRight(caller, input, { detail, fix: person_fix });
}

type Suppression = {
  recipient: string;
  channel: 'sms' | 'email';
  created_at: string;
  /** A program added it, and neither the recipient, a carrier nor a person did since. */
  is_by_program: boolean;
};

/**
 * The same for a suppression of any reason. `is_refused`: with it, refusals of the recipient may end; without, it was only an
 * entry of a program, and whatever else was recorded about the recipient stays.
 */
export async function requireMayUnsuppress(
  {
    store,
    revocations,
  }: { store: Pick<ConsentStore, 'lastInbound'>; revocations: Pick<RevocationStore, 'refusals'> },
  tx: Transaction,
  { caller, organization_id }: Pick<Context, 'caller' | 'organization_id'>,
  { recipient, channel, created_at, is_by_program }: Suppression,
): Promise<{ is_refused: boolean }> {
  const input = channel === 'sms' ? 'sms_suppressions.recipient' : 'email_suppressions.recipient_key';
  if (mayLoosen(caller, input)) return { is_refused: true };
  const recipient_key = recipientKey(recipient);
  const refusals = await revocations.refusals(tx, organization_id, recipient_key, [channel]);
  if (is_by_program && refusals.length === 0) return { is_refused: false };
  const query = { organization_id, recipient_key, channel, purpose: default_purpose };
  const since = Math.max(Date.parse(created_at), ...refusals.map((each) => each.since.getTime()));
  if ((await store.lastInbound(query, new Date(since))) === null)
    requireRight(caller, input, {
      detail:
        'A program allows messages to a suppressed recipient again only after the recipient wrote again.',
      fix: 'Let a person delete the suppression in the console, or with the operator key.',
    });
  return { is_refused: true };
}
