// What a projection gets: the records of a batch, read once for all projections.
import type { Transaction } from '../../../platform/db/database.ts';
import type { SenderProof } from '../../access/sender-proof/index.ts';

export type ProjectedNoun = 'email' | 'sms' | 'call' | 'contact' | 'conversation';
/** What a rebuild writes again. */
export const projected_nouns: readonly ProjectedNoun[] = ['email', 'sms', 'call', 'contact', 'conversation'];

export type RecordRef = { organization_id: string; noun: ProjectedNoun; id: string };

type Shared = {
  id: string;
  organization_id: string;
  /** The thread: what records call `conversation_id`. */
  thread_id: string;
  direction: 'inbound' | 'outbound';
  status: string;
  requested_at: string;
  metadata: Record<string, string>;
};

export type EmailRecord = Shared & {
  noun: 'email';
  labels: string[];
  /** When it was released from quarantine. */
  released_at: string | null;
  /** Kept apart: search finds it only on request, and it is in no conversation. */
  is_quarantined: boolean;
  from_address: string;
  from_name: string | null;
  to_addresses: string[];
  cc_addresses: string[];
  bcc_addresses: string[];
  subject: string;
  /** What the sender wrote, without quoted messages; at most `max_text_chars`. */
  text: string;
  message_id: string | null;
  in_reply_to: string | null;
  references_ids: string[];
  dmarc_verdict: string | null;
  sender_proof: SenderProof | null;
  spam_verdict: string | null;
  virus_verdict: string | null;
  is_auto_reply: boolean;
  attachment_names: string[];
};

export type SmsRecord = Shared & {
  noun: 'sms';
  labels: string[];
  /** Blocked by a receive rule, and kept apart like an email in quarantine. */
  is_quarantined: boolean;
  from: string;
  to: string;
  text: string;
  /** Who wrote it: `keyword` and `agent` are automatic answers. */
  origin: 'api' | 'agent' | 'keyword' | 'carrier';
};

export type CallRecord = Shared & {
  noun: 'call';
  /** Null until a number was chosen. */
  from: string | null;
  to: string;
  /** Everything that was said, one line per turn; at most `max_text_chars`. */
  text: string;
  end_reason: string | null;
  answered_by: string | null;
  ended_at: string | null;
};

export type ContactRecord = {
  noun: 'contact';
  id: string;
  organization_id: string;
  kind: 'member' | 'contact';
  name: string;
  phone_e164: string | null;
  email: string | null;
};

/** Its counters are computed again. */
export type ConversationRef = { noun: 'conversation'; id: string; organization_id: string };

export type ProjectedRecord = EmailRecord | SmsRecord | CallRecord | ContactRecord | ConversationRef;
export type RecordOf<Noun extends ProjectedNoun> = Extract<ProjectedRecord, { noun: Noun }>;

export type ProjectionBatch = {
  /** Each record once, in the order in which they were queued. */
  records: ProjectedRecord[];
  /** Records that do not exist any more. */
  deleted: RecordRef[];
};

/** A view of the records that the projector keeps current, in its own tables. */
export type Projection = {
  name: string;
  nouns: readonly ProjectedNoun[];
  /**
   * Runs in the transaction that takes the records from the queue. It may get a record that it has written before: the result
   * must be the same. Work for after the commit goes to `tx.afterCommit`.
   */
  project(tx: Transaction, batch: ProjectionBatch): Promise<void>;
};

/** How much of a text projections get. */
export const max_text_chars = 32_000;
