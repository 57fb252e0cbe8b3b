// A limit that is found to be reached only while it is counted, in the transaction of the record.

import type { ErrorCode } from '@parley/contract/errors';
import type { CheckName } from '@parley/contract/rules/admission-checks';
import type { Hold } from '@parley/contract/rules/approvals/hold';
import type { Database } from '../../../../platform/db/database.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { HandOverDecision, SendingTerms, Stopped } from '../admission.ts';

type Allowed = Extract<HandOverDecision, { outcome: 'allow' }>;

/** Which check counts with an error of this code. */
const checks_by_code: Partial<Record<ErrorCode, CheckName>> = {
  new_recipient_capped: 'recipients',
  recipient_capped: 'recipients',
  velocity_capped: 'velocity',
  budget_exceeded: 'budget',
  insufficient_funds: 'funds',
  too_many_approvals: 'approval',
};

/** Thrown by a `commit` at the hand-over: the limit that it reached lets the record wait, with these terms. */
export class WaitsAtCommit extends ApiError {
  readonly hold: Hold;
  readonly terms: SendingTerms;

  constructor({ code, options }: ApiError, { hold, terms }: { hold: Hold; terms: SendingTerms }) {
    super(code, options);
    this.hold = hold;
    this.terms = terms;
  }
}

/** The decision that replaces an allowed one whose `commit` threw this error. */
export function refusedAtCommit({ checks }: Pick<Allowed, 'checks'>, error: ApiError): Stopped {
  const check = checks_by_code[error.code] ?? 'velocity';
  const before = checks.filter(({ name }) => name !== check);
  if (error instanceof WaitsAtCommit) return waitsAtCommit(check, error, before);
  return {
    outcome: 'refuse',
    check,
    reason: error.code === 'insufficient_funds' ? 'insufficient_funds' : 'not_allowed',
    error,
    retry_after_seconds: 0,
    hold: null,
    terms: null,
    commit: null,
    checks: [...before, { name: check, outcome: 'refuse', detail: error.code }],
  };
}

const waitsAtCommit = (check: CheckName, error: WaitsAtCommit, before: Stopped['checks']): Stopped => ({
  outcome: 'defer',
  check,
  reason: 'not_allowed',
  error: new ApiError('held', { detail: error.hold.message }),
  retry_after_seconds: error.options.retry_after_seconds ?? 0,
  hold: error.hold,
  terms: error.terms,
  commit: null,
  checks: [...before, { name: check, outcome: 'hold', detail: error.code }],
});

/** Counts an allowed hand-over in a transaction of its own. */
export async function countHandOver(db: Database, decision: HandOverDecision): Promise<HandOverDecision> {
  if (decision.outcome !== 'allow' || !decision.commit) return decision;
  try {
    await db.transaction(decision.commit);
    return decision;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return refusedAtCommit(decision, error);
  }
}
