// The SQL that finds one call: by its own id, or by the id that a carrier gave it.
import type { CallEndReason } from '@parley/contract/channels/calls/call-records';
import type { Database, Transaction } from '../../../../../platform/db/database.ts';
import { sql } from '../../../../../platform/db/sql.ts';
import { type CallRef, ledBy, open_states } from './queue-store.ts';

export function lookupStore(db: Database) {
  return {
    /** Whether a call of any organization has this id of the carrier. */
    async isKnown(provider: string, provider_call_id: string): Promise<boolean> {
      const row = await db.maybe(sql`
        select id from calls where provider = ${provider} and provider_call_id = ${provider_call_id}`);
      return row !== null;
    },

    idOf: (organization_id: string, provider: string, provider_call_id: string) =>
      db.maybe<{ id: string }>(sql`
        select id from calls where organization_id = ${organization_id} and provider = ${provider}
           and provider_call_id = ${provider_call_id}`),

    status: (call: CallRef) =>
      db.maybe<{
        status: string;
        end_reason: CallEndReason | null;
        provider_call_id: string | null;
        answered_at: Date | null;
        is_hang_up_requested: boolean;
      }>(sql`
        select status, end_reason, provider_call_id, answered_at, hang_up_requested_at is not null as is_hang_up_requested from calls
         where organization_id = ${call.organization_id} and id = ${call.id}`),

    /** The call that a carrier's event is about, locked until the transaction ends. */
    lockNamed: (
      tx: Transaction,
      named: { provider: string; provider_call_id: string; call_id: string | null },
    ) =>
      tx.maybe<
        CallRef & {
          status: string;
          provider_call_id: string | null;
          is_leased: boolean;
          answered_at: Date | null;
          direction: 'inbound' | 'outbound';
          from: string | null;
          to: string;
          conversation_id: string;
        }
      >(sql`
        select id, organization_id, status, provider_call_id, answered_at, direction, "from", "to", conversation_id,
               coalesce(lease_until > now(), false) as is_leased from calls
         where provider = ${named.provider}
           and (provider_call_id = ${named.provider_call_id}
                or (id = ${named.call_id}::uuid and provider_call_id is null))
           for update`),

    /** What the other party said last; null when nothing is stored. */
    async lastWords(tx: Transaction, call: CallRef): Promise<string | null> {
      const row = await tx.maybe<{ text: string }>(sql`
        select text from call_turns
         where organization_id = ${call.organization_id} and call_id = ${call.id} and speaker = 'person'
         order by started_ms desc limit 1`);
      return row?.text ?? null;
    },

    /** Locked until the transaction ends; false when the call is over or another process leads it. */
    async lockOpen(tx: Transaction, call: CallRef): Promise<boolean> {
      const found = await tx.maybe(sql`
        select 1 from calls
         where organization_id = ${call.organization_id} and id = ${call.id} and status in ${open_states}
           ${ledBy(call)} for update`);
      return found !== null;
    },
  };
}
