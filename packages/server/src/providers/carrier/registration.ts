// The registration port of a carrier: verifications of who uses numbers, US brands and campaigns, and messaging services.
import type { NumberType, SmsRegistrationState } from '@parley/contract/channels/numbers/numbers';
import type {
  Requirement,
  RequirementSet,
  VerificationKind,
  VerificationProblem,
} from '@parley/contract/channels/numbers/verification-records';
import type { Answer, PostalAddress } from '@parley/contract/channels/numbers/verifications';
import type { CarrierFailure } from './carrier-failure.ts';

export type RegistrationKind = VerificationKind;

/** Ids of the carrier, as JSON. Only the carrier's adapter reads them; the feature stores them after every step. */
export type Progress = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

export type RegistrationQuery = {
  kind: RegistrationKind;
  country_code: string;
  number_type: NumberType;
  subject_type: 'individual' | 'business';
  use_case: string | null;
  e164: string | null;
  /** us_campaign: the brand, as far as it is known. */
  brand: Progress | null;
};

export type RegistrationDocument = {
  id: string;
  /** The key of the requirement. */
  requirement: string;
  document_type: string;
  content_type: string;
  size_bytes: number;
  /** What the carrier wants to know about the document. */
  fields: Readonly<Record<string, string>>;
  /** Decrypts the content. Do not store it. */
  read(): Promise<Buffer>;
};

export type RegistrationRequest = {
  /** Our id of the verification. Give it to the carrier wherever it stores a name or reference, to find objects again. */
  reference: string;
  organization_id: string;
  /** From 1. A higher one corrects a rejection; `progress` then has the objects of the earlier attempts. */
  attempt: number;
  kind: RegistrationKind;
  country_code: string;
  number_type: NumberType;
  subject_type: 'individual' | 'business';
  subject_name: string;
  use_case: string | null;
  address: PostalAddress | null;
  registration_number: string | null;
  /** By the key of the requirement. */
  answers: Readonly<Record<string, Answer>>;
  /** Of this attempt only; earlier ones are at the carrier. */
  documents: readonly RegistrationDocument[];
  /** What the carrier asked for when the verification was submitted. */
  requirements: readonly Requirement[];
  /** What the carrier said about the attempt before; empty for the first one. */
  problems: readonly VerificationProblem[];
  /** us_campaign: the approved brand. */
  brand: Progress | null;
  /** toll_free: the number. */
  number: NumberAtCarrier | null;
  /** number: earlier approvals of the same organization for the same, which end at a date. Their numbers must stay valid. */
  renews?: readonly Progress[];
};

export type NumberAtCarrier = { e164: string; provider_number_id: string };

/** With the messaging service that is stored with the number, if there is one. */
export type NumberInService = NumberAtCarrier & { messaging_service_reference?: string | null };

export type AdvanceResult =
  /** One request that changes something was done; call advance again with the new progress. */
  | { outcome: 'step'; progress: Progress }
  /** The carrier has everything; its documents are deleted here. */
  | {
      outcome: 'handed_over';
      progress: Progress;
      provider_verification_id: string;
      /** An address at the carrier that purchases with this verification name. */
      address_reference: string | null;
      /** us_campaign: the messaging service that the campaign belongs to. */
      service_reference: string | null;
    }
  /** The carrier's own check found problems before the submission. Nothing was submitted. */
  | { outcome: 'incomplete'; progress: Progress; problems: VerificationProblem[] }
  | CarrierFailure;

export type RegistrationState = {
  state: 'submitted' | 'in_review' | 'approved' | 'rejected' | 'canceled';
  problems: VerificationProblem[];
  /** Who must act while it is open. `contact`: a person must confirm a code or an email. */
  waiting_for: 'you' | 'contact' | 'carrier' | null;
  editable_until: Date | null;
  expires_at: Date | null;
  /** The carrier accepted one part and waits for the next: advance must be called again. */
  ready_to_advance: boolean;
};

export type StateResult =
  | ({ outcome: 'known' } & RegistrationState)
  /** A status that the adapter does not know: the verification keeps its state, and the word is logged. */
  | { outcome: 'unclear'; word: string }
  | { outcome: 'absent' }
  | CarrierFailure;

export type RequirementResult =
  | {
      outcome: 'found';
      set: Omit<RequirementSet, 'provider' | 'kind' | 'country_code' | 'number_type' | 'needed'>;
    }
  | { outcome: 'not_needed' }
  /** `detail` says what is missing, in words for the operator. */
  | { outcome: 'not_supported'; detail: string }
  | CarrierFailure;

export type RegistrationPort = {
  /** Empty where the carrier registers only in its own console. */
  kinds: readonly RegistrationKind[];
  requirements(query: RegistrationQuery): Promise<RequirementResult>;
  /**
   * Does the next step: at most one request that changes something at the carrier. The feature stores the new progress before
   * the next call. `may_be_done`: an earlier call of this step may have reached the carrier and its answer was lost, so look
   * for the object before creating it. A brand or campaign costs money: never create one again without looking.
   */
  advance(
    request: RegistrationRequest,
    progress: Progress,
    options: { may_be_done: boolean },
  ): Promise<AdvanceResult>;
  state(progress: Progress, kind: RegistrationKind): Promise<StateResult>;
  /** Deletes at the carrier what is not approved. Succeeds when there is nothing to delete. */
  cancel(progress: Progress, kind: RegistrationKind): Promise<{ outcome: 'done' } | CarrierFailure>;
  /** The progress of something that was registered in the carrier's console. */
  adopt(reference: {
    kind: RegistrationKind;
    provider_verification_id: string;
  }): Promise<
    | { outcome: 'found'; progress: Progress; service_reference: string | null }
    | { outcome: 'absent' }
    | CarrierFailure
  >;
};

// ---- messaging services

export type SmsRegistrationReport = { state: SmsRegistrationState; reason: string | null };

export type MessagingPort = {
  /**
   * The organization's messaging service or profile; created once and found by its name afterwards. A campaign that has a
   * service of its own replaces it for the numbers that join the campaign.
   */
  ensureService(
    organization_id: string,
  ): Promise<{ outcome: 'done'; service_reference: string } | CarrierFailure>;
  /**
   * Idempotent. Texts to the number still arrive at our callback URL. A number that somebody put into another service in the
   * carrier's console stays there; the result then names that service.
   */
  attach(
    number: NumberAtCarrier,
    service_reference: string,
  ): Promise<{ outcome: 'done'; service_reference?: string } | CarrierFailure>;
  /** Idempotent; null detaches. Returns the service that the number is in afterwards. */
  attachCampaign(
    number: NumberInService,
    campaign: Progress | null,
  ): Promise<{ outcome: 'done'; service_reference: string | null } | CarrierFailure>;
  /** `registration`: the approved campaign or toll-free verification of the number, if there is one. */
  registration(
    number: NumberInService & { country_code: string; number_type: NumberType },
    registration: Progress | null,
  ): Promise<({ outcome: 'known' } & SmsRegistrationReport) | CarrierFailure>;
};
