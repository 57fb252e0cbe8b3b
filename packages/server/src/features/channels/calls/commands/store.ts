// The SQL of commands for calls in progress: stored, claimed once, settled with an outcome.
import type {
  CallCommand,
  CallCommandKind,
  CallCommandOutcome,
} from '@parley/contract/channels/calls/call-control';
import type { Database, Queryable, Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import {
  claimKeys,
  type IdempotencyRow,
  rememberAnswers,
  storedAnswer,
} from '../../../../platform/idempotency.ts';

export type NewCommand = {
  organization_id: string;
  id: string;
  call_id: string;
  kind: CallCommandKind;
  body: Record<string, unknown>;
  created_at: Date;
  /** The key of the request; its response is stored with the outcome. */
  key: IdempotencyRow | null;
};

export type CommandRef = { organization_id: string; id: string };
export type ClaimedCommand = CommandRef & {
  call_id: string;
  kind: CallCommandKind;
  body: Record<string, unknown>;
};
export type SettledCommand = { outcome: CallCommandOutcome; detail: string | null };

/** A command that is older is not carried out any more. */
const claimable_seconds = 10;
/** A command that was claimed and not settled for this long has lost its process. */
const lost_seconds = 60;
const kept_days = 30;

export function commandStore(db: Database) {
  return {
    async insert(tx: Transaction, _organization_id: string, command: NewCommand): Promise<void> {
      const { organization_id, id, call_id, kind, key } = command;
      await tx.run(sql`
        insert into call_commands (organization_id, id, call_id, kind, body, created_at, expires_at, idempotency_operation, idempotency_key)
        values (${organization_id}, ${id}, ${call_id}, ${kind}, ${JSON.stringify(command.body)}, ${command.created_at},
                now() + ${claimable_seconds} * interval '1 second', ${key?.operation ?? null}, ${key?.key ?? null})`);
      if (key) await tx.run(claimKeys([{ record_id: id, row: key }], sql`select ${id}::uuid`));
    },

    find: (organization_id: string, call_id: string, id: string) =>
      db.maybe<CallCommand>(sql`
        select id, call_id, kind, coalesce(outcome, 'pending') as outcome, detail, iso(created_at) as created_at,
               iso(settled_at) as settled_at
          from call_commands where organization_id = ${organization_id} and call_id = ${call_id} and id = ${id}`),

    /**
     * The oldest command of the call that no process has started; null when another process leads the call. From here on it
     * is never carried out again.
     */
    claim: (call_id: string, leader_id: string) =>
      db.maybe<ClaimedCommand>(sql`
        update call_commands set claimed_at = now()
         where (organization_id, id) = (
           select organization_id, id from call_commands
            where call_id = ${call_id} and settled_at is null and claimed_at is null and expires_at > now()
              and exists (select from calls c where c.organization_id = call_commands.organization_id and c.id = call_id
                             and c.leader_id = ${leader_id})
            order by id limit 1 for update skip locked)
        returning organization_id, id, call_id, kind, body`),

    /** Which of these calls have commands that no process has started. */
    async waitingAmong(call_ids: string[]): Promise<string[]> {
      const rows = await db.rows<{ call_id: string }>(sql`
        select distinct call_id from call_commands
         where call_id = any(${call_ids}) and settled_at is null and claimed_at is null`);
      return rows.map(({ call_id }) => call_id);
    },

    /** Which of these commands of this process' requests are settled. */
    async settledAmong(ids: string[]): Promise<string[]> {
      const rows = await db.rows<{ id: string }>(
        sql`select id from call_commands where id = any(${ids}) and settled_at is not null`,
      );
      return rows.map(({ id }) => id);
    },

    /** False when it was settled before. */
    settle: (tx: Transaction, command: CommandRef, settled: SettledCommand) =>
      settle(tx, command, settled, sql`true`),

    /** Takes back a command that no process has started. False: it was started or settled. */
    withdraw: (tx: Transaction, command: CommandRef, detail: string) =>
      settle(tx, command, { outcome: 'refused', detail }, sql`claimed_at is null`),

    /** Commands that no process will settle any more: their process is gone, or none has started them in time. */
    abandoned: (limit: number) =>
      db.rows<CommandRef & { was_claimed: boolean }>(sql`
        select organization_id, id, claimed_at is not null as was_claimed from call_commands
         where settled_at is null
           and case when claimed_at is null then expires_at < now()
                    else claimed_at < now() - ${lost_seconds} * interval '1 second' end
         limit ${limit}`),

    deleteOld: (now: Date) =>
      db.run(sql`
        delete from call_commands where created_at < ${now}::timestamptz - ${kept_days} * interval '1 day'`),
  };
}
export type CommandStore = ReturnType<typeof commandStore>;

async function settle(
  tx: Queryable,
  command: CommandRef,
  { outcome, detail }: SettledCommand,
  condition: ReturnType<typeof sql>,
): Promise<boolean> {
  const { organization_id, id } = command;
  const row = await tx.maybe<{ operation: string | null; key: string | null }>(sql`
    update call_commands set settled_at = now(), outcome = ${outcome}, detail = ${detail}
     where organization_id = ${organization_id} and id = ${id} and settled_at is null and ${condition}
    returning idempotency_operation as operation, idempotency_key as key`);
  if (!row) return false;
  const { operation, key } = row;
  if (operation === null || key === null) return true;
  // A refused command had no effect, so its key may be used again.
  if (outcome === 'refused')
    await tx.run(sql`
      delete from idempotency_keys
       where organization_id = ${organization_id} and operation = ${operation} and key = ${key}`);
  else {
    const answer = { status: 200, body: responseOf(id, outcome) };
    await tx.run(rememberAnswers([storedAnswer({ organization_id, operation, key }, answer)]));
  }
  return true;
}

/** The body of the response. For `unknown` the command stays readable: its outcome cannot be found out. */
export const responseOf = (command_id: string, outcome: CallCommandOutcome | 'pending') =>
  ({ command_id, outcome: outcome === 'done' ? 'done' : 'queued' }) as const;
