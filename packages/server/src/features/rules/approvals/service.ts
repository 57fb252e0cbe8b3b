// Approvals for callers: read, wait for a decision, and decide.
import type {
  Approval,
  ApprovalApprove,
  ApprovalReject,
  ApprovalStatus,
} from '@parley/contract/rules/approvals/approvals';
import type { PageRequest } from '../../../platform/db/page.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import { type Context, isPerson } from '../../../platform/http/context.ts';
import { type Waiters, waiters } from '../../../platform/http/waiters.ts';
import type { SystemMailSender } from '../../../platform/system-mail.ts';
import { actorOf } from '../../access/audit/index.ts';
import type { ApproverStore } from './approvers/approver-store.ts';
import { requireMayDecide } from './approvers/approvers.ts';
import { approve, type Decision, type DecisionDeps, reject } from './decisions.ts';
import { presentApproval, type StoredApproval } from './store.ts';

export type ApprovalServiceDeps = DecisionDeps & {
  approvers: ApproverStore;
  mail: Pick<SystemMailSender, 'isReceivedHere'>;
  draining: AbortSignal;
};
type Deps = ApprovalServiceDeps & { waiting: Waiters };

export function approvalService(service_deps: ApprovalServiceDeps) {
  const waiting = waiters({ per_process: 500, per_organization: 50, draining: service_deps.draining });
  const deps: Deps = { ...service_deps, waiting };
  return {
    notify: waiting.notify,
    list: (organization_id: string, query: PageRequest & { status?: ApprovalStatus | undefined }) =>
      deps.store.list(organization_id, query),
    get: (context: Context, id: string, wait_seconds: number) => get(deps, context, id, wait_seconds),

    async approve(context: Context, id: string, body: ApprovalApprove): Promise<Approval> {
      const approval = await requireMine(deps, context, id);
      const decided = await approve(deps, approval, body.payload_sha256, decisionOf(context, body));
      waiting.notify(context.organization_id);
      return presentApproval(decided);
    },

    async reject(context: Context, id: string, body: ApprovalReject): Promise<Approval> {
      const approval = await requireMine(deps, context, id);
      const decided = await reject(deps, approval, decisionOf(context, body));
      waiting.notify(context.organization_id);
      return presentApproval(decided);
    },
  };
}
export type ApprovalService = ReturnType<typeof approvalService>;

async function found(deps: Deps, organization_id: string, id: string): Promise<StoredApproval> {
  const approval = await deps.store.find(organization_id, id);
  if (!approval) throw new ApiError('not_found');
  return approval;
}

async function requireMine(deps: Deps, context: Context, id: string): Promise<StoredApproval> {
  const approval = await found(deps, context.organization_id, id);
  const { terms, requested_by } = approval;
  await requireMayDecide(deps, context.caller, {
    ...terms,
    requester: { ...requested_by, ...terms.requester },
  });
  return approval;
}

const decisionOf = (context: Context, { note }: ApprovalReject): Decision => ({
  actor: actorOf(context),
  decided_by: context.caller.identity.email ?? context.caller.credential_id,
  via: isPerson(context.caller) ? 'console' : 'key',
  note: note || null,
});

async function get(deps: Deps, context: Context, id: string, wait_seconds: number): Promise<Approval> {
  const { organization_id } = context;
  const approval = await found(deps, organization_id, id);
  if (approval.status !== 'pending' || wait_seconds === 0) return presentApproval(approval);
  const decided = await deps.waiting.until(
    organization_id,
    async () => {
      const now = await found(deps, organization_id, id);
      return now.status === 'pending' ? null : now;
    },
    { timeout_ms: wait_seconds * 1000, onClose: context.onClose },
  );
  return presentApproval(decided ?? (await found(deps, organization_id, id)));
}
