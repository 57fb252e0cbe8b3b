// Approvals of tool calls: the agent waits until a person decides about exactly this tool and these arguments.
import { type Approval, approvalLifecycle } from '@parley/contract/rules/approvals/approvals';
import type { Transaction } from '../../../platform/db/database.ts';
import type { Payload } from '../admission/index.ts';
import { type GateDeps, payloadHash, storeApproval } from './gate.ts';
import type { Reason } from './rules.ts';
import type { ApprovalTerms, StoredApproval } from './store.ts';

export type ToolApprovalRequest = {
  organization_id: string;
  agent_id: string | null;
  /** The program that created the agent. */
  requester: NonNullable<ApprovalTerms['requester']> | null;
  tool_call_id: string;
  payload: Payload;
  reason: Reason;
  expires_in_seconds: number;
  /** Whether approvers also get a link by mail: not during a call, which cannot wait that long. */
  by_link: boolean;
};

const rule_name = 'Tools of agents';

/** In the transaction that stores the tool call. Throws when too many approvals wait. */
export async function requestToolApproval(
  deps: GateDeps,
  tx: Transaction,
  request: ToolApprovalRequest,
): Promise<{ approval_id: string; expires_at: string }> {
  const { organization_id, agent_id, tool_call_id, expires_in_seconds } = request;
  const now = deps.clock.now();
  const { version } = await deps.rules.of(organization_id);
  const visible_payload = JSON.parse(JSON.stringify(request.payload)) as Payload;
  const approval: StoredApproval = {
    id: deps.ids.next(),
    organization_id,
    status: approvalLifecycle.initial,
    object: { noun: 'tool_call', id: tool_call_id },
    payload_sha256: payloadHash(visible_payload),
    quoted_price_micros: 0,
    shown: visible_payload as Approval['shown'],
    messages: [],
    reasons: [request.reason],
    rule: rule_name,
    policy_version: version,
    requested_by: { kind: 'agent', credential_id: null, agent_id },
    requested_at: now.toISOString(),
    expires_at: new Date(now.getTime() + expires_in_seconds * 1000).toISOString(),
    decided_at: null,
    decided_by: null,
    decided_via: null,
    note: null,
    content_erased_at: null,
    terms: {
      approvers: [{ kind: 'role', id: 'admin' }],
      decide_by: request.by_link ? ['console', 'link'] : ['console'],
      expires_in_seconds,
      charges: [],
      payloads: null,
      ...(request.requester ? { requester: request.requester } : {}),
    },
  };
  await storeApproval(deps, tx, approval);
  return { approval_id: approval.id, expires_at: approval.expires_at };
}
