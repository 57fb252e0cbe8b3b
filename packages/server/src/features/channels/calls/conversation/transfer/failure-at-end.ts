// Why a transfer failed, when its call ended before the colleague was connected.
import type { CallEndReason } from '@parley/contract/channels/calls/call-records';
import type { TransferFailure } from '@parley/contract/channels/calls/call-transfers';

const failures: Partial<Record<CallEndReason, TransferFailure>> = {
  callee_hangup: 'person_left',
  // The sweeper closes calls whose process is gone. It is not known what the person did.
  force_closed: 'process_lost',
  trunk_failure: 'carrier_error',
  media_failure: 'carrier_error',
};

export const failureAtEnd = (end_reason: CallEndReason): TransferFailure =>
  failures[end_reason] ?? 'call_ended';
