// Approvals: messages and calls that wait until a person decides about exactly what would be sent.
import { z } from 'zod';
import { limits, nil_uuid } from '../../limits.ts';
import { defineOperations } from '../../operation.ts';
import { pageOf, pageQuery, queryInteger, Timestamp, Uuid } from '../../schema/fields.ts';
import { defineLifecycle, type StateOf } from '../../schema/lifecycle.ts';

export const approvalLifecycle = defineLifecycle({
  subject: 'approval',
  initial: 'pending',
  states: ['pending', 'approved', 'rejected', 'expired', 'canceled'],
  moves: {
    was_approved: { from: ['pending'], to: 'approved', emits: 'approval.decided' },
    was_rejected: { from: ['pending'], to: 'rejected', emits: 'approval.decided' },
    expired: { from: ['pending'], to: 'expired', emits: 'approval.decided' },
    was_canceled: { from: ['pending'], to: 'canceled', emits: 'approval.decided' },
    became_dearer: { from: ['approved'], to: 'pending', emits: 'approval.requested' },
  },
});
export type ApprovalStatus = StateOf<typeof approvalLifecycle>;

export const approvalNouns = [
  'call',
  'email',
  'sms',
  'email_batch',
  'number',
  'forward_address',
  'tool_call',
  'configuration',
] as const;

const Shown = z
  .strictObject({
    from: z.string().nullable(),
    to: z.array(z.string()),
    cc: z.array(z.string()),
    bcc: z.array(z.string()),
    subject: z.string().nullable(),
    body_text: z.string().nullable(),
    body_html: z.string().nullable(),
    attachments: z.array(z.strictObject({ filename: z.string(), size_bytes: z.int(), sha256: z.string() })),
    more: z.record(z.string(), z.unknown()).describe('Everything else that changes what the recipient gets.'),
    scheduled_at: Timestamp.nullable(),
  })
  .meta({ id: 'ApprovalPayload' });

export const approvalObject = z.strictObject({ noun: z.enum(approvalNouns), id: Uuid });

export const Approval = z
  .strictObject({
    id: Uuid,
    organization_id: Uuid,
    status: z.enum(approvalLifecycle.states),
    object: approvalObject.describe('The record that waits.'),
    payload_sha256: z
      .string()
      .describe('SHA-256 of the canonical JSON (RFC 8785) of what would be sent, in base64url.'),
    quoted_price_micros: z.int().describe('The price by the price list when the approval was requested.'),
    shown: Shown.describe('Everything that would be sent. For a batch: its first message; see messages.'),
    messages: z.array(Shown).describe('All messages of a batch; empty otherwise.'),
    reasons: z.array(z.strictObject({ code: z.string(), message: z.string() })),
    rule: z.string(),
    policy_version: z.int(),
    requested_by: z.strictObject({
      kind: z.string(),
      credential_id: z.string().nullable(),
      agent_id: Uuid.nullable(),
    }),
    requested_at: Timestamp,
    expires_at: Timestamp,
    decided_at: Timestamp.nullable(),
    decided_by: z.string().nullable().describe('The person or key that decided; null for the service.'),
    decided_via: z.enum(['console', 'link', 'key']).nullable(),
    note: z.string().nullable(),
    content_erased_at: Timestamp.nullable().describe(
      'When subject, text, HTML and attachments were removed from shown and messages: some time after the decision.',
    ),
  })
  .meta({ id: 'Approval' });
export type Approval = z.infer<typeof Approval>;

const Note = z.string().trim().max(limits.approval_note_chars).nullish();

export const ApprovalApprove = z
  .strictObject({
    payload_sha256: z.string().min(1).max(100).describe('Of the approval as you read it.'),
    note: Note,
  })
  .meta({ id: 'ApprovalApprove' });
export type ApprovalApprove = z.output<typeof ApprovalApprove>;
export const ApprovalReject = z.strictObject({ note: Note }).meta({ id: 'ApprovalReject' });
export type ApprovalReject = z.output<typeof ApprovalReject>;

export const approvalExample: Approval = {
  id: '019a8c1e-9a10-7c22-8d33-4e5f60718293',
  organization_id: nil_uuid,
  status: 'pending',
  object: { noun: 'email', id: '019a8c1e-8d20-7b55-a1c3-6e7f80911223' },
  payload_sha256: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
  quoted_price_micros: 0,
  shown: {
    from: 'ana+acme@mail.example.com',
    to: ['bob@example.org'],
    cc: [],
    bcc: [],
    subject: 'Your order',
    body_text: 'It left our house this morning.',
    body_html: null,
    attachments: [],
    more: {},
    scheduled_at: null,
  },
  messages: [],
  reasons: [{ code: 'not_vouched', message: 'Nobody vouched for bob@example.org.' }],
  rule: 'Strangers',
  policy_version: 7,
  requested_by: {
    kind: 'api_key',
    credential_id: 'key:019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e70',
    agent_id: null,
  },
  requested_at: '2026-06-06T12:00:00.000Z',
  expires_at: '2026-06-07T12:00:00.000Z',
  decided_at: null,
  decided_by: null,
  decided_via: null,
  note: null,
  content_erased_at: null,
};
const approved: Approval = {
  ...approvalExample,
  status: 'approved',
  decided_at: '2026-06-06T12:05:00.000Z',
  decided_by: 'operator_key',
  decided_via: 'console',
};

const one = { params: z.strictObject({ approval_id: Uuid }) };
const deciding = ['approval_not_yours', 'approval_already_decided'] as const;

export const approvals = defineOperations(
  'approvals',
  'Messages and calls that wait for the decision of a person.',
  {
    list: {
      method: 'GET',
      path: '/v1/approvals',
      summary: 'List approvals, newest first',
      query: z.strictObject({
        ...pageQuery,
        status: z.enum(approvalLifecycle.states).optional(),
        limit: queryInteger({
          min: 1,
          max: 50,
          default: 20,
          description: 'Maximum number of items per page.',
        }),
      }),
      success: {
        status: 200,
        body: pageOf(Approval, 'ApprovalPage'),
        example: { items: [approvalExample], next_cursor: null },
      },
    },
    get: {
      method: 'GET',
      path: '/v1/approvals/{approval_id}',
      summary: 'Read one approval, or wait for its decision',
      ...one,
      query: z.strictObject({
        wait_seconds: queryInteger({
          min: 0,
          max: limits.wait_max_seconds,
          default: 0,
          description: 'Waits at most this long while the approval is pending.',
        }),
      }),
      success: { status: 200, body: Approval, example: approvalExample },
      errors: ['too_many_waiters'],
    },
    approve: {
      method: 'POST',
      path: '/v1/approvals/{approval_id}/approve',
      summary: 'Approve exactly what the approval shows',
      description:
        'For people who are signed in and may decide, the operator key, and keys that were issued with the scope approvals:write and did not request it; the scope * is not enough. The record is released in the same transaction; all other rules are checked again when it is sent.',
      ...one,
      body: ApprovalApprove,
      body_example: { payload_sha256: approvalExample.payload_sha256 },
      success: { status: 200, body: Approval, example: approved },
      errors: [...deciding, 'approval_payload_changed', 'approval_price_changed'],
    },
    reject: {
      method: 'POST',
      path: '/v1/approvals/{approval_id}/reject',
      summary: 'Reject; what waits is canceled',
      ...one,
      body: ApprovalReject,
      body_example: { note: 'Wrong person.' },
      success: {
        status: 200,
        body: Approval,
        example: { ...approved, status: 'rejected', note: 'Wrong person.' },
      },
      errors: [...deciding],
    },
  },
);
