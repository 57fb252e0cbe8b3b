// Verifications: registration with a carrier, so that numbers can be bought and texts arrive.
import { z } from 'zod';
import { limits } from '../../limits.ts';
import { defineOperations } from '../../operation.ts';
import { PhoneNumber, pageOf, pageQuery, Uuid } from '../../schema/fields.ts';
import { CountryCode, numberTypes } from './numbers.ts';
import {
  documentExample,
  verificationExample as example,
  RequirementSet,
  Verification,
  VerificationDocument,
  VerificationEvent,
  VerificationKindName,
  verificationSubjects,
} from './verification-records.ts';

export {
  type Verification,
  type VerificationDocument,
  type VerificationEvent,
  type VerificationKind,
  type VerificationProblem,
  verificationLifecycle,
} from './verification-records.ts';

const Text = (max: number) => z.string().trim().min(1).max(max);

export const PostalAddress = z
  .strictObject({
    street: Text(200),
    city: Text(100),
    region: Text(100).nullish().describe('State, province or county.'),
    postal_code: Text(20),
    country_code: CountryCode,
  })
  .meta({ id: 'PostalAddress' });
export type PostalAddress = z.output<typeof PostalAddress>;

const Answer = z.union([
  z.string().trim().max(limits.verification_answer_chars),
  z.boolean(),
  z.array(Text(limits.verification_answer_chars)).max(20),
  PostalAddress,
]);
export type Answer = z.output<typeof Answer>;

const Answers = z
  .record(z.string().max(100), Answer.nullable())
  .refine((answers) => Object.keys(answers).length <= 100, 'At most 100 answers')
  .describe('By the key of the requirement; null removes an answer.')
  .meta({ id: 'VerificationAnswers' });

const subject = {
  subject_name: Text(200).describe('The person or company that will use the number.'),
  address: PostalAddress.nullish().describe('The address of the person or company.'),
  registration_number: Text(100).nullish().describe('From the company register or the identity document.'),
};

export const VerificationCreate = z
  .strictObject({
    kind: VerificationKindName.optional(),
    country_code: CountryCode.optional().describe('Required for kind number; otherwise US.'),
    number_type: z.enum(numberTypes).optional().describe('Required for kind number.'),
    subject_type: z.enum(verificationSubjects).optional().describe('Default: business.'),
    ...subject,
    use_case: Text(100).nullish().describe('us_campaign and toll_free: what the texts are for.'),
    number_id: Uuid.nullish().describe('toll_free: the number.'),
    brand_verification_id: Uuid.nullish().describe('us_campaign: an approved us_brand.'),
    answers: Answers.optional(),
    submit: z.boolean().optional().describe('Default: true. false keeps it as a draft.'),
  })
  .superRefine(({ kind = 'number', ...body }, context) => {
    const need = (path: 'country_code' | 'number_type' | 'number_id') => {
      if (body[path] == null) context.addIssue({ code: 'custom', path: [path], message: 'Required' });
    };
    if (kind === 'number') for (const path of ['country_code', 'number_type'] as const) need(path);
    else if (body.country_code !== undefined && body.country_code !== 'US')
      context.addIssue({ code: 'custom', path: ['country_code'], message: 'Expected US for this kind' });
    if (kind === 'toll_free') need('number_id');
  })
  .meta({ id: 'VerificationCreate' });
export type VerificationCreate = z.output<typeof VerificationCreate>;

export const VerificationPatch = z
  .strictObject({ ...subject, subject_name: subject.subject_name.optional(), answers: Answers.optional() })
  .describe('Fields that are left out keep their value.')
  .meta({ id: 'VerificationPatch' });
export type VerificationPatch = z.output<typeof VerificationPatch>;

export const RequirementQuery = z.strictObject({
  kind: VerificationKindName.optional(),
  country_code: CountryCode.optional(),
  number_type: z.enum(numberTypes).optional(),
  subject_type: z.enum(verificationSubjects).optional(),
  use_case: Text(100).optional(),
  e164: PhoneNumber.optional().describe('The number that will be bought.'),
});
export type RequirementQuery = z.output<typeof RequirementQuery>;

export const DocumentFields = z.strictObject({
  requirement: z.string().min(1).max(100).describe('The key of the requirement.'),
  document_type: z.string().min(1).max(100).describe('One of its accepted_documents.'),
  fields: z.string().max(10_000).optional().describe('JSON object with the fields of the document type.'),
});

export const VerificationRecord = z
  .strictObject({
    kind: VerificationKindName,
    provider_verification_id: Text(200).describe(
      'The id at the carrier, such as BU… or a requirement group.',
    ),
    country_code: CountryCode.optional().describe('Default: US.'),
    number_type: z.enum(numberTypes).optional().describe('Default: local.'),
    subject_type: z.enum(verificationSubjects).optional(),
    subject_name: Text(200),
    number_id: Uuid.nullish(),
    brand_verification_id: Uuid.nullish(),
    address_reference: Text(200).nullish().describe('The id of the address at the carrier.'),
  })
  .meta({ id: 'VerificationRecord' });
export type VerificationRecord = z.output<typeof VerificationRecord>;

const one = { params: z.strictObject({ verification_id: Uuid }) };
const draft: Verification = {
  ...example,
  state: 'draft',
  waiting_for: 'you',
  submitted_at: null,
  provider_verification_id: null,
};

const support_errors = [
  'verification_not_supported',
  'kind_not_supported',
  'verification_not_needed',
  'carrier_not_configured',
  'carrier_unavailable',
] as const;

