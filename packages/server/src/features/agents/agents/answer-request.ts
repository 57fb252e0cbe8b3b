// The request that an agent answers a received message, in the transaction that stores the message.
import type { Transaction } from '../../../platform/db/database.ts';

export type AnswerRequest = {
  organization_id: string;
  channel: 'sms' | 'email';
  /** The received text or email. */
  message_id: string;
  /** Its conversation_id: a later message of the same thread replaces the request. */
  thread_id: string;
  agent_id: string;
  /** The number or address that received it. */
  own: string;
  received_at: string;
  /** It was in quarantine until now. */
  is_released?: true;
  /** The trace of its receipt, where the transaction has none. */
  traceparent?: string;
};

export type RequestAnswer = (tx: Transaction, request: AnswerRequest) => Promise<void>;
