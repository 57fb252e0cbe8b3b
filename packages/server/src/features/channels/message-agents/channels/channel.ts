// What answering needs of a channel: texts and emails differ in how they are read, judged and sent.
import type { AgentMessaging } from '@parley/contract/agents/agent-fields';
import type { Agent } from '@parley/contract/agents/agents';
import type { ReplySilence } from '@parley/contract/inbox/reply-silences';
import type { Transaction } from '../../../../platform/db/database.ts';
import type { NewEvent } from '../../../../platform/event.ts';
import type { Turn } from '../../../../providers/llm/llm.ts';
import type { SenderProof } from '../../../access/sender-proof/index.ts';
import type { ApprovalNeed, CreateDecision, Stopped } from '../../../rules/admission/index.ts';

/** A received text or email, as the rules of both channels see it. */
export type Received = {
  organization_id: string;
  id: string;
  channel: 'sms' | 'email';
  thread_id: string;
  /** The number or address of the sender. */
  person: string;
  own: string;
  subject: string | null;
  text: string;
  received_at: string;
  /** Whether the sender is the one it names. The carrier vouches for the sender of a text. */
  sender_proof: SenderProof;
};

export type Silence = { reason: ReplySilence; detail: string };
export const silence = (reason: ReplySilence, detail: string): Silence => ({ reason, detail });

/** Thrown in the transaction that stores the answer: a newer message, a person or another run made it outdated. */
export class Outdated extends Error {
  override name = 'Outdated';
}

export type NewAnswer = {
  agent: Pick<Agent, 'id' | 'language' | 'ai_disclosure'>;
  text: string;
  subject?: string | undefined;
  /** Whether it begins or ends with the sentence that an AI writes. */
  discloses: boolean;
  /** Why a person must approve it first; null when it is sent at once. */
  needs_approval: ApprovalNeed | null;
  commit(tx: Transaction, reply_id: string): Promise<void>;
};
export type SendResult =
  | { outcome: 'sent' | 'duplicate' }
  | { outcome: 'stopped'; stopped: Stopped }
  | Silence;

export type ReplyChannel = {
  /** Null when the message does not exist any more. */
  find(organization_id: string, id: string, own: string): Promise<Received | null>;
  /** Why this message must not be answered by a program. */
  refusal(received: Received): Promise<Silence | null>;
  /** Answers in one thread and to one person within a day. */
  caps(messaging: AgentMessaging): { thread_per_day: number; person_per_day: number | null };
  /** Oldest first; the last one is the message. */
  turns(received: Received, messaging: AgentMessaging): Promise<Turn[]>;
  /** Whether the offline model of the sandbox may answer. */
  isSimulated(received: Received): Promise<boolean>;
  trial(received: Received, agent_id: string): Promise<CreateDecision>;
  send(received: Received, answer: NewAnswer): Promise<SendResult>;
  silentEvent(received: Received, agent_id: string, why: Silence): NewEvent;
};