export const verifications = defineOperations(
  'verifications',
  'Registration with the carrier: who uses a number, and US texts.',
  {
    requirements: {
      method: 'GET',
      path: '/v1/verifications/requirements',
      summary: 'Ask the carrier what it wants to know',
      query: RequirementQuery,
      success: {
        status: 200,
        body: RequirementSet,
        example: {
          provider: 'sandbox',
          kind: 'number',
          country_code: 'DE',
          number_type: 'local',
          needed: true,
          subject_types: ['individual', 'business'],
          review_days: { min: 1, max: 3 },
          fee_cents: null,
          requirements: [
            {
              key: 'subject_name',
              label: 'Name',
              description: null,
              input: 'text',
              required: true,
              sensitive: false,
              choices: null,
              min_length: null,
              max_length: 200,
              pattern: null,
              locality: null,
              accepted_documents: null,
            },
          ],
        },
      },
      errors: [
        'verification_not_supported',
        'kind_not_supported',
        'carrier_not_configured',
        'carrier_unavailable',
      ],
    },
    create: {
      method: 'POST',
      path: '/v1/verifications',
      summary: 'Create a verification, and submit it if it is complete',
      description: 'An incomplete one stays a draft: its requirements say what is missing.',
      body: VerificationCreate,
      body_example: {
        country_code: 'DE',
        number_type: 'local',
        subject_type: 'business',
        subject_name: 'Example GmbH',
        address: { street: 'Musterweg 1', city: 'Berlin', postal_code: '10115', country_code: 'DE' },
        registration_number: 'HRB 12345',
      },
      success: { status: 201, body: Verification, example: { ...draft, waiting_for: 'carrier' } },
      errors: [...support_errors, 'brand_required', 'too_many_verifications', 'insufficient_funds'],
    },
    list: {
      method: 'GET',
      path: '/v1/verifications',
      summary: 'List verifications, newest first',
      query: z.strictObject({ ...pageQuery, kind: VerificationKindName.optional() }),
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
      ...one,
      success: { status: 200, body: Verification, example },
    },
    update: {
      method: 'PATCH',
      path: '/v1/verifications/{verification_id}',
      summary: 'Answer requirements of a draft or a rejected verification',
      ...one,
      body: VerificationPatch,
      body_example: { answers: { website: 'https://example.com' } },
      success: { status: 200, body: Verification, example: draft },
      errors: ['verification_not_editable'],
    },
    upload_document: {
      method: 'POST',
      path: '/v1/verifications/{verification_id}/documents',
      summary: 'Upload a document',
      description:
        'PDF, JPEG or PNG, at most 5 MiB. It is stored encrypted until the carrier has it, then deleted. It cannot be downloaded.',
      ...one,
      upload: { field: 'file', description: 'The document.', fields: DocumentFields },
      success: { status: 201, body: VerificationDocument, example: documentExample },
      errors: [
        'verification_not_editable',
        'file_missing',
        'too_many_files',
        'document_type_not_allowed',
        'document_too_large',
        'document_infected',
        'document_scan_failed',
        'malformed_upload',
      ],
    },
    delete_document: {
      method: 'DELETE',
      path: '/v1/verifications/{verification_id}/documents/{document_id}',
      summary: 'Delete a document that was not handed over',
      params: z.strictObject({ verification_id: Uuid, document_id: Uuid }),
      success: { status: 204 },
      errors: ['verification_not_editable'],
    },
    submit: {
      method: 'POST',
      path: '/v1/verifications/{verification_id}/submit',
      summary: 'Submit a draft, or a rejected verification again',
      description: 'Safe to repeat. The carrier is asked again what it wants to know.',
      ...one,
      success: { status: 200, body: Verification, example: { ...draft, waiting_for: 'carrier' } },
      errors: [
        'verification_incomplete',
        'verification_not_editable',
        'insufficient_funds',
        ...support_errors,
      ],
    },
    cancel: {
      method: 'POST',
      path: '/v1/verifications/{verification_id}/cancel',
      summary: 'Cancel a verification that is not approved',
      ...one,
      success: {
        status: 200,
        body: Verification,
        example: { ...example, state: 'canceled', waiting_for: null },
      },
      errors: ['verification_not_editable', 'carrier_unavailable'],
    },
    list_events: {
      method: 'GET',
      path: '/v1/verifications/{verification_id}/events',
      summary: 'List what happened to a verification, newest first',
      ...one,
      query: z.strictObject(pageQuery),
      success: {
        status: 200,
        body: pageOf(VerificationEvent, 'VerificationEventPage'),
        example: {
          items: [
            {
              id: '019a8c1e-5e6f-7071-8283-9d0e1f203160',
              kind: 'submitted',
              attempt: 1,
              problems: [],
              created_at: '2026-06-06T12:00:01.000Z',
            },
          ],
          next_cursor: null,
        },
      },
    },
    record: {
      method: 'POST',
      path: '/v1/admin/organizations/{organization_id}/verifications',
      summary: 'Record a verification that was made in the carrier’s console',
      description: 'It is read at the carrier first. Organizations cannot do this themselves.',
      access: 'superadmin',
      params: z.strictObject({ organization_id: Uuid }),
      body: VerificationRecord,
      body_example: {
        kind: 'number',
        provider_verification_id: 'BU0123456789abcdef0123456789abcdef',
        country_code: 'DE',
        subject_name: 'Example GmbH',
      },
      success: {
        status: 201,
        body: Verification,
        example: { ...example, state: 'approved', waiting_for: null },
      },
      errors: [
        'reference_not_found',
        'verification_not_supported',
        'kind_not_supported',
        'brand_required',
        'carrier_not_configured',
        'carrier_unavailable',
      ],
    },
  },
);
