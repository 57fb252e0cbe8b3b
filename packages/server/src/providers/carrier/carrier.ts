// The carrier port: what the product needs from a phone company. A vendor only translates; the rules are in the features.
import type { CallEndReason, CarrierTrigger } from '@parley/contract/channels/calls/call-records';
import type { NumberCapability, NumberType } from '@parley/contract/channels/numbers/numbers';
import type { VerificationProblem } from '@parley/contract/channels/numbers/verification-records';
import type { SmsErrorCode } from '@parley/contract/channels/sms/sms';
import type { WebSocket } from 'ws';
import type { MediaSession } from '../media/media-session.ts';
import type { CarrierFailure } from './carrier-failure.ts';
import type { MessagingPort, RegistrationPort } from './registration.ts';

export type CarrierCapabilities = {
  /** Reaches no real people, so the rules that protect people and money do not apply. */
  simulated: boolean;
  sms: boolean;
  /** The sender may be a name instead of a number. */
  sender_names: boolean;
  /** The carrier confirms STOP, START and HELP itself, so we must not send a second confirmation. */
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
  /** Search for this number only. */
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
  /** Our id of the purchase. The carrier stores it, so that we can find the purchase by it. */
  reference: string;
  e164: string;
  /** An approved verification at the carrier, where the number needs one. */
  verification: { reference: string; address_reference: string | null } | null;
};

export type OrderReview = {
  /** For the customer: what the order waits for. */
  detail: string;
  /** The carrier found the verification wrong: it is not approved any more. */
  problems?: VerificationProblem[];
};

export type Purchase =
  | { outcome: 'bought'; provider_number_id: string }
  | {
      outcome: 'pending';
      provider_number_id: string;
      /** The carrier reviews the order, which may take days. Without it a pending order is given up after a day. */
      review?: OrderReview;
    };
export type PurchaseResult =
  | Purchase
  | { outcome: 'taken' }
  /** The carrier wants an approved verification or address for this number that the order does not name. */
  | { outcome: 'refused'; code: string; detail: string; needs_verification: true }
  | CarrierFailure;

export type NumberPort = {
  search(query: OfferQuery): Promise<SearchResult>;
  buy(order: NumberOrder): Promise<PurchaseResult>;
  /** The purchase with our reference; `absent` when the carrier has none. */
  findPurchase(order: NumberOrder): Promise<PurchaseResult | { outcome: 'absent' }>;
  /** Makes the carrier send calls and texts of the number to our callback URL. */
  registerInbound(number: {
    provider_number_id: string;
    e164: string;
  }): Promise<{ outcome: 'done' } | CarrierFailure>;
  /** A number that the account does not have any more counts as released. */
  release(number: {
    provider_number_id: string;
    e164: string;
  }): Promise<{ outcome: 'done' } | CarrierFailure>;
};

// ---- texts

export type OutgoingText = {
  /** Our id; the carrier returns it in every callback about this text. */
  sms_id: string;
  from: string;
  to: string;
  body: string;
  /** The messaging service or profile of the sender; null for a sender without one. */
  messaging_service_reference: string | null;
};

export type SendResult =
  | { outcome: 'accepted'; provider_message_id: string }
  | { outcome: 'not_sent'; error_code: SmsErrorCode; provider_code?: string | null; detail: string }
  | Exclude<CarrierFailure, { outcome: 'refused' }>;

export type TextOutcome =
  | { status: 'sent' | 'delivered' }
  | {
      status: 'undelivered' | 'failed';
      error_code: SmsErrorCode;
      /** As the carrier names the reason. */
      provider_code?: string | null;
    };

export type FoundText =
  | { outcome: 'found'; candidates: { provider_message_id: string; created_at: Date | null }[] }
  | { outcome: 'absent' }
  /** The carrier has no lookup; only a callback can report it. */
  | { outcome: 'cannot_tell' }
  | CarrierFailure;

export type SmsPort = {
  send(text: OutgoingText): Promise<SendResult>;
  /** After `lost`: the texts that may be this one, handed over at or after `since`. */
  find(text: OutgoingText, since: Date): Promise<FoundText>;
  /** The current status of a text, for when no delivery receipt came. */
  outcome(
    provider_message_id: string,
  ): Promise<{ outcome: 'known'; text: TextOutcome } | { outcome: 'absent' } | CarrierFailure>;
};

/** For carriers without SMS. */
export const unsupported_sms: SmsPort = {
  send: async () => ({
    outcome: 'not_sent',
    error_code: 'rejected',
    detail: 'this carrier does not support SMS',
  }),
  find: async () => ({ outcome: 'absent' }),
  outcome: async () => ({ outcome: 'absent' }),
};

// ---- calls

export type CallOrder = {
  /** Our id; the events of this call contain it. */
  call_id: string;
  from: string;
  to: string;
  ring_timeout_seconds: number;
  max_duration_seconds: number;
};

export type FoundCall =
  | { outcome: 'found'; provider_call_id: string }
  | { outcome: 'absent' }
  /** The carrier has no lookup; only a callback can report it. */
  | { outcome: 'cannot_tell' }
  | CarrierFailure;

