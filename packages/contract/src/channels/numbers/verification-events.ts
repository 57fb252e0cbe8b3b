// The events of verifications and of the registration of numbers for texts.
import { z } from 'zod';
import { defineEvents } from '../../event.ts';
import { E164, Timestamp, Uuid } from '../../schema/fields.ts';
import { numberTypes } from './numbers.ts';
import { VerificationKindName, VerificationProblem, verificationLifecycle } from './verification-records.ts';

const VerificationData = z
  .strictObject({
    id: Uuid,
    kind: VerificationKindName,
    country_code: z.string(),
    number_type: z.enum(numberTypes),
    state: z.enum(verificationLifecycle.states),
    rejection_reason: z.string().nullable(),
    problems: z.array(VerificationProblem),
    expires_at: Timestamp.nullable(),
    occurred_at: Timestamp,
  })
  .meta({ id: 'VerificationData' });
export type VerificationData = z.infer<typeof VerificationData>;

const NumberRegistrationData = z
  .strictObject({
    id: Uuid.describe('The id of the number.'),
    e164: E164,
    verification_id: Uuid.nullable(),
    reason: z.string().nullable(),
    occurred_at: Timestamp,
  })
  .meta({ id: 'NumberRegistrationData' });

const example: VerificationData = {
  id: '019a8c1e-5e6f-7071-8283-9d0e1f203142',
  kind: 'number',
  country_code: 'DE',
  number_type: 'local',
  state: 'approved',
  rejection_reason: null,
  problems: [],
  expires_at: null,
  occurred_at: '2026-06-06T12:00:00.000Z',
};
const number = {
  id: '019a8c1e-2b3c-7d4e-8f50-6a7b8c9d0e1f',
  e164: '+15005554701',
  verification_id: example.id,
  reason: null,
  occurred_at: example.occurred_at,
};

export const verificationEvents = defineEvents({
  'verification.submitted': {
    meaning: 'The carrier got the verification.',
    data: VerificationData,
    example: { ...example, state: 'submitted' },
  },
  'verification.in_review': {
    meaning: 'The carrier began to review the verification.',
    data: VerificationData,
    example: { ...example, state: 'in_review' },
  },
  'verification.approved': {
    meaning: 'The carrier approved the verification.',
    data: VerificationData,
    example,
  },
  'verification.rejected': {
    meaning: 'The carrier rejected the verification, or an approval ended.',
    data: VerificationData,
    example: {
      ...example,
      state: 'rejected',
      rejection_reason: 'The document could not be read.',
      problems: [{ key: 'proof_of_address', code: 'unreadable', message: 'The document could not be read.' }],
    },
  },
  'verification.canceled': {
    meaning: 'The verification was canceled.',
    data: VerificationData,
    example: { ...example, state: 'canceled' },
  },
  'verification.action_required': {
    meaning:
      'A person must act: something is missing, a contact must confirm, or the approval ends in 30 or 7 days.',
    data: VerificationData,
    example: { ...example, expires_at: '2026-07-06T12:00:00.000Z' },
  },
  'number.sms_registered': {
    meaning: 'The carrier registered a number for texts.',
    data: NumberRegistrationData,
    example: number,
  },
  'number.sms_registration_failed': {
    meaning: 'The carrier refused to register a number for texts.',
    data: NumberRegistrationData,
    example: { ...number, reason: 'The campaign was suspended.' },
  },
});
