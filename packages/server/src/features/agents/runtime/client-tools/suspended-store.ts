// The SQL of answers that wait for the approval of tool calls. What the model said so far is sealed: it may hold arguments
// that are stored nowhere else.
import type { Clock } from '../../../../platform/clock.ts';
import type { Sealer } from '../../../../platform/crypto.ts';
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import type { ReplyState } from '../replies/reply-state.ts';

export type Suspended = {
  round: number;
  /** The payload of the job that continues. */
  request: Record<string, unknown>;
  state: ReplyState;
};
type Ref = { organization_id: string; message_id: string };

// Authenticated with the sealed texts: changing it makes stored values unreadable.
const contextOf = ({ organization_id, message_id }: Ref) =>
  `suspended reply|${organization_id}|${message_id}`;

export const suspendedStore = (deps: { db: Database; clock: Clock; sealer: Sealer }) => ({
  async put(tx: Transaction, organization_id: string, message_id: string, reply: Suspended): Promise<void> {
    const state = deps.sealer.seal(JSON.stringify(reply.state), contextOf({ organization_id, message_id }));
    await tx.run(sql`
      insert into suspended_replies (organization_id, message_id, round, request, state_sealed, suspended_at)
      values (${organization_id}, ${message_id}, ${reply.round}, ${JSON.stringify(reply.request)}::json, ${state}, ${deps.clock.now()})
      on conflict (organization_id, message_id) do update
         set round = excluded.round, request = excluded.request, state_sealed = excluded.state_sealed,
             suspended_at = excluded.suspended_at`);
  },

  async lock(tx: Transaction, organization_id: string, message_id: string): Promise<void> {
    await tx.run(sql`
      select from suspended_replies where organization_id = ${organization_id} and message_id = ${message_id} for update`);
  },

  async find(organization_id: string, message_id: string): Promise<Suspended | null> {
    const row = await deps.db.maybe<{
      round: number;
      request: Record<string, unknown>;
      state_sealed: string;
    }>(sql`
      select round, request, state_sealed from suspended_replies
       where organization_id = ${organization_id} and message_id = ${message_id}`);
    if (!row) return null;
    const state = deps.sealer.open(row.state_sealed, contextOf({ organization_id, message_id })).toString();
    return { round: row.round, request: row.request, state: JSON.parse(state) as ReplyState };
  },

  /** A later round stays. */
  async delete(organization_id: string, message_id: string, round: number): Promise<void> {
    await deps.db.run(sql`
      delete from suspended_replies
       where organization_id = ${organization_id} and message_id = ${message_id} and round = ${round}`);
  },
});
export type SuspendedStore = ReturnType<typeof suspendedStore>;
