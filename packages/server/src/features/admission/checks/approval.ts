// The last check: the approval policy of the organization. What a rule holds back waits for a person.
import type { AdmissionRequest, Check, Stage, Verdict } from '../admission.ts';

/** Built by the feature of approvals. */
export type ApprovalGate = { judge(stage: Stage, request: AdmissionRequest): Verdict | Promise<Verdict> };

/** The reply to STOP is required by law; forwards go only to addresses whose owners confirmed them. */
const exempt_origins: ReadonlySet<AdmissionRequest['origin']> = new Set([
  'keyword',
  'forward',
  'inbound_call',
  'system',
]);

export const approvalCheck = (gate: ApprovalGate): Check => ({
  name: 'approval',
  run(stage, request) {
    if (request.organization_id === null || request.is_dry_run || exempt_origins.has(request.origin)) {
      return { outcome: 'skip' };
    }
    return gate.judge(stage, request);
  },
});
