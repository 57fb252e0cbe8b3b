// The carrier port: what the product asks of a phone company, in its own words. A vendor translates; it never decides.
import type { CallEndReason, CallTrigger, CallTurn } from '@parley/contract/call-records';
import type { NumberCapability, NumberType } from '@parley/contract/numbers';
import type { SmsErrorCode } from '@parley/contract/sms';
import type { MediaSession } from '../media/media-session.ts';

/**
 * The carrier certainly did nothing (`busy`: ask again later), certainly said no (`refused`), or nobody knows
 * (`lost`: the request may have been executed). A caller may repeat after `busy`; after `lost` it must look first.
 */
export type CarrierFailure =
  | { outcome: 'busy'; retry_after_seconds: number; detail: string }
  | { outcome: 'refused'; code: string; detail: string }
  | { outcome: 'lost'; detail: string };

export type CarrierCapabilities = {
  /** It reaches nobody: rules that protect people and money do not hold for it. */
  simulated: boolean;
  sms: boolean;
  /** A name instead of a number as the sender. */
  sender_names: boolean;
  /** The carrier itself confirms STOP, START and HELP to the person; a second answer from us would be one too many. */
  answers_opt_out_keywords: boolean;
  numbers: boolean;
  verification: boolean;
  voice: boolean;
};

// ---- numbers

export type OfferQuery = {
  country_code: string;
  number_type: NumberType;
  capabilities: readonly NumberCapability[];
  /** Only this number. */
  e164?: string;
  limit: number;
};

export type Offer = {
  e164: string;
  country_code: string;
  number_type: NumberType;
  capabilities: NumberCapability[];
  monthly_cents: number | null;
  setup_cents: number | null;
  currency: string;
  readiness: 'ready' | 'verification_required';
};

export type SearchResult =
  | { outcome: 'found'; offers: Offer[] }
  | { outcome: 'country_not_supported' }
  | { outcome: 'number_type_not_supported' }
  | CarrierFailure;

export type NumberOrder = {
  /** Our id of the purchase. The carrier keeps it, so that a purchase can be found again by it. */
  reference: string;
  e164: string;
  /** The carrier's own id of an approved verification, where the number needs one. */
  verification_reference: string | null;
};

export type Purchase = { outcome: 'bought' | 'pending'; provider_number_id: string };
export type PurchaseResult = Purchase | { outcome: 'taken' } | CarrierFailure;

export type NumberPort = {
  search(query: OfferQuery): Promise<SearchResult>;
  buy(order: NumberOrder): Promise<PurchaseResult>;
  /** The purchase made under our reference; `absent` when the carrier knows of none. */
  findPurchase(order: NumberOrder): Promise<PurchaseResult | { outcome: 'absent' }>;
  /** Sends calls and texts of the number to our callback address. */
  registerInbound(number: {
    provider_number_id: string;
    e164: string;
  }): Promise<{ outcome: 'done' } | CarrierFailure>;
  /** A number the carrier no longer has counts as released. */
  release(number: {
    provider_number_id: string;
    e164: string;
  }): Promise<{ outcome: 'done' } | CarrierFailure>;
};

// ---- texts

export type OutgoingText = {
  /** Our id; comes back in every callback about this text. */
  sms_id: string;
  from: string;
  to: string;
  body: string;
};

export type SendResult =
  | { outcome: 'accepted'; provider_message_id: string }
  | { outcome: 'not_sent'; error_code: SmsErrorCode; detail: string }
  | Exclude<CarrierFailure, { outcome: 'refused' }>;

export type TextOutcome =
  | { status: 'sent' | 'delivered' }
  | { status: 'undelivered' | 'failed'; error_code: SmsErrorCode };

export type FoundText =
  | { outcome: 'found'; candidates: { provider_message_id: string; created_at: Date | null }[] }
  | { outcome: 'absent' }
  /** The carrier offers no way to look; only a callback can tell. */
  | { outcome: 'cannot_tell' }
  | CarrierFailure;

export type SmsPort = {
  send(text: OutgoingText): Promise<SendResult>;
  /** After a lost answer: texts that may be this one, handed over at or after `since`. */
  find(text: OutgoingText, since: Date): Promise<FoundText>;
  /** Where the text stands, for when a receipt never came. */
  outcome(
    provider_message_id: string,
  ): Promise<{ outcome: 'known'; text: TextOutcome } | { outcome: 'absent' } | CarrierFailure>;
};

/** Of a carrier that has no texts. */
export const unsupported_sms: SmsPort = {
  send: async () => ({
    outcome: 'not_sent',
    error_code: 'rejected',
    detail: 'this carrier carries no texts',
  }),
  find: async () => ({ outcome: 'absent' }),
  outcome: async () => ({ outcome: 'absent' }),
};

// ---- verifications

export type VerificationRequest = {
  reference: string;
  country_code: string;
  number_type: NumberType;
  subject_type: 'individual' | 'business';
  subject_name: string;
  address: Record<string, string> | null;
  registration_number: string | null;
};

export type VerificationProgress = {
  state: 'submitted' | 'in_review' | 'approved' | 'rejected' | 'canceled';
  rejection_reason: string | null;
};

export type VerificationPort = {
  /** Safe to repeat: the carrier knows a request by its reference. */
  submit(
    request: VerificationRequest,
  ): Promise<{ outcome: 'done'; provider_verification_id: string } | CarrierFailure>;
  state(
    provider_verification_id: string,
  ): Promise<({ outcome: 'known' } & VerificationProgress) | CarrierFailure>;
};

