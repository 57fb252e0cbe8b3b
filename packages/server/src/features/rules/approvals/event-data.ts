// The data of the events of approvals.
import type { ApprovalEventData } from '@parley/contract/rules/approvals/approval-events';
import type { Approval } from '@parley/contract/rules/approvals/approvals';

/** Without what would be sent: whoever receives events may not read every message. */
export const eventData = (approval: Approval): ApprovalEventData => ({
  id: approval.id,
  status: approval.status,
  object: approval.object,
  rule: approval.rule,
  quoted_price_micros: approval.quoted_price_micros,
  requested_by: approval.requested_by,
  expires_at: approval.expires_at,
  decided_at: approval.decided_at,
  decided_by: approval.decided_by,
  note: approval.note,
});
