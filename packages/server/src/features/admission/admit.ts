// Decides whether something may be sent: runs every check in order, until one stops it.
import type { Transaction } from '../../platform/db/database.ts';
import type { Tracing } from '../../platform/tracing/trace.ts';
import type {
  AdmissionRequest,
  Check,
  CheckResult,
  CreateDecision,
  HandOverDecision,
  Stage,
  Verdict,
} from './admission.ts';
import { issueProof } from './proof.ts';

/** `create`: early, so that the caller gets a quick response. `hand_over`: right before the provider is called, and final. */
export type Admit = {
  (stage: 'create', request: AdmissionRequest): Promise<CreateDecision>;
  (stage: 'hand_over', request: AdmissionRequest): Promise<HandOverDecision>;
};

export function admitBy(checks: readonly Check[]): Admit {
  const admit = async (
    stage: Stage,
    request: AdmissionRequest,
  ): Promise<CreateDecision | HandOverDecision> => {
    const results: CheckResult[] = [];
    const commits: NonNullable<Extract<Verdict, { outcome: 'allow' }>['commit']>[] = [];
    for (const { name, run } of checks) {
      const result = run(stage, request);
      const verdict = result instanceof Promise ? await result : result;
      const { outcome } = verdict;
      if (outcome === 'defer' || outcome === 'refuse') {
        const { error } = verdict;
        results.push({ name, outcome, detail: error.code });
        return {
          outcome,
          check: name,
          reason: outcome === 'refuse' ? verdict.reason : 'not_allowed',
          error,
          retry_after_seconds: outcome === 'defer' ? verdict.retry_after_seconds : 0,
          checks: results,
        };
      }
      results.push({ name, outcome });
      if (outcome === 'allow' && verdict.commit) commits.push(verdict.commit);
    }
    const commit =
      commits.length === 0
        ? null
        : async (tx: Transaction) => {
            for (const each of commits) await each(tx);
          };
    const allowed = { outcome: 'allow', checks: results, commit } as const;
    if (stage === 'create') return allowed;
    return { ...allowed, admitted: issueProof(request.channel, request.recipients) };
  };
  return admit as Admit;
}

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
