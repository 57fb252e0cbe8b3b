// What Twilio says is wrong with a number verification, as problems of requirements.
import type { VerificationProblem } from '@parley/contract/channels/numbers/verification-records';
import { field, listField, textField } from '../../carrier-http.ts';
import { address_field, formOf, keyOf, type Regulation } from './regulations.ts';

const max_message = 500;

/** The failed results of an evaluation, in Twilio's order. */
export function evaluationProblems(regulation: Regulation, evaluation: unknown): VerificationProblem[] {
  const keys = new Set(formOf(regulation).map(({ key }) => key));
  const problems = listField(evaluation, 'results')
    .filter((result) => field(result, 'passed') !== true)
    .flatMap((result) => resultProblems(regulation, result))
    .map((problem) => ({
      ...problem,
      key: problem.key !== null && keys.has(problem.key) ? problem.key : null,
    }));
  if (problems.length > 0) return problems;
  return [{ key: null, code: 'noncompliant', message: 'Twilio found the submission incomplete.' }];
}

function resultProblems(regulation: Regulation, result: unknown): VerificationProblem[] {
  const name = textField(result, 'requirement_name') ?? '';
  const invalid = listField(result, 'invalid');
  const rule = regulation.documents.find(({ key }) => key === name);
  if (rule) {
    const is_address =
      rule.address_type !== null ||
      (invalid.length > 0 && invalid.every((each) => textField(each, 'object_field') === address_field));
    const reasons = [result, ...invalid].flatMap((each) => textField(each, 'failure_reason') ?? []);
    return [problemOf(is_address ? 'address' : rule.key, result, reasons.join(' '))];
  }
  if (invalid.length === 0) return [problemOf(null, result, textField(result, 'failure_reason'))];
  return invalid.map((each) =>
    problemOf(keyOf(textField(each, 'object_field') ?? ''), each, textField(each, 'failure_reason')),
  );
}

const problemOf = (key: string | null, json: unknown, reason: string | null): VerificationProblem => ({
  key,
  code: textField(json, 'error_code') ?? 'noncompliant',
  message: (reason || 'Twilio does not accept this.').slice(0, max_message),
});

/** Why a document was rejected; null for one that was not. */
export function documentProblem(key: string | null, document: unknown): VerificationProblem | null {
  const status = textField(document, 'status');
  if (status !== 'rejected' && status !== 'expired') return null;
  const errors = listField(document, 'errors');
  const reasons = [
    textField(document, 'failure_reason'),
    ...errors.map((error) => textField(error, 'message') ?? textField(error, 'description')),
  ].filter((each) => each !== null && each !== '');
  const otherwise = status === 'expired' ? 'The document has expired.' : 'Twilio rejected the document.';
  return {
    key,
    code: textField(errors[0], 'code') ?? textField(errors[0], 'error_code') ?? status,
    message: (reasons.join(' ') || otherwise).slice(0, max_message),
  };
}
