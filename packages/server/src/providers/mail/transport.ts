// The port to whatever carries outgoing mail, in the product's words.
import type { Readable } from 'node:stream';

/** A message composed to its last byte; small ones are in memory, large ones are read from a file. */
export type ComposedMail = {
  size_bytes: number;
  /** Whether an address in its header is beyond ASCII: only mail systems with SMTPUTF8 take such a message. */
  is_international?: boolean;
  content(): Buffer | Readable;
  /** Frees what the message holds; it cannot be read afterwards. */
  dispose(): Promise<void>;
};

export type OutgoingMail = {
  email_id: string;
  organization_id: string;
  /** Who bounces come back to, made when a transport asks, and who gets the message: already checked, one plain address each. */
  envelope: { from(): string; to: string[] };
  message_id: string;
  /** What a person would see; for transports that show messages instead of sending them. */
  shown(): {
    from: string;
    to: string[];
    cc: string[];
    reply_to: string | null;
    subject: string;
    text: string | null;
    html: string | null;
    headers: Record<string, string>;
    attachments: { filename: string; content_type: string; size_bytes: number }[];
  };
  /** The first page that the body links to, as its author wrote it; null without one. */
  firstLink(): string | null;
  /** Composed and signed only when a transport asks. */
  compose(): Promise<ComposedMail>;
};

export const reportKinds = [
  'delivered',
  'delivery_delayed',
  'bounced',
  'complained',
  'opened',
  'clicked',
] as const;

/** What became of a message, however it was learned. */
export type MailReport = {
  kind: (typeof reportKinds)[number];
  recipients: string[];
  /** ISO 8601; null when the source did not say. */
  occurred_at: string | null;
  /** Bounces: whether sending again is pointless. */
  hard?: boolean;
  detail: Record<string, unknown>;
  /** Names the report: the same one told twice is one event. */
  report_id: string;
};

/** The message that a simulated transport would have sent. The caller stores it with the outcome, for the sandbox outbox. */
export type SimulatedMail = {
  organization_id: string;
  email_id: string;
  from: string;
  to: string[];
  message: object;
};

export type SendFailure = {
  accepted: false;
  simulated?(): SimulatedMail;
  reason: 'smtp_rejected' | 'connection_failed' | 'timeout' | 'provider_error';
  /** Whether the same message could succeed later. */
  retryable: boolean;
  /** Set when the message was handed over whole and its answer never came: sending it again could deliver it twice. */
  may_be_taken?: boolean;
  detail: Record<string, unknown>;
};

export type SendOutcome =
  | {
      accepted: true;
      simulated?(): SimulatedMail;
      provider_message_id: string;
      /** Set when the transport replaced the Message-ID; replies will name this one. */
      message_id?: string;
      /** What is already known: recipients refused while others were taken, or delivery at once. */
      reports: MailReport[];
    }
  | SendFailure;

export type MailTransport = {
  /** Stands in records as the provider. */
  name: string;
  capabilities: {
    /** Header fields that the transport rewrites; a signature must not cover them. */
    rewrites: readonly string[];
    /** True for the sandbox: no message leaves the server, so no DNS record and no domain must be set up first. */
    simulated: boolean;
  };
  /**
   * Whether an address is a test recipient whose outcome suppresses it. Such a suppression is recorded and listed like
   * any other, but it does not block the next email. Absent: no address is.
   */
  isRepeatable?(address: string): boolean;
  /** Never throws for what a mail system can answer; `signal` ends the attempt. */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<SendOutcome>;
  /** Reads the transport's own notices, where it sends any. */
  intake?: MailIntake;
  /** Of the connections it keeps open, where it keeps any: how many there are, and how many messages wait for one. */
  pool?(): { open: number; idle: number; waiting: number };
  close(): Promise<void>;
};

export type IntakeRequest = { headers: Record<string, unknown>; body: string };
/** A message that the provider received for us, with what it found when it judged it. */
export type ReceivedMail = {
  provider_message_id: string;
  /** Empty for bounces. */
  mail_from: string;
  recipients: string[];
  verdicts: Record<'spam' | 'virus' | 'spf' | 'dkim' | 'dmarc', ReceivedVerdict>;
  /** The message itself; throws when it cannot be had now. */
  fetch(): Promise<Buffer>;
};
export type ReceivedVerdict = 'PASS' | 'FAIL' | 'GRAY' | 'PROCESSING_FAILED' | 'DISABLED';

/** A report names the message as the provider calls it, and our email where the provider was told that too. */
export type ProviderReport = { provider_message_id: string; email_id: string | null; report: MailReport };
export type IntakeResult =
  | { ok: true; reports: ProviderReport[]; received?: ReceivedMail }
  | { ok: false; reason: string };
export type MailIntake = { path: string; receive(request: IntakeRequest): Promise<IntakeResult> };
