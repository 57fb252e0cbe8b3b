// The types of admission: the request to send something, the verdict of each check, and the decision.
import type { Channel } from '@parley/contract/access/admin';
import type { CallEndReason } from '@parley/contract/channels/calls/call-records';
import type { CheckName } from '@parley/contract/rules/admission-checks';
import type { ApprovalChannel } from '@parley/contract/rules/approvals/approval-policy';
import type { Hold, Purpose } from '@parley/contract/rules/approvals/hold';
import type { ChargedItem } from '@parley/contract/rules/spending/funds';
import type { Transaction } from '../../../platform/db/database.ts';
import type { ApiError } from '../../../platform/http/api-error.ts';
import type { CountedUse, CountingCondition } from '../budgets/index.ts';
import type { ConsentCondition } from '../consents/index.ts';
import type { Principal } from './principal.ts';
import type { Admitted } from './proof.ts';

/** `create`: early, so that the caller gets a quick response. `hand_over`: right before the provider is called, and final. */
export type Stage = 'create' | 'hand_over';

/** The cause of the request. `inbound_call`: an agent would answer an incoming call. `system`: mail of the service itself. */
export type Origin = 'api' | 'agent' | 'keyword' | 'forward' | 'inbound_call' | 'system';

/** Why the recipient may be contacted. */
export type ConsentBasis = 'warranted' | 'inbound_message' | 'configured' | 'service';

/** What leaves the service, as a person is shown it for approval. An approval is valid for exactly this. */
export type Payload = {
  from: string | null;
  to: readonly string[];
  cc: readonly string[];
  bcc: readonly string[];
  subject: string | null;
  /** The text of a message, or the instructions of a call. */
  body_text: string | null;
  body_html: string | null;
  attachments: readonly { filename: string; size_bytes: number; sha256: string }[];
  /** Everything else that changes what the recipient gets, such as headers or the plan of a call. */
  more: Readonly<Record<string, unknown>>;
  scheduled_at: string | null;
};

/** Stored with a record when they are not the defaults, because the hand-over needs them and the record has no column. */
export type SendingTerms = {
  purpose: Purpose;
  principal: Principal | null;
  /** The approval that released the record; null when none was needed. */
  approval_id: string | null;
  /** Counted by budgets at the hand-over, because the record was held when it was created. */
  is_counted_at_hand_over: boolean;
  /** What budgets counted for it: given back when it is canceled before it is sent. Left out when nothing was counted. */
  counted?: readonly CountedUse[];
  /** How many messages the batch of the record has; missing for a record of its own. */
  batch_size?: number;
  /** When a limit of recipients first deferred it; missing when none did. */
  limited_since?: string;
};

/** Why a person must approve something, whatever the policy of the organization says. */
export type ApprovalNeed = { code: string; message: string };

export type AdmissionRequest = {
  /** Null for mail of the service itself. */
  organization_id: string | null;
  channel: Channel;
  origin: Origin;
  /** Addresses or E.164 numbers. */
  recipients: readonly string[];
  consent: ConsentBasis;
  /** The credential that was issued with the confirmation; missing when the request itself confirms it. */
  consent_by?: string;
  /** The carrier of a call or text message; null before one is chosen. */
  provider?: string | null;
  /** The suppressed ones of the recipients, or a function that loads them. */
  suppressed?: readonly string[] | (() => Promise<readonly string[]>);
  /** The charge. `reference` is the id of the record, so that it is charged once. */
  charge?: { item: ChargedItem; quantity: number; reference: string };
  /** Calls: the request has its own language model. */
  has_own_llm?: boolean;
  /** Only checks whether it could be created now: nothing is counted or charged. */
  is_dry_run?: boolean;
  /** The record; null for mail of the service itself and for a trial. */
  record?: { noun: 'call' | 'email' | 'sms'; id: string };
  /** The conversation of the record; needed where the sender may write in one conversation only. */
  conversation_id?: string;
  /** The batch that the record was created in, and how many messages it has: a person decides about them together. */
  batch?: { id: string; size: number };
  /** Who sends; null for mail of the service itself. */
  principal?: Principal | null;
  /** Default: conversational. */
  purpose?: Purpose;
  /** Create only: the reply of an agent that waits for a person, also without a policy. */
  needs_approval?: ApprovalNeed | null;
  /** Create only: the requested time. */
  scheduled_at?: string | null;
  /** Built only when a person must approve it, or to compare it with what was approved. */
  payload?: () => Payload | Promise<Payload>;
  /** Forwards and calls: an earlier attempt was counted. */
  was_counted?: boolean;
  /** Calls are checked twice before they are dialed: recipients and budgets are counted by the second check. */
  is_counted_later?: boolean;
  /** Hand-over of a call: its maximum length, which a budget may cut. */
  longest_minutes?: number;
  /** Create only: the statement that stores the record tests the `conditions` of the decision, which saves a query. */
  tests_conditions?: boolean;
  /** Hand-over only: the stored terms of the record. */
  terms?: SendingTerms | null;
};

