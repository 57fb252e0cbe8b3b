// Number verifications: proof of who uses a number, where a country requires it before a number is sold.
import { z } from 'zod';
import { pageOf, pageQuery, Timestamp, Uuid } from './fields.ts';
import { defineLifecycle } from './lifecycle.ts';
import { CountryCode, numberTypes } from './numbers.ts';
import { defineOperations } from './operation.ts';

export const verificationSubjects = ['individual', 'business'] as const;

export const verificationLifecycle = defineLifecycle({
  subject: 'verification',
  column: 'state',
  initial: 'draft',
  states: ['draft', 'submitted', 'in_review', 'approved', 'rejected', 'canceled'],
  moves: {
    submitted: { from: ['draft'], to: 'submitted' },
    review_began: { from: ['submitted'], to: 'in_review' },
    approved: { from: ['submitted', 'in_review'], to: 'approved' },
    rejected: { from: ['draft', 'submitted', 'in_review'], to: 'rejected' },
    canceled: { from: ['draft', 'submitted', 'in_review'], to: 'canceled' },
  },
});

export const Verification = z
  .strictObject({
    id: Uuid,
    organization_id: Uuid,
    provider: z.string(),
    country_code: z.string(),
    number_type: z.enum(numberTypes),
    subject_type: z.enum(verificationSubjects),
    subject_name: z.string(),
    state: z.enum(verificationLifecycle.states),
    rejection_reason: z.string().nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
    submitted_at: Timestamp.nullable(),
    approved_at: Timestamp.nullable(),
  })
  .meta({ id: 'Verification' });
export type Verification = z.infer<typeof Verification>;

const Text = (max: number) => z.string().trim().min(1).max(max);

export const VerificationCreate = z
  .strictObject({
    country_code: CountryCode,
    number_type: z.enum(numberTypes),
    subject_type: z.enum(verificationSubjects),
    subject_name: Text(200).describe('The person or company that will use the number.'),
    address: z
      .strictObject({
        street: Text(200),
        city: Text(100),
        postal_code: Text(20),
        country_code: CountryCode,
      })
      .nullish()
      .describe('The address of the person or company.'),
    registration_number: Text(100).nullish().describe('From the company register or the identity document.'),
  })
  .meta({ id: 'VerificationCreate' });
export type VerificationCreate = z.output<typeof VerificationCreate>;

const example: Verification = {
  id: '019a8c1e-5e6f-7071-8283-9d0e1f203142',
  organization_id: '00000000-0000-0000-0000-000000000000',
  provider: 'sandbox',
  country_code: 'DE',
  number_type: 'local',
  subject_type: 'business',
  subject_name: 'Example GmbH',
  state: 'in_review',
  rejection_reason: null,
  created_at: '2026-06-06T12:00:00.000Z',
  updated_at: '2026-06-06T12:00:01.000Z',
  submitted_at: '2026-06-06T12:00:01.000Z',
  approved_at: null,
};

export const verifications = defineOperations(
  'verifications',
  'Proof of who uses a number, where a country requires it.',
  {
    create: {
      method: 'POST',
      path: '/v1/verifications',
      summary: 'Submit a verification',
      description: 'It is submitted to the carrier immediately. Read it again to follow its state.',
      body: VerificationCreate,
      body_example: {
        country_code: 'DE',
        number_type: 'local',
        subject_type: 'business',
        subject_name: 'Example GmbH',
        address: { street: 'Musterweg 1', city: 'Berlin', postal_code: '10115', country_code: 'DE' },
        registration_number: 'HRB 12345',
      },
      success: {
        status: 201,
        body: Verification,
        example: { ...example, state: 'draft', submitted_at: null },
      },
      errors: ['verification_not_supported', 'carrier_not_configured'],
    },
    list: {
      method: 'GET',
      path: '/v1/verifications',
      summary: 'List verifications, newest first',
      query: z.strictObject(pageQuery),
      success: {
        status: 200,
        body: pageOf(Verification, 'VerificationPage'),
        example: { items: [example], next_cursor: null },
      },
    },
    get: {
      method: 'GET',
      path: '/v1/verifications/{verification_id}',
      summary: 'Read one verification',
      params: z.strictObject({ verification_id: Uuid }),
      success: { status: 200, body: Verification, example },
    },
  },
);
