// What a conversation needs to transfer its call: the records, and the call to the colleague.
import type { TransferOptions } from '@parley/contract/agents/agent-fields';
import type { TransferFailure } from '@parley/contract/channels/calls/call-transfers';
import type { MediaSession } from '../../../../../providers/media/media-session.ts';
import type { Principal } from '../../../../rules/admission/index.ts';

export type TransferRequest = {
  /** Null: the API named a number. */
  destination: string | null;
  to: string;
  reason: string | null;
  requested_by: 'agent' | 'api';
  options: TransferOptions;
  /** Whose budgets and rules apply; null: those of the agent. */
  principal: Principal | null;
};

export type DialResult =
  | { outcome: 'answered'; media: MediaSession }
  | { outcome: 'failed'; failure: TransferFailure };

/** A stored transfer. A step that does not apply any more, because the call has ended, changes nothing. */
export type OpenTransfer = {
  /** Aborting the signal hangs up. */
  dial(signal: AbortSignal): Promise<DialResult>;
  answered(): Promise<void>;
  connected(): Promise<void>;
  failed(failure: TransferFailure): Promise<void>;
  canceled(): Promise<void>;
  ended(): Promise<void>;
};

export type TransferPort = {
  /** The number of the person on the line; null when it is hidden. */
  person: string | null;
  /** How many transfers the agent may try. */
  max_transfers: number;
  destination(name: string): Pick<TransferRequest, 'to' | 'options'> | null;
  /** Null when another transfer of the call is open. */
  begin(request: TransferRequest): Promise<OpenTransfer | null>;
};