export type FindCallOptions = {
  /** When the call was ordered. */
  since: Date;
  /** True for ids of other calls that we already know. */
  isKnown(provider_call_id: string): Promise<boolean>;
};

export type AcceptedCall = {
  provider_call_id: string;
  /** Our id; the events of this call contain it. */
  call_id: string;
  max_duration_seconds: number;
};

export type VoicePort = {
  /** Events of the call may arrive before this resolves. */
  place(order: CallOrder): Promise<{ outcome: 'placed'; provider_call_id: string } | CarrierFailure>;
  /** After `lost`: whether the carrier has the call. The call is never placed a second time. */
  find(order: CallOrder, options: FindCallOptions): Promise<FoundCall>;
  /**
   * Answers a call that the carrier offers. Must be called while the offer event is handled: some carriers expect
   * the decision in the response to their callback.
   */
  accept(call: AcceptedCall): Promise<{ outcome: 'accepted' } | CarrierFailure>;
  /** Refuses a call that the carrier offers. `no_capacity`: another process may take it. */
  decline(provider_call_id: string, why?: 'declined' | 'no_capacity'): Promise<void>;
  /**
   * The audio of a call that this process placed or accepted. Resolves when the call is answered, or with null when it
   * ends before. Closing the session hangs up.
   */
  media(provider_call_id: string): Promise<MediaSession | null>;
  /** Cancels a call that is not answered yet. */
  hangUp(provider_call_id: string): Promise<{ outcome: 'ended' | 'already_ended' } | CarrierFailure>;
};

// ---- callbacks

/** An event that the carrier reports. Its fields are unchecked: they come from the network. */
export type CarrierEvent =
  | {
      kind: 'text_received';
      provider_message_id: string;
      from: string;
      to: string;
      /** Without the content when the carrier withholds it. */
      body: string;
      withheld?: 'code_withheld';
    }
  | { kind: 'text_changed'; provider_message_id: string; sms_id: string | null; text: TextOutcome }
  | {
      kind: 'call_changed';
      provider_call_id: string;
      call_id: string | null;
      trigger: CarrierTrigger;
      answered_by: 'human' | 'machine' | 'unknown' | null;
      /** Set when the call ended and the carrier reports why. */
      end_reason: CallEndReason | null;
      /** The carrier's own text. */
      detail: string;
    }
  /** An inbound call to one of our numbers. */
  | {
      kind: 'call_offered';
      provider_call_id: string;
      from: string;
      to: string;
      /** This process has promised the carrier to take the call, and keeps a place for it. */
      has_place?: boolean;
    }
  | { kind: 'number_provisioned'; reference: string; outcome: 'bought' | 'refused' }
  /** A hint to read a registration again. `reference`: our id of the verification, or the carrier's. */
  | { kind: 'registration_changed'; reference: string }
  | { kind: 'unknown'; detail: string };

export type CallbackRequest = {
  /** The public URL of the request with its query. Some carriers sign it. */
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
};

export type CallbackReading =
  | {
      outcome: 'authentic';
      events: CarrierEvent[];
      /** The HTTP response. Call it after the events were handled: it may contain the decision about an offered call. */
      response(): { content_type: string; body: string };
    }
  | { outcome: 'forged'; detail: string };

/** A WebSocket that a carrier opened for the audio of one call. */
export type MediaSocket = {
  /** For a relay, which passes messages on unread. Absent for simulated sockets. */
  connection?: WebSocket;
  /** Another process of the service opened it, for the socket of a carrier. */
  is_relayed?: boolean;
  /** Several messages are written in one packet where possible. */
  send(...texts: string[]): void;
  close(code: number, reason: string): void;
  /** Replaces the current listener. */
  onMessage(listener: (text: string) => void): void;
  /** Called once, whichever side closed the socket. */
  onClose(listener: (code: number) => void): void;
};

/** Sockets that must be open in this process for calls to reach it, such as a SIP port. */
export type CarrierListener = {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** A description of the current problem; null when it works. */
  problem(): string | null;
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
  /** Null where the carrier knows no verifications. */
  registration: RegistrationPort | null;
  /** Null where the carrier has no messaging services. */
  messaging: MessagingPort | null;
  /** Null where calls are not supported. */
  voice: VoicePort | null;
  /** Whether the carrier responds and accepts our credentials. Null where the carrier has no health check. */
  check: (() => Promise<{ outcome: 'done' } | CarrierFailure>) | null;
  /** Whether a call is still active. Checked before its number is released to other calls. */
  callState(provider_call_id: string): Promise<{ outcome: 'live' | 'ended' } | CarrierFailure>;
  /** Null where the carrier sends no callbacks over HTTP. */
  readCallback: ((request: CallbackRequest) => CallbackReading) | null;
  /** Null where audio does not come over WebSockets. The query is the one of the URL that we gave to the carrier. */
  openMedia: ((socket: MediaSocket, query: URLSearchParams) => void) | null;
  /** Null where the carrier needs only HTTP. */
  listener: CarrierListener | null;
};
