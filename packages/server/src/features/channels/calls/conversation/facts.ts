// The facts that a spoken call emits while it lasts. Transcript, timeline and metrics are built from them.
import type { TransferFailure } from '@parley/contract/channels/calls/call-transfers';
import type { LostSpeech } from './listen/lost-speech.ts';

/** All times are milliseconds since the line opened. */
export type Fact =
  | SaidFact
  | { kind: 'answered_by'; at_ms: number; by: 'human' | 'machine' }
  | { kind: 'digits_pressed'; at_ms: number; digits: string }
  | { kind: 'digits_sent'; at_ms: number; digits: string }
  | ToolFact
  /** The relay ended the conversation. */
  | { kind: 'relay_ended'; at_ms: number; handoff_data: string | null }
  /** An answering machine has the whole message of the agent. */
  | { kind: 'message_left'; at_ms: number }
  /** The model got a note by request of the API. */
  | { kind: 'instructed'; at_ms: number; text: string }
  /** The agent was silenced because the other party spoke; `clear_ms` is how long it took to detect. */
  | { kind: 'interrupted'; at_ms: number; clear_ms: number }
  | TransferFact
  /** The other party spoke for `sound_ms`, and it became no turn. */
  | { kind: 'not_understood'; at_ms: number; cause: LostSpeech['cause']; sound_ms: number; detail: string }
  | { kind: 'went_wrong'; at_ms: number; layer: FailedLayer; detail: string };

type FailedLayer = 'llm' | 'relay' | 'stt' | 'tts' | 'vad' | 'transfer';

export type TransferFact = { at_ms: number } & (
  | { kind: 'transfer_requested'; destination: string | null; to: string; mode: 'warm' | 'blind' }
  | { kind: 'transfer_dialed' | 'transfer_answered' | 'transfer_briefed' | 'transfer_accepted' }
  | { kind: 'transfer_connected' | 'transfer_canceled' | 'resumed' }
  | { kind: 'transfer_failed'; failure: TransferFailure }
  | { kind: 'transfer_ended'; by: 'colleague' | 'person' }
);

export type ToolFact = { at_ms: number; tool: string; tool_call_id: string } & (
  | { kind: 'tool_called'; arguments: Record<string, unknown> }
  | { kind: 'tool_answered'; duration_ms: number }
  | { kind: 'tool_failed'; duration_ms: number; error: string; detail: string }
);

export type SaidFact = {
  kind: 'said';
  speaker: 'agent' | 'person' | 'colleague';
  /** For the agent: only what was heard. */
  text: string;
  started_ms: number;
  ended_ms: number;
  is_interrupted: boolean;
  /** Said while the agent waited for a tool. */
  is_filler: boolean;
  /** Only the colleague heard it. */
  is_private?: boolean;
  /** Said by request of the API. */
  requested_by?: 'api' | null;
  /** For the agent's replies. */
  timings: TurnTimings | null;
};

/** Latency between the other party's last sound and the agent's first. The parts add up to the total. */
export type TurnTimings = {
  /** Silence that had to pass before the turn counted as over. */
  endpoint_ms: number;
  /** How much longer recognition took. */
  stt_ms: number;
  first_token_ms: number;
  /** The part of `first_token_ms` that was spent in tools. */
  tool_ms?: number;
  /** From the first token to the first sound of the first clause. */
  first_byte_ms: number;
  first_frame_ms: number;
  total_ms: number;
};

export type AgentEndReason =
  | 'callee_hangup'
  | 'colleague_hangup'
  | 'agent_hangup'
  | 'api_hangup'
  | 'max_duration'
  | 'insufficient_funds'
  | 'silence_timeout'
  | 'not_understood'
  | 'voicemail'
  | 'setup_error'
  | 'media_failure'
  | 'force_closed';

export type SpokenCallEnd = {
  outcome: 'completed' | 'failed';
  reason: AgentEndReason;
  /** For the timeline: the error message of the engine or line that failed. */
  detail: string | null;
  duration_ms: number;
};
