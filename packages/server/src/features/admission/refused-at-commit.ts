// A limit that is found to be reached only while it is counted, in the transaction of the record.
import type { CheckName } from '@parley/contract/admission-checks';
import type { ErrorCode } from '@parley/contract/errors';
import type { Database } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import type { HandOverDecision, Stopped } from './admission.ts';

type Allowed = Extract<HandOverDecision, { outcome: 'allow' }>;

/** Which check counts with an error of this code. */
const checks_by_code: Partial<Record<ErrorCode, CheckName>> = {
  velocity_capped: 'velocity',
  budget_exceeded: 'budget',
  insufficient_funds: 'funds',
  too_many_approvals: 'approval',
};

/** The decision that replaces an allowed one whose `commit` threw this error. */
export function refusedAtCommit({ checks }: Pick<Allowed, 'checks'>, error: ApiError): Stopped {
  const check = checks_by_code[error.code] ?? 'velocity';
  return {
    outcome: 'refuse',
    check,
    reason: error.code === 'insufficient_funds' ? 'insufficient_funds' : 'not_allowed',
    error,
    retry_after_seconds: 0,
    hold: null,
    terms: null,
    commit: null,
    checks: [
      ...checks.filter(({ name }) => name !== check),
      { name: check, outcome: 'refuse', detail: error.code },
    ],
  };
}

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
