// The HTTP operations of approvals, the approval policy and trusted recipients.
import { approvalPolicy, trustedRecipients } from '@parley/contract/rules/approvals/approval-policy';
import { approvals } from '@parley/contract/rules/approvals/approvals';
import { routesOf } from '../../../platform/http/context.ts';
import type { PolicyService } from './policy.ts';
import type { ApprovalService } from './service.ts';

export const approvalRoutes = (service: ApprovalService, policy: PolicyService) => [
  routesOf(approvals, {
    list: ({ query }, context) => service.list(context.organization_id, query),
    get: ({ params, query }, context) => service.get(context, params.approval_id, query.wait_seconds),
    approve: ({ params, body }, context) => service.approve(context, params.approval_id, body),
    reject: ({ params, body }, context) => service.reject(context, params.approval_id, body),
  }),
  routesOf(approvalPolicy, {
    get: (_, context) => policy.get(context.organization_id),
    set: ({ body }, context) => policy.set(context, body),
    dry_run: ({ body }, context) => policy.dryRun(context, body),
  }),
  routesOf(trustedRecipients, {
    get: (_, context) => policy.trusted(context.organization_id),
    set: ({ body }, context) => policy.setTrusted(context, body),
  }),
];