/** What an approval policy can hold back: also changes that send nothing themselves. */
export type GatedRequest = Omit<AdmissionRequest, 'channel' | 'record'> & {
  channel: ApprovalChannel;
  record?: { noun: 'call' | 'email' | 'sms' | 'number' | 'forward_address' | 'configuration'; id: string };
};

/** The end reason of a call that a check stops. */
export type RefusalReason = Extract<
  CallEndReason,
  'not_allowed' | 'insufficient_funds' | 'llm_not_configured'
>;

/** Tested by the statement that stores the record. When it does not hold, the caller asks again without `tests_conditions`. */
export type Condition = ConsentCondition | CountingCondition;

/** `in_statement`: the statement that stores the record is all that runs in its transaction, so it may count. */
export type Reserve = (how: { in_statement: boolean }) => Promise<Reserved>;
export type Reserved =
  | {
      outcome: 'reserved';
      /** Reserved only when this holds. */
      condition?: Condition;
      /** Counts in the transaction that stores the record; it throws an ApiError when the limit is reached meanwhile. */
      commit?: (tx: Transaction) => Promise<void>;
      counted?: readonly CountedUse[];
      /** A call must not last longer. The shortest of all checks applies. */
      max_duration_seconds?: number;
    }
  | { outcome: 'refuse'; reason: RefusalReason; error: ApiError };

export type Verdict =
  /** `commit` must run in the transaction that stores the record; it throws an ApiError when a limit is reached. */
  | {
      outcome: 'allow';
      detail?: string;
      commit?: (tx: Transaction) => Promise<void>;
      /**
       * Create only: like `commit`, but not run for a record that is held. Such a record has `is_counted_at_hand_over` in
       * its terms, and the check returns a `commit` at the hand-over.
       */
      commit_unless_held?: (tx: Transaction) => Promise<void>;
      /** Takes back what `commit_unless_held` counted: for a stored record that a rule holds back after all. */
      giveBack?: (tx: Transaction) => Promise<void>;
      /** Must be tested by the statement that stores the record; only for a request with `tests_conditions`. */
      condition?: Condition;
      /** Runs after all checks have passed, but not for a new record that is held: counts what is limited. */
      reserve?: Reserve;
    }
  /** The check does not apply. */
  | { outcome: 'skip' }
  /** Waits. A new record is stored with this hold; a stored one is not handed over. `commit` as for `allow`. */
  | { outcome: 'hold'; hold: Hold; detail?: string; commit?: (tx: Transaction) => Promise<void> }
  /** May be sent later, but a new record is refused. */
  | { outcome: 'defer'; retry_after_seconds: number; error: ApiError }
  | { outcome: 'refuse'; reason: RefusalReason; error: ApiError };

/** One rule. It returns a promise only when it needs I/O: most sends wait for no check. */
export type Check = {
  name: CheckName;
  run(stage: Stage, request: AdmissionRequest): Verdict | Promise<Verdict>;
};

export type CheckResult = { name: CheckName; outcome: Verdict['outcome']; detail?: string };

export type Stopped = {
  outcome: 'defer' | 'refuse';
  /** Which check stopped it. */
  check: CheckName;
  reason: RefusalReason;
  /** The response to a caller that waits. */
  error: ApiError;
  retry_after_seconds: number;
  /** Why a stored record waits now; null when it was refused. */
  hold: Hold | null;
  /** Stored with the hold; null when the record keeps its terms. */
  terms: SendingTerms | null;
  /** Must run in the transaction that stores the hold. */
  commit: ((tx: Transaction) => Promise<void>) | null;
  checks: CheckResult[];
};
export type CreateDecision =
  | {
      outcome: 'allow';
      /** Null: hand it over now. Otherwise the record is stored with this hold, and released later. */
      hold: Hold | null;
      checks: CheckResult[];
      /** Counts and charges in the transaction of the record; null when there is nothing to count or charge. */
      commit: ((tx: Transaction) => Promise<void>) | null;
      /** For the transaction that holds back a stored record: takes back what `commit` counted, except for budgets. */
      giveBack: ((tx: Transaction) => Promise<void>) | null;
      /** What budgets counted; see `SendingTerms`. */
      counted: readonly CountedUse[];
      /** Of a request with `tests_conditions`. */
      conditions: readonly Condition[];
    }
  | Stopped;
export type HandOverDecision =
  | {
      outcome: 'allow';
      checks: CheckResult[];
      commit: ((tx: Transaction) => Promise<void>) | null;
      /** Valid for one call of the provider. */
      admitted: Admitted;
      counted: readonly CountedUse[];
      /** A call must not last longer; null when no check limits it. */
      max_duration_seconds: number | null;
    }
  | Stopped;

/** The text that is stored with the record. It has no times, so that equal decisions are equal texts in a batch. */
export const admissionText = (decision: CreateDecision | HandOverDecision): string => {
  const { outcome, checks } = decision;
  const is_held = outcome === 'allow' && 'hold' in decision && decision.hold !== null;
  return JSON.stringify({ outcome: is_held ? 'hold' : outcome, checks });
};

/** For timelines and logs: which check stopped it, and why. */
export const stoppedBecause = ({ check, error }: Stopped): { check: CheckName; detail: string } => ({
  check,
  detail: error.message,
});
