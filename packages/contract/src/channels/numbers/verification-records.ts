// The records of verifications: kinds, lifecycle, what a carrier wants to know, documents and the timeline.
import { z } from 'zod';
import { Timestamp, Uuid } from '../../schema/fields.ts';
import { defineLifecycle } from '../../schema/lifecycle.ts';
import { numberTypes } from './numbers.ts';

export const verificationSubjects = ['individual', 'business'] as const;

export const verificationKinds = ['number', 'us_brand', 'us_campaign', 'toll_free'] as const;
export type VerificationKind = (typeof verificationKinds)[number];

export const VerificationKindName = z
  .enum(verificationKinds)
  .describe(
    'number: who uses numbers of a country. us_brand and us_campaign: texts from US local numbers. toll_free: texts from one toll-free number.',
  )
  .meta({ id: 'VerificationKind' });

export const verificationLifecycle = defineLifecycle({
  subject: 'verification',
  column: 'state',
  initial: 'draft',
  states: ['draft', 'submitted', 'in_review', 'approved', 'rejected', 'canceled'],
  moves: {
    submitted: { from: ['draft'], to: 'submitted', emits: 'verification.submitted' },
    review_began: { from: ['submitted'], to: 'in_review', emits: 'verification.in_review' },
    approved: { from: ['submitted', 'in_review'], to: 'approved', emits: 'verification.approved' },
    rejected: { from: ['draft', 'submitted', 'in_review'], to: 'rejected', emits: 'verification.rejected' },
    reopened: { from: ['rejected'], to: 'draft' },
    revoked: { from: ['approved'], to: 'rejected', emits: 'verification.rejected' },
    canceled: {
      from: ['draft', 'submitted', 'in_review', 'rejected'],
      to: 'canceled',
      emits: 'verification.canceled',
    },
  },
});

export const requirementInputs = [
  'text',
  'date',
  'choice',
  'address',
  'document',
  'url',
  'email',
  'phone',
  'boolean',
  'text_list',
] as const;
export type RequirementInput = (typeof requirementInputs)[number];

const Choice = z.strictObject({ value: z.string(), label: z.string() }).meta({ id: 'RequirementChoice' });

const AcceptedDocument = z
  .strictObject({
    type: z.string(),
    label: z.string(),
    fields: z
      .array(Choice)
      .describe('What the carrier wants to know about this document: send it in fields.'),
  })
  .meta({ id: 'AcceptedDocument' });

export const Requirement = z
  .strictObject({
    key: z.string().describe('The key in answers, or the requirement of a document.'),
    label: z.string(),
    description: z.string().nullable(),
    input: z.enum(requirementInputs),
    required: z.boolean(),
    sensitive: z.boolean().describe('Deleted after the carrier has it; enter it again after a rejection.'),
    choices: z.array(Choice).nullable(),
    min_length: z.number().int().nullable(),
    max_length: z.number().int().nullable(),
    pattern: z.string().nullable().describe('A regular expression of the carrier.'),
    locality: z
      .enum(['country', 'area'])
      .nullable()
      .describe('Where an address must be: in the country or the area of the number.'),
    accepted_documents: z.array(AcceptedDocument).nullable(),
  })
  .meta({ id: 'Requirement' });
export type Requirement = z.infer<typeof Requirement>;

export const ReviewDays = z
  .strictObject({ min: z.number(), max: z.number() })
  .describe('How many business days the review usually takes.')
  .meta({ id: 'ReviewDays' });

export const RequirementSet = z
  .strictObject({
    provider: z.string(),
    kind: VerificationKindName,
    country_code: z.string(),
    number_type: z.enum(numberTypes),
    needed: z.boolean().describe('false: the carrier needs no verification for this.'),
    subject_types: z.array(z.enum(verificationSubjects)),
    review_days: ReviewDays.nullable(),
    fee_cents: z.number().int().nullable().describe('What the carrier charges for it; null if unknown.'),
    requirements: z.array(Requirement),
  })
  .meta({ id: 'RequirementSet' });
export type RequirementSet = z.infer<typeof RequirementSet>;

export const VerificationProblem = z
  .strictObject({
    key: z.string().nullable().describe('The requirement to correct; null if it is about no single one.'),
    code: z.string(),
    message: z.string(),
  })
  .meta({ id: 'VerificationProblem' });
export type VerificationProblem = z.infer<typeof VerificationProblem>;

export const checklistStatuses = ['missing', 'given', 'handed_over', 'accepted', 'rejected'] as const;

