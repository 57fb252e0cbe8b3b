// The last check: the approval policy of the organization. What a rule holds back waits for a person.
import type { AdmissionRequest, Check, Stage, Verdict } from '../admission.ts';
import { exempt_origins } from '../exempt-origins.ts';

/** Built by the feature of approvals. */
export type ApprovalGate = { judge(stage: Stage, request: AdmissionRequest): Verdict | Promise<Verdict> };

export const approvalCheck = (gate: ApprovalGate): Check => ({
  name: 'approval',
  run(stage, request) {
    if (request.organization_id === null || request.is_dry_run || exempt_origins.has(request.origin)) {
      return { outcome: 'skip' };
    }
    return gate.judge(stage, request);
  },
});
