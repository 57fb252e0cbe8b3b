// The facts that a spoken call emits while it lasts. Transcript, timeline and metrics are built from them.

/** All times are milliseconds since the line opened. */
export type Fact =
  | SaidFact
  | { kind: 'answered_by'; at_ms: number; by: 'human' | 'machine' }
  | { kind: 'digits_pressed'; at_ms: number; digits: string }
  | { kind: 'digits_sent'; at_ms: number; digits: string }
  /** The agent was silenced because the other party spoke; `clear_ms` is how long it took to detect. */
  | { kind: 'interrupted'; at_ms: number; clear_ms: number }
  | { kind: 'went_wrong'; at_ms: number; layer: 'llm' | 'stt' | 'tts' | 'vad'; detail: string };

export type SaidFact = {
  kind: 'said';
  speaker: 'agent' | 'person';
  /** For the agent: only what was heard. */
  text: string;
  started_ms: number;
  ended_ms: number;
  is_interrupted: boolean;
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
  /** From the first token to the first sound of the first clause. */
  first_byte_ms: number;
  first_frame_ms: number;
  total_ms: number;
};

export type AgentEndReason =
  | 'callee_hangup'
  | 'agent_hangup'
  | 'api_hangup'
  | 'max_duration'
  | 'insufficient_funds'
  | 'silence_timeout'
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