// ---- calls

export type CallOrder = {
  /** Our id; comes back in the events of this call. */
  call_id: string;
  from: string;
  to: string;
  ring_timeout_seconds: number;
  max_duration_seconds: number;
  /** What an agent must know who speaks somewhere else. */
  briefing: Briefing;
};

export type Briefing = {
  system_prompt: string;
  first_message: string | null;
  language: string;
  voice: string | null;
  model: string | null;
  ai_disclosure: boolean;
};

export type FoundCall =
  | { outcome: 'found'; provider_call_id: string }
  | { outcome: 'absent' }
  /** The carrier offers no way to look; only a callback can tell. */
  | { outcome: 'cannot_tell' }
  | CarrierFailure;

export type FindCallOptions = {
  /** When the order was given. */
  since: Date;
  /** Calls that are known to be others. */
  isKnown(provider_call_id: string): Promise<boolean>;
};

export type AcceptedCall = {
  provider_call_id: string;
  /** Our id; comes back in the events of this call. */
  call_id: string;
  max_duration_seconds: number;
};

export type VoicePort = {
  /** True where an agent of the carrier's own speaks: its line carries no sound to us, and what is said comes as events. */
  has_own_agent: boolean;
  /** CarrierEvent of the call may come before this answers. */
  place(order: CallOrder): Promise<{ outcome: 'placed'; provider_call_id: string } | CarrierFailure>;
  /** After a lost answer: whether the carrier took the call. Nobody places it a second time. */
  find(order: CallOrder, among: FindCallOptions): Promise<FoundCall>;
  /**
   * Answers a call that the carrier offers. Asked for while the offer event is being handled: a carrier that wants
   * to know at once takes silence for a no.
   */
  accept(call: AcceptedCall): Promise<{ outcome: 'accepted' } | CarrierFailure>;
  /** A call that nobody here answers. */
  decline(provider_call_id: string): Promise<void>;
  /**
   * The sound of a call that this process placed or accepted, from the moment it is answered; null when it ends before.
   * How the sound gets here is the carrier's own business. Closing the session hangs up.
   */
  media(provider_call_id: string): Promise<MediaSession | null>;
  /** Before the answer this is a cancellation. */
  hangUp(provider_call_id: string): Promise<{ outcome: 'ended' | 'already_ended' } | CarrierFailure>;
};

// ---- callbacks

/** One thing the carrier tells us. Everything in it came over the wire: numbers and words are unchecked text. */
export type CarrierEvent =
  | { kind: 'text_received'; provider_message_id: string; from: string; to: string; body: string }
  | { kind: 'text_changed'; provider_message_id: string; sms_id: string | null; text: TextOutcome }
  | {
      kind: 'call_changed';
      provider_call_id: string;
      call_id: string | null;
      trigger: CallTrigger;
      answered_by: 'human' | 'machine' | 'unknown' | null;
      /** Of an ending, where the carrier says why. */
      end_reason: CallEndReason | null;
      /** The carrier's own words. */
      detail: string;
    }
  /** Of a carrier that speaks itself. */
  | { kind: 'call_turn'; provider_call_id: string; turn: Omit<CallTurn, 'timings'> }
  /** Somebody calls a number of ours. */
  | { kind: 'call_offered'; provider_call_id: string; from: string; to: string }
  | { kind: 'number_provisioned'; reference: string; outcome: 'bought' | 'refused' }
  | { kind: 'unknown'; detail: string };

export type CallbackRequest = {
  /** The public address it was sent to, query included: part of what some carriers sign. */
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
};

export type CallbackReading =
  | {
      outcome: 'authentic';
      events: CarrierEvent[];
      /** Asked for once the news has been heard: to an offered call it says whether somebody answers. */
      answer(): { content_type: string; body: string };
    }
  | { outcome: 'forged'; detail: string };

/** A WebSocket that a carrier opened to us for the sound of one call. */
export type MediaSocket = {
  /** Together, where there are several. */
  send(...texts: string[]): void;
  close(code: number, reason: string): void;
  /** There is one listener: the next takes its place. */
  onMessage(listener: (text: string) => void): void;
  /** Once, whoever closed it. */
  onClose(listener: (code: number) => void): void;
};

/** What must run in this process for calls to reach it. */
export type CarrierListener = {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Null while nothing is wrong. */
  trouble(): string | null;
};

export type Carrier = {
  name: string;
  capabilities: CarrierCapabilities;
  sms: SmsPort;
  /**
   * Whether a number is a test recipient whose outcome suppresses it. Such a suppression is recorded and listed like
   * any other, but it does not block the next text. Absent: no number is.
   */
  isRepeatable?(number: string): boolean;
  numbers: NumberPort;
  /** Null where the carrier takes no verifications through us. */
  verification: VerificationPort | null;
  /** Null where calls are not built for this carrier. */
  voice: VoicePort | null;
  /** Whether a call is still going on; asked before a number it holds is freed. */
  callState(provider_call_id: string): Promise<{ outcome: 'live' | 'ended' } | CarrierFailure>;
  /** Null where the carrier sends no callbacks over HTTP. */
  readCallback: ((request: CallbackRequest) => CallbackReading) | null;
  /** Null where sound does not come over WebSockets. The query is that of the address we gave out. */
  openMedia: ((socket: MediaSocket, query: URLSearchParams) => void) | null;
  /** Null where HTTP is all it needs. */
  listener: CarrierListener | null;
};
