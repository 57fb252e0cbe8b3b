// The words of admission: what asks to leave, what each check answers, and what is decided.
import type { Channel } from '@parley/contract/admin';
import type { CallEndReason } from '@parley/contract/call-records';
import type { ChargedItem } from '@parley/contract/funds';
import type { Transaction } from '../../platform/db/database.ts';
import type { ApiError } from '../../platform/http/api-error.ts';
import type { Admitted } from './proof.ts';

/** Early, to answer the caller at once; and right before the provider is called, which is what counts. */
export type Stage = 'create' | 'hand_over';

/** What caused it. `inbound_call`: an agent would answer a call to us. `system`: mail of the service itself. */
export type Origin = 'api' | 'agent' | 'keyword' | 'forward' | 'inbound_call' | 'system';

/** Why the recipient may be contacted. */
export type ConsentBasis = 'warranted' | 'inbound_message' | 'configured' | 'service';

export type AdmissionRequest = {
  /** Null for mail of the service itself. */
  organization_id: string | null;
  channel: Channel;
  origin: Origin;
  /** Addresses or E.164 numbers. */
  recipients: readonly string[];
  consent: ConsentBasis;
  /** The carrier of calls and texts; null while none is chosen. */
  provider?: string | null;
  /** Those of the recipients that are suppressed, as the sender's own query says, or a way to ask. */
  suppressed?: readonly string[] | (() => Promise<readonly string[]>);
  /** What it costs. `reference` names the record, so that it is charged once. */
  charge?: { item: ChargedItem; quantity: number; reference: string };
  /** Calls: the request names a language model of its own. */
  has_own_llm?: boolean;
  /** Only asks whether it could be created now: nothing is counted or charged. */
  is_trial?: boolean;
};

export const checkNames = [
  'kill_switch',
  'destination',
  'suppression',
  'consent',
  'velocity',
  'funds',
  'llm',
] as const;
export type CheckName = (typeof checkNames)[number];

/** What the record of a call ends with when a check stops it. */
export type RefusalReason = Extract<
  CallEndReason,
  'not_allowed' | 'insufficient_funds' | 'llm_not_configured'
>;

export type Verdict =
  /** `commit` must run in the transaction that stores the record; it throws an ApiError when there is no room left. */
  | { outcome: 'allow'; commit?: (tx: Transaction) => Promise<void> }
  /** The check does not apply. */
  | { outcome: 'skip' }
  /** May leave later. */
  | { outcome: 'defer'; retry_after_seconds: number; error: ApiError }
  | { outcome: 'refuse'; reason: RefusalReason; error: ApiError };

/** One rule. It answers at once where it can: most sends wait for none of them. */
export type Check = {
  name: CheckName;
  ask(stage: Stage, request: AdmissionRequest): Verdict | Promise<Verdict>;
};

export type CheckResult = { name: CheckName; outcome: Verdict['outcome']; detail?: string };

export type Stopped = {
  outcome: 'defer' | 'refuse';
  /** Which check stopped it. */
  check: CheckName;
  reason: RefusalReason;
  /** The answer to a caller who waits for one. */
  error: ApiError;
  retry_after_seconds: number;
  checks: CheckResult[];
};
export type CreateDecision =
  | {
      outcome: 'allow';
      checks: CheckResult[];
      /** What is counted and charged with the record; null when nothing is. */
      commit: ((tx: Transaction) => Promise<void>) | null;
    }
  | Stopped;
export type HandOverDecision =
  | {
      outcome: 'allow';
      checks: CheckResult[];
      commit: ((tx: Transaction) => Promise<void>) | null;
      /** Good for one call of the provider. */
      admitted: Admitted;
    }
  | Stopped;

/** As it is kept on the record. Without times: the same decision is the same text, which groups of rows share. */
export const admissionText = ({ outcome, checks }: CreateDecision | HandOverDecision): string =>
  JSON.stringify({ outcome, checks });

/** For timelines and logs: which rule, and in which words. */
export const stoppedBecause = ({ check, error }: Stopped): { check: CheckName; detail: string } => ({
  check,
  detail: error.message,
});
