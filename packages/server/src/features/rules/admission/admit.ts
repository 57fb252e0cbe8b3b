// Decides whether something may be sent: runs every check in order, until one stops it.
import type { CheckName } from '@parley/contract/rules/admission-checks';
import type { Hold } from '@parley/contract/rules/approvals/hold';
import type { Clock } from '../../../platform/clock.ts';
import type { Transaction } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Tracing } from '../../../platform/tracing/trace.ts';
import type { CountedUse } from '../budgets/index.ts';
import type {
  AdmissionRequest,
  Check,
  CheckResult,
  Condition,
  CreateDecision,
  HandOverDecision,
  Reserve,
  Stage,
  Stopped,
  Verdict,
} from './admission.ts';
import { firstHold, killSwitchHold, scheduleHold } from './holds/holds.ts';
import { issueProof } from './proof.ts';

/** `create`: early, so that the caller gets a quick response. `hand_over`: right before the provider is called, and final. */
export type Admit = {
  (stage: 'create', request: AdmissionRequest): Promise<CreateDecision>;
  (stage: 'hand_over', request: AdmissionRequest): Promise<HandOverDecision>;
};

type Commit = (tx: Transaction) => Promise<void>;

export function admitBy(checks: readonly Check[], clock: Clock): Admit {
  const admit = async (
    stage: Stage,
    request: AdmissionRequest,
  ): Promise<CreateDecision | HandOverDecision> => {
    const results: CheckResult[] = [];
    const commits: Commit[] = [];
    const unless_held: Commit[] = [];
    const give_back: Commit[] = [];
    const holds: Hold[] = [];
    const conditions: Condition[] = [];
    const reserves: NamedReserve[] = [];
    for (const { name, run } of checks) {
      const result = run(stage, request);
      const verdict = result instanceof Promise ? await result : result;
      if (verdict.outcome === 'defer' || verdict.outcome === 'refuse')
        return stoppedBy(name, verdict, results, clock);
      const { outcome } = verdict;
      if (outcome === 'skip') {
        results.push({ name, outcome });
        continue;
      }
      results.push(
        verdict.detail === undefined ? { name, outcome } : { name, outcome, detail: verdict.detail },
      );
      if (verdict.commit) commits.push(verdict.commit);
      if (verdict.outcome !== 'hold') {
        if (verdict.condition) conditions.push(verdict.condition);
        if (verdict.commit_unless_held) unless_held.push(verdict.commit_unless_held);
        if (verdict.giveBack) give_back.push(verdict.giveBack);
        if (verdict.reserve) reserves.push({ name, reserve: verdict.reserve });
        continue;
      }
      if (stage === 'hand_over')
        // Without what the other checks count: that happens when the record is sent.
        return heldBy(name, verdict.hold, results, { commit: verdict.commit ?? null, clock });
      holds.push(verdict.hold);
    }
    if (request.scheduled_at && stage === 'create') holds.push(scheduleHold(request.scheduled_at));
    const hold = firstHold(holds);
    const in_statement = request.tests_conditions === true && commits.length + unless_held.length === 0;
    const reserved = hold ? nothing_reserved : await reserveAll(reserves, results, { clock, in_statement });
    if ('stopped' in reserved) return reserved.stopped;
    const { max_duration_seconds, counted } = reserved;
    if (stage === 'hand_over') {
      const admitted = issueProof(request.channel, request.recipients);
      const commit = joined([...reserved.commits, ...commits]);
      return { outcome: 'allow', checks: results, commit, admitted, counted, max_duration_seconds };
    }
    const commit = joined(hold ? commits : [...reserved.commits, ...commits, ...unless_held]);
    const all = [...conditions, ...reserved.conditions];
    const giveBack = hold ? null : joined(give_back);
    return { outcome: 'allow', hold, checks: results, commit, giveBack, counted, conditions: all };
  };
  return admit as Admit;
}

type NamedReserve = { name: CheckName; reserve: Reserve };
type AllReserved = {
  commits: readonly Commit[];
  max_duration_seconds: number | null;
  counted: readonly CountedUse[];
  conditions: readonly Condition[];
};
const nothing_reserved: AllReserved = {
  commits: [],
  max_duration_seconds: null,
  counted: [],
  conditions: [],
};

async function reserveAll(
  reserves: readonly NamedReserve[],
  results: CheckResult[],
  { clock, in_statement }: { clock: Clock; in_statement: boolean },
): Promise<AllReserved | { stopped: Stopped }> {
  if (reserves.length === 0) return nothing_reserved;
  const commits: Commit[] = [];
  let max_duration_seconds: number | null = null;
  const uses: CountedUse[] = [];
  const conditions: Condition[] = [];
  for (const { name, reserve } of reserves) {
    const reserved = await reserve({ in_statement });
    if (reserved.outcome === 'refuse') {
      const before = results.filter((result) => result.name !== name);
      return { stopped: stoppedBy(name, reserved, before, clock) };
    }
    if (reserved.commit) commits.push(reserved.commit);
    if (reserved.counted) uses.push(...reserved.counted);
    if (reserved.condition) conditions.push(reserved.condition);
    max_duration_seconds = shorter(max_duration_seconds, reserved.max_duration_seconds);
  }
  return { commits, max_duration_seconds, counted: uses, conditions };
}

const shorter = (a: number | null, b: number | undefined): number | null =>
  b === undefined ? a : a === null ? b : Math.min(a, b);

const joined = (commits: readonly Commit[]): Commit | null =>
  commits.length === 0
    ? null
    : async (tx) => {
        for (const commit of commits) await commit(tx);
      };

function stoppedBy(
  check: CheckName,
  verdict: Extract<Verdict, { outcome: 'defer' | 'refuse' }>,
  before: readonly CheckResult[],
  clock: Clock,
): Stopped {
  const { outcome, error } = verdict;
  const stopped = { check, error, commit: null, terms: null };
  const checks = [...before, { name: check, outcome, detail: error.code }];
  if (outcome === 'refuse')
    return { ...stopped, outcome, reason: verdict.reason, retry_after_seconds: 0, hold: null, checks };
  const { retry_after_seconds } = verdict;
  const until = new Date(clock.ms() + retry_after_seconds * 1000).toISOString();
  const hold = killSwitchHold(until);
  return { ...stopped, outcome, reason: 'not_allowed', retry_after_seconds, hold, checks };
}

/** At the hand-over: a rule that did not apply when the record was created holds it back now. */
const heldBy = (
  check: CheckName,
  hold: Hold,
  checks: CheckResult[],
  { commit, clock }: { commit: Commit | null; clock: Clock },
): Stopped => ({
  outcome: 'defer',
  check,
  reason: 'not_allowed',
  error: new ApiError('held', { detail: hold.message }),
  retry_after_seconds: hold.until ? Math.max(1, (Date.parse(hold.until) - clock.ms()) / 1000) : 0,
  hold,
  terms: null,
  commit,
  checks,
});

/** One span per decision. */
export function tracedAdmit(tracing: Tracing | null, admit: Admit): Admit {
  if (!tracing) return admit;
  const run = (stage: Stage, request: AdmissionRequest) =>
    tracing.span('admission', {}, async (span) => {
      const decision = await (stage === 'create' ? admit(stage, request) : admit(stage, request));
      span.set({
        'parley.organization_id': request.organization_id,
        'parley.channel': request.channel,
        'parley.stage': stage,
        'parley.outcome': decision.outcome,
        ...(decision.outcome === 'allow'
          ? {}
          : { 'parley.check': decision.check, 'parley.code': decision.error.code }),
      });
      return decision;
    });
  return run as Admit;
}
