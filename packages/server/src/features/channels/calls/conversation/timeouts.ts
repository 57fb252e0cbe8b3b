// How long the agent waits for the other party and for the model.
import { type Endpoint, quick_endpoint } from './listen/endpoint.ts';

export type Timeouts = {
  endpoint: Endpoint;
  /** Before the agent speaks first: a called person says hello first, a caller expects a greeting. */
  opening_ms: { outbound: number; inbound: number };
  silence_ms: number;
  /** How long the words of a turn may take before the agent says that it did not understand. Null: as long as they need. */
  lost_speech_ms: number | null;
  /** For the first piece of a model's reply. */
  first_token_ms: number;
};

export const default_timeouts: Timeouts = {
  endpoint: quick_endpoint,
  opening_ms: { outbound: 1500, inbound: 300 },
  silence_ms: 8000,
  lost_speech_ms: 10_000,
  first_token_ms: 10_000,
};
