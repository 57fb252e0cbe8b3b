// Items of the forms that Twilio wants to have filled in, and how their answers are read.
import type { VerificationProblem } from '@parley/contract/channels/numbers/verification-records';
import type { PostalAddress } from '@parley/contract/channels/numbers/verifications';
import type { RegistrationRequest } from '../../registration.ts';

/** Choices with Twilio's own values. */
export const choices = (values: readonly string[]) =>
  values.map((value) => ({ value, label: value.replaceAll('_', ' ') }));

export const problem = (key: string | null, code: string, message: string): VerificationProblem => ({
  key,
  code,
  message,
});

type Answered = Pick<
  RegistrationRequest,
  'answers' | 'subject_name' | 'registration_number' | 'address' | 'use_case'
>;

/** The text of an answer; null where it is missing. Some items have a field of their own in the request. */
export function textOf(request: Answered, key: string): string | null {
  const answer = request.answers[key];
  if (typeof answer === 'string' && answer !== '') return answer;
  switch (key) {
    case 'subject_name':
      return request.subject_name;
    case 'registration_number':
      return request.registration_number;
    case 'use_case':
      return request.use_case;
    default:
      return null;
  }
}

export const isYes = (request: Answered, key: string): boolean => request.answers[key] === true;

export const listOf = (request: Answered, key: string): readonly string[] => {
  const answer = request.answers[key];
  return Array.isArray(answer) ? answer : [];
};

export function addressOf(request: Answered): PostalAddress | null {
  const { address } = request.answers;
  return typeof address === 'object' && !Array.isArray(address) ? address : request.address;
}

/** Form fields by Twilio's names; empty answers are left out. */
export const formOf = (
  values: Record<string, string | readonly string[] | boolean | null>,
): Record<string, string | readonly string[]> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      if (value === null || (Array.isArray(value) && value.length === 0)) return [];
      return [[name, typeof value === 'boolean' ? String(value) : value]];
    }),
  );
