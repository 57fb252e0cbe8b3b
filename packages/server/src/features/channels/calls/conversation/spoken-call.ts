// What the voice agent needs to start a conversation.
import type { AgentVoicemail } from '@parley/contract/agents/agent-fields';

export type SpokenCall = {
  direction: 'outbound' | 'inbound';
  system_prompt: string;
  /** Said word for word when the agent opens the conversation; null: the model writes the opening. */
  first_message: string | null;
  language: string;
  voice: string | null;
  model: string | null;
  ai_disclosure: boolean;
  /** Default: leave a message. */
  voicemail?: AgentVoicemail;
  max_duration_ms: number;
};
