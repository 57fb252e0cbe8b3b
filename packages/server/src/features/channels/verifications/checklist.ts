// The checklist of a verification: what the carrier asked for, and how far each item is. Pure.
import type {
  ChecklistItem,
  Requirement,
  Verification,
  VerificationProblem,
} from '@parley/contract/channels/numbers/verification-records';
import type { Answer } from '@parley/contract/channels/numbers/verifications';
import type { FieldProblem } from '../../../platform/http/api-error.ts';
import type { VerificationRow } from './verification-row.ts';

type Facts = Pick<VerificationRow, 'state' | 'answered' | 'documents' | 'problems' | 'requirement_set'>;

const handed_states: readonly string[] = ['submitted', 'in_review'];

function statusOf(requirement: Requirement, facts: Facts): ChecklistItem['status'] {
  const { key, input, required } = requirement;
  const documents = facts.documents.filter((each) => each.requirement === key);
  const is_given =
    key === 'subject_name' ||
    facts.answered.includes(key) ||
    (input === 'address' && facts.answered.includes('address')) ||
    documents.some(({ deleted_at }) => deleted_at === null);
  const at_carrier = documents.some(({ handed_over_at }) => handed_over_at !== null);
  // A submission is complete, so everything that is required is at the carrier.
  if (facts.state === 'approved') return is_given || at_carrier || required ? 'accepted' : 'missing';
  if (handed_states.includes(facts.state)) {
    return is_given || at_carrier || required ? 'handed_over' : 'missing';
  }
  if (facts.problems.some((problem) => problem.key === key)) return 'rejected';
  if (is_given) return 'given';
  return at_carrier ? 'handed_over' : 'missing';
}

export const checklist = (facts: Facts): ChecklistItem[] =>
  (facts.requirement_set?.requirements ?? []).map((requirement) => {
    const status = statusOf(requirement, facts);
    const problem = facts.problems.find(({ key }) => key === requirement.key);
    const { key, label, input, required } = requirement;
    return {
      key,
      label,
      input,
      required,
      status,
      problem: status === 'rejected' && problem ? { code: problem.code, message: problem.message } : null,
    };
  });

/** What must be given before the carrier is asked: required items that are missing, and items that it rejected. */
export const missing = (facts: Facts): ChecklistItem[] =>
  checklist(facts).filter(
    ({ status, required }) => status === 'rejected' || (required && status === 'missing'),
  );

export const missingProblems = (items: readonly ChecklistItem[]): FieldProblem[] =>
  items.map(({ key, label, status, problem }) => ({
    path: `requirements.${key}`,
    message: problem?.message ?? `${label} is missing`,
    code: status === 'rejected' ? 'invalid' : 'required',
  }));

export const reasonOf = (problems: readonly VerificationProblem[]): string | null =>
  problems.length === 0
    ? null
    : problems
        .map(({ message }) => message)
        .join(' ')
        .slice(0, 2000);

/** The record as the API shows it. */
export const recordOf = (row: VerificationRow): Verification => ({
  id: row.id,
  organization_id: row.organization_id,
  kind: row.kind,
  provider: row.provider,
  provider_verification_id: row.provider_verification_id,
  country_code: row.country_code,
  number_type: row.number_type,
  subject_type: row.subject_type,
  subject_name: row.subject_name,
  use_case: row.use_case,
  number_id: row.number_id,
  brand_verification_id: row.brand_verification_id,
  state: row.state,
  attempt: row.attempt,
  waiting_for: row.waiting_for,
  rejection_reason: row.rejection_reason,
  requirements: checklist(row),
  documents: row.documents.map(({ attempt: _, ...document }) => document),
  review_days: row.requirement_set?.review_days ?? null,
  fee_cents: row.requirement_set?.fee_cents ?? null,
  editable_until: row.editable_until,
  expires_at: row.expires_at,
  created_at: row.created_at,
  updated_at: row.updated_at,
  submitted_at: row.submitted_at,
  approved_at: row.approved_at,
});

const kind_of_input = {
  boolean: 'a boolean',
  text_list: 'a list of texts',
  address: 'an address',
  document: 'an uploaded document',
} as const;

/**
 * What is wrong with an answer; null when it fits. The carrier's regular expression is not run here: a careless one could block
 * the process, and the carrier checks the answer itself.
 */
export function answerProblem(requirement: Requirement | undefined, answer: Answer): string | null {
  if (!requirement) return 'The carrier does not ask for this';
  const { input, choices, min_length, max_length } = requirement;
  const kind =
    typeof answer === 'boolean'
      ? 'boolean'
      : Array.isArray(answer)
        ? 'text_list'
        : typeof answer === 'object'
          ? 'address'
          : 'text';
  const wanted = input in kind_of_input ? (input as keyof typeof kind_of_input) : 'text';
  if (kind !== wanted) return `Expected ${wanted === 'text' ? 'a text' : kind_of_input[wanted]}`;
  if (typeof answer !== 'string') return null;
  if (choices && !choices.some(({ value }) => value === answer))
    return `Expected one of ${choices
      .map(({ value }) => value)
      .slice(0, 20)
      .join(', ')}`;
  if (min_length !== null && answer.length < min_length) return `Expected at least ${min_length} characters`;
  if (max_length !== null && answer.length > max_length) return `Expected at most ${max_length} characters`;
  if (input === 'date' && !isDate(answer)) return 'Expected a date such as 1980-12-31';
  if (input === 'email' && !/^[^\s@]+@[^\s@]+$/.test(answer)) return 'Expected an email address';
  if (input === 'url' && !/^https?:\/\/\S+$/.test(answer)) return 'Expected a URL';
  if (input === 'phone' && !/^\+[1-9]\d{5,14}$/.test(answer)) return 'Expected a number such as +14155550123';
  return null;
}

const isDate = (text: string): boolean => {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : null;
  return at !== null && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
};
