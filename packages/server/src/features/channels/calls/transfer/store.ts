// The SQL of transfers: one row for each, and a copy of the latest one on its call.
import type { CallEndReason } from '@parley/contract/channels/calls/call-records';
import {
  type CallTransfer,
  type CallTransferTrigger,
  callTransferLifecycle,
} from '@parley/contract/channels/calls/call-transfers';
import type { Row, Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import type { Mover } from '../../../../platform/lifecycle.ts';
import { failureAtEnd } from '../conversation/transfer/failure-at-end.ts';
import type { CallRef } from '../dispatch/queue/queue-store.ts';

const columns = sql`id, destination, "to", mode, via, status, reason, requested_by, leg_call_id,
  iso(requested_at) as requested_at, iso(connected_at) as connected_at, iso(ended_at) as ended_at, failure`;

export type TransferRow = CallTransfer & { organization_id: string; call_id: string };

export function transferStore(move: Mover, now: () => Date) {
  const copyToCall = async (tx: Transaction, organization_id: string, call_id: string): Promise<void> => {
    await tx.run(sql`
      update calls set transfer = (
        select to_json(latest) from (
          select ${columns} from call_transfers
           where organization_id = ${organization_id} and call_id = ${call_id} order by id desc limit 1) latest)
       where organization_id = ${organization_id} and id = ${call_id}`);
  };

  const moved = async (
    tx: Transaction,
    organization_id: string,
    id: string,
    trigger: CallTransferTrigger,
    set: Row = {},
  ): Promise<CallTransfer | null> => {
    const record = await move<typeof callTransferLifecycle, CallTransfer & { call_id: string }>(tx, {
      lifecycle: callTransferLifecycle,
      table: 'call_transfers',
      organization_id,
      id,
      trigger,
      set,
      returning: sql`${columns}, call_id`,
      event({ call_id, ...transfer }) {
        const data = { id: call_id, transfer, occurred_at: now().toISOString() };
        return { resource_id: call_id, data };
      },
    });
    if (record) await copyToCall(tx, organization_id, record.call_id);
    return record;
  };

  return {
    /** Rejects with a duplicate when another transfer of the call is open. */
    async insert(tx: Transaction, _organization_id: string, transfer: TransferRow): Promise<void> {
      const row = { ...transfer, status: callTransferLifecycle.initial };
      await tx.run(sql`
        insert into call_transfers select * from json_populate_record(null::call_transfers, ${JSON.stringify(row)})`);
      await copyToCall(tx, transfer.organization_id, transfer.call_id);
    },

    move: moved,

    /** The carrier reported that the colleague's phone rings. */
    async legRang(tx: Transaction, { organization_id, id }: CallRef): Promise<void> {
      const found = await tx.maybe<{ id: string }>(sql`
        select id from call_transfers where organization_id = ${organization_id} and leg_call_id = ${id}`);
      if (found) await moved(tx, organization_id, found.id, 'rang');
    },

    /** The call is over, and with it its transfer. */
    async callEnded(
      tx: Transaction,
      { organization_id }: CallRef,
      { id }: CallTransfer,
      end_reason: CallEndReason,
    ): Promise<void> {
      const ended_at = now();
      if (await moved(tx, organization_id, id, 'ended', { ended_at })) return;
      await moved(tx, organization_id, id, 'failed', { ended_at, failure: failureAtEnd(end_reason) });
    },
  };
}
export type TransferStore = ReturnType<typeof transferStore>;

export const open_transfer_index = 'call_transfers_open';
