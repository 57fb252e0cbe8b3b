// What the agent must know of a call before it speaks.

export type SpokenCall = {
  direction: 'outbound' | 'inbound';
  system_prompt: string;
  /** Said word for word when the agent opens the conversation; null: the agent finds its own words. */
  first_message: string | null;
  language: string;
  voice: string | null;
  model: string | null;
  ai_disclosure: boolean;
  max_duration_ms: number;
};
