// The events of approvals.
import { z } from 'zod';
import { defineEvents } from '../../event.ts';
import { Timestamp, Uuid } from '../../schema/fields.ts';
import { Approval, approvalExample, approvalLifecycle, approvalObject } from './approvals.ts';

const ApprovalEventData = z
  .strictObject({
    id: Uuid.describe('The id of the approval.'),
    status: z.enum(approvalLifecycle.states),
    object: approvalObject,
    rule: z.string(),
    quoted_price_micros: z.int(),
    requested_by: Approval.shape.requested_by,
    expires_at: Timestamp,
    decided_at: Timestamp.nullable(),
    decided_by: z.string().nullable(),
    note: z.string().nullable(),
  })
  .meta({ id: 'ApprovalEventData' });
export type ApprovalEventData = z.output<typeof ApprovalEventData>;

const { id, object, rule, quoted_price_micros, requested_by, expires_at } = approvalExample;
const requested: ApprovalEventData = {
  id,
  status: 'pending',
  object,
  rule,
  quoted_price_micros,
  requested_by,
  expires_at,
  decided_at: null,
  decided_by: null,
  note: null,
};

export const approvalEvents = defineEvents({
  'approval.requested': {
    meaning:
      'A message or call waits for the decision of a person; again when its price rose after an approval.',
    data: ApprovalEventData,
    example: requested,
  },
  'approval.decided': {
    meaning: 'An approval was given or rejected, or ended because it expired or the record was canceled.',
    data: ApprovalEventData,
    example: {
      ...requested,
      status: 'approved',
      decided_at: '2026-06-06T12:05:00.000Z',
      decided_by: 'operator_key',
    },
  },
});
