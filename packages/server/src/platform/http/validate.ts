// Checks path, query and body against the contract and reports every problem at once.
import type { ErrorCode, ProblemCode } from '@parley/contract/errors';
import { limits } from '@parley/contract/limits';
import type { InputOf, Operation } from '@parley/contract/operation';
import type { z } from 'zod';
import { ApiError, type FieldProblem, validationError } from './api-error.ts';

/** Enough to learn from; a request made of nothing else must not get an answer larger than itself. */
const max_told = 100;

type Place = 'path' | 'query' | 'body';

/** Path, query and body; the files of an upload are read later, by the handler. */
export function validate<O extends Operation>(
  operation: O,
  request: { params: unknown; query: unknown; body: unknown },
): Omit<InputOf<O>, 'files'> {
  const problems: FieldProblem[] = [];
  /** The first broken rule that has an error of its own names the answer. */
  let named: { code: ErrorCode; message: string } | undefined;
  const check = (place: Place, schema: z.ZodType | undefined, value: unknown) => {
    const found = isSound(value) ? [] : textProblems(place, value);
    problems.push(...found);
    if (!schema) {
      if (typeof value !== 'object') return undefined;
      for (const key of Object.keys(value ?? {})) problems.push(unknownField(place, key));
      return undefined;
    }
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) {
      const code = (issue as { params?: { error?: ErrorCode } }).params?.error;
      if (code) named ??= { code, message: `${at(place, issue.path)}: ${issue.message}` };
    }
    const known = new Set(found.map((problem) => problem.path));
    problems.push(
      ...parsed.error.issues
        .flatMap((issue) => fromIssue(place, issue))
        .filter((problem) => !known.has(problem.path)),
    );
    return undefined;
  };
  const input = {
    params: check('path', operation.params, request.params),
    query: check('query', operation.query, request.query),
    body: operation.upload ? undefined : check('body', operation.body, request.body),
  };
  if (problems.length === 0) return input as Omit<InputOf<O>, 'files'>;
  const told = problems.slice(0, max_told);
  if (named) throw new ApiError(named.code, { detail: named.message, errors: told });
  throw validationError(told, problems.length);
}

const at = (place: Place, path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}.${String(key)}`),
    place,
  );

const unknownField = (place: Place, key: string): FieldProblem => ({
  path: at(place, [key]),
  message: 'There is no such field here',
  code: 'unknown_field',
});

function fromIssue(place: Place, issue: z.core.$ZodIssue): FieldProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) =>
      unknownField(place, at(place, [...issue.path, key]).slice(place.length + 1)),
    );
  }
  return [{ path: at(place, issue.path), message: issue.message, code: codeOf(issue) }];
}

function codeOf(issue: z.core.$ZodIssue): ProblemCode {
  switch (issue.code) {
    case 'invalid_type':
      return issue.message.endsWith('received undefined') ? 'required' : 'invalid_type';
    case 'too_small':
    case 'invalid_value':
    case 'invalid_format':
      return issue.code;
    case 'too_big':
      return 'too_large';
    default:
      return 'invalid';
  }
}

/** NUL and half surrogate pairs cannot be stored. */
const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed();

/** Nearly everything is: only the rest is walked a second time, for the places. Deep nesting is only ever an attack. */
function isSound(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth === limits.json_depth) return false;
  if (Array.isArray(value)) return value.every((inner) => isSound(inner, depth + 1));
  for (const [key, inner] of Object.entries(value)) {
    if (!isStorable(key) || !isSound(inner, depth + 1)) return false;
  }
  return true;
}

function textProblems(place: Place, value: unknown, path: PropertyKey[] = [], depth = 0): FieldProblem[] {
  if (typeof value === 'string') {
    if (isStorable(value)) return [];
    return [
      {
        path: at(place, path),
        message: 'Text may not hold NUL or half of a surrogate pair',
        code: 'forbidden_character',
      },
    ];
  }
  if (typeof value !== 'object' || value === null) return [];
  if (depth === limits.json_depth) {
    return [{ path: place, message: `Nested deeper than ${limits.json_depth} levels`, code: 'too_deep' }];
  }
  const found: FieldProblem[] = [];
  for (const [key, inner] of Object.entries(value)) {
    const name = Array.isArray(value) ? Number(key) : key;
    if (typeof name === 'string') found.push(...textProblems(place, name, path, depth));
    found.push(...textProblems(place, inner, [...path, name], depth + 1));
  }
  return found;
}