const ChecklistItem = z
  .strictObject({
    key: z.string(),
    label: z.string(),
    input: z.enum(requirementInputs),
    required: z.boolean(),
    status: z.enum(checklistStatuses),
    problem: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  })
  .meta({ id: 'ChecklistItem' });
export type ChecklistItem = z.infer<typeof ChecklistItem>;

export const VerificationDocument = z
  .strictObject({
    id: Uuid,
    requirement: z.string(),
    document_type: z.string(),
    content_type: z.string(),
    size_bytes: z.number().int(),
    uploaded_at: Timestamp,
    handed_over_at: Timestamp.nullable().describe('When the carrier got it.'),
    deleted_at: Timestamp.nullable().describe('When this service deleted the content.'),
  })
  .meta({ id: 'VerificationDocument' });
export type VerificationDocument = z.infer<typeof VerificationDocument>;

export const Verification = z
  .strictObject({
    id: Uuid,
    organization_id: Uuid,
    kind: VerificationKindName,
    provider: z.string(),
    provider_verification_id: z.string().nullable(),
    country_code: z.string(),
    number_type: z.enum(numberTypes),
    subject_type: z.enum(verificationSubjects),
    subject_name: z.string(),
    use_case: z.string().nullable(),
    number_id: Uuid.nullable().describe('toll_free: the number.'),
    brand_verification_id: Uuid.nullable().describe('us_campaign: its brand.'),
    state: z.enum(verificationLifecycle.states),
    attempt: z.number().int().describe('1, and one more for each time it is submitted again.'),
    waiting_for: z.enum(['you', 'contact', 'carrier']).nullable(),
    rejection_reason: z.string().nullable(),
    requirements: z.array(ChecklistItem).describe('The checklist. It never contains what you answered.'),
    documents: z.array(VerificationDocument),
    review_days: ReviewDays.nullable(),
    fee_cents: z.number().int().nullable(),
    editable_until: Timestamp.nullable().describe('Until when the carrier takes corrections of a rejection.'),
    expires_at: Timestamp.nullable().describe('Until when the approval holds.'),
    created_at: Timestamp,
    updated_at: Timestamp,
    submitted_at: Timestamp.nullable(),
    approved_at: Timestamp.nullable(),
  })
  .meta({ id: 'Verification' });
export type Verification = z.infer<typeof Verification>;

export const verificationEventKinds = [
  'created',
  'changed',
  'submit_requested',
  'incomplete',
  'action_required',
  'submitted',
  'review_began',
  'approved',
  'rejected',
  'reopened',
  'revoked',
  'canceled',
  'recorded',
] as const;
export type VerificationEventKind = (typeof verificationEventKinds)[number];

export const VerificationEvent = z
  .strictObject({
    id: Uuid,
    kind: z.enum(verificationEventKinds),
    attempt: z.number().int(),
    problems: z.array(VerificationProblem),
    created_at: Timestamp,
  })
  .meta({ id: 'VerificationEvent' });
export type VerificationEvent = z.infer<typeof VerificationEvent>;

export const verificationExample: Verification = {
  id: '019a8c1e-5e6f-7071-8283-9d0e1f203142',
  organization_id: '00000000-0000-0000-0000-000000000000',
  kind: 'number',
  provider: 'sandbox',
  provider_verification_id: 'sandbox-approved',
  country_code: 'DE',
  number_type: 'local',
  subject_type: 'business',
  subject_name: 'Example GmbH',
  use_case: null,
  number_id: null,
  brand_verification_id: null,
  state: 'in_review',
  attempt: 1,
  waiting_for: 'carrier',
  rejection_reason: null,
  requirements: [
    {
      key: 'subject_name',
      label: 'Name',
      input: 'text',
      required: true,
      status: 'handed_over',
      problem: null,
    },
  ],
  documents: [],
  review_days: { min: 1, max: 3 },
  fee_cents: null,
  editable_until: null,
  expires_at: null,
  created_at: '2026-06-06T12:00:00.000Z',
  updated_at: '2026-06-06T12:00:01.000Z',
  submitted_at: '2026-06-06T12:00:01.000Z',
  approved_at: null,
};

export const documentExample: VerificationDocument = {
  id: '019a8c1e-5e6f-7071-8283-9d0e1f203150',
  requirement: 'proof_of_address',
  document_type: 'utility_bill',
  content_type: 'application/pdf',
  size_bytes: 48213,
  uploaded_at: '2026-06-06T12:00:00.000Z',
  handed_over_at: null,
  deleted_at: null,
};
