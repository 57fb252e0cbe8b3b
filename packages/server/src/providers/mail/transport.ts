// The port to mail transports: the relay, provider or sandbox that accepts outgoing mail.
import type { Readable } from 'node:stream';

/** A complete message; small ones are in memory, large ones in a file. */
export type ComposedMail = {
  size_bytes: number;
  /** Whether an address in its header is beyond ASCII: only mail systems with SMTPUTF8 accept such a message. */
  is_international?: boolean;
  content(): Buffer | Readable;
  /** Deletes the file of the message; it cannot be read afterwards. */
  dispose(): Promise<void>;
};

export type OutgoingMail = {
  email_id: string;
  organization_id: string;
  /** The return path for bounces, and the recipients. All are checked, plain addresses. */
  envelope: { from: string; to: string[] };
  message_id: string;
  /** Composed and signed. Null for a simulated transport, which sends no bytes. */
  message: ComposedMail | null;
  /** The message as a person sees it; only the sandbox uses it. */
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
  /** The first link of the body, as its author wrote it; only the sandbox uses it. */
  first_link: string | null;
};

export function messageOf({ message }: OutgoingMail): ComposedMail {
  if (!message) throw new Error('A transport that sends needs the composed message');
  return message;
}

export const reportKinds = [
  'delivered',
  'delivery_delayed',
  'bounced',
  'complained',
  'opened',
  'clicked',
] as const;

/** What happened to a message, from any source. */
export type MailReport = {
  kind: (typeof reportKinds)[number];
  recipients: string[];
  /** ISO 8601; null if the source has no time. */
  occurred_at: string | null;
  /** Bounces: true if the address is invalid, so that sending again cannot succeed. */
  hard?: boolean;
  detail: Record<string, unknown>;
  /** Identifies the report: a second one with the same id is ignored. */
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
  /** Set if the whole message was handed over and no reply came: sending it again could deliver it twice. */
  may_be_taken?: boolean;
  detail: Record<string, unknown>;
};

export type SendOutcome =
  | {
      accepted: true;
      simulated?(): SimulatedMail;
      provider_message_id: string;
      /** Set if the transport replaced the Message-ID; replies will refer to this one. */
      message_id?: string;
      /** Known immediately: delivery, or recipients that were refused while others were accepted. */
      reports: MailReport[];
    }
  | SendFailure;

export type MailTransport = {
  /** The provider in email records. */
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
  /** Never throws for a reply of the mail system; `signal` aborts the attempt. */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<SendOutcome>;
  /** Throws when the relay or provider does not respond or refuses our credentials. Absent: the transport has no health check. */
  check?(signal: AbortSignal): Promise<void>;
  /** Reads the notices that the provider posts, if it posts any. */
  intake?: MailIntake;
  /** The connection pool, if it has one; `waiting` are messages without a connection. */
  pool?(): { open: number; idle: number; waiting: number };
  close(): Promise<void>;
};

export type IntakeRequest = { headers: Record<string, unknown>; body: string };
/** A message that the provider received for us, with its verdicts. */
export type ReceivedMail = {
  provider_message_id: string;
  /** Empty for bounces. */
  mail_from: string;
  recipients: string[];
  verdicts: Record<'spam' | 'virus' | 'spf' | 'dkim' | 'dmarc', ReceivedVerdict>;
  /** What the domain of the sender asks for if DMARC fails. */
  dmarc_policy?: 'none' | 'quarantine' | 'reject' | null;
  /** Reads the message; throws if that is not possible now. */
  fetch(): Promise<Buffer>;
};
export type ReceivedVerdict = 'PASS' | 'FAIL' | 'GRAY' | 'PROCESSING_FAILED' | 'DISABLED';

/** Identifies the message by the provider's id, and by ours if the provider has it. */
export type ProviderReport = { provider_message_id: string; email_id: string | null; report: MailReport };
export type IntakeResult =
  | { ok: true; reports: ProviderReport[]; received?: ReceivedMail }
  | { ok: false; reason: string };
export type MailIntake = { path: string; receive(request: IntakeRequest): Promise<IntakeResult> };
