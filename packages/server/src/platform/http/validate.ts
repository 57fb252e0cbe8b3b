// Checks path, query and body against the contract and reports every problem at once.
import type { ErrorCode, ProblemCode } from '@parley/contract/errors';
import { limits } from '@parley/contract/limits';
import type { InputOf, Operation } from '@parley/contract/operation';
import type { z } from 'zod';
import { ApiError, type FieldProblem, validationError } from './api-error.ts';

/** Limits the response to a request that consists of errors. */
const max_reported = 100;

type Part = 'path' | 'query' | 'body';

/** Path, query and body; the files of an upload are read later, by the handler. */
export function validate<O extends Operation>(
  operation: O,
  request: { params: unknown; query: unknown; body: unknown },
): Omit<InputOf<O>, 'files'> {
  const problems: FieldProblem[] = [];
  /** The first broken rule with an error code of its own decides the code of the response. */
  let named: { code: ErrorCode; message: string } | undefined;
  const check = (part: Part, schema: z.ZodType | undefined, value: unknown) => {
    const text_problems = isSound(value) ? [] : textProblems(part, value);
    problems.push(...text_problems);
    if (!schema) {
      if (typeof value !== 'object') return undefined;
      for (const key of Object.keys(value ?? {})) problems.push(unknownField(part, key));
      return undefined;
    }
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const issues = parsed.error.issues.flatMap(closestIssues);
    for (const issue of issues) {
      const code = (issue as { params?: { error?: ErrorCode } }).params?.error;
      if (code) named ??= { code, message: `${at(part, issue.path)}: ${issue.message}` };
    }
    const problem_paths = new Set(text_problems.map((problem) => problem.path));
    problems.push(
      ...issues
        .flatMap((issue) => fromIssue(part, issue))
        .filter((problem) => !problem_paths.has(problem.path)),
    );
    return undefined;
  };
  const input = {
    params: check('path', operation.params, request.params),
    query: check('query', operation.query, withMaps(operation.query, request.query)),
    body: operation.upload ? undefined : check('body', operation.body, request.body),
  };
  if (problems.length === 0) return input as Omit<InputOf<O>, 'files'>;
  const reported = problems.slice(0, max_reported);
  if (named) throw new ApiError(named.code, { detail: named.message, errors: reported });
  throw validationError(reported, problems.length);
}

/** `metadata[order]=7` in a query string is an entry of the map `metadata`, where the operation has such a parameter. */
function withMaps(schema: z.ZodObject | undefined, query: unknown): unknown {
  if (!schema || !('metadata' in schema.shape) || typeof query !== 'object' || query === null) return query;
  const result: Record<string, unknown> = {};
  const pairs: [string, unknown][] = [];
  for (const [name, value] of Object.entries(query)) {
    const key = /^metadata\[([^\]]+)\]$/.exec(name)?.[1];
    if (key === undefined) result[name] = value;
    else pairs.push([key, value]);
  }
  // Not an assignment: a key such as __proto__ is data here.
  return pairs.length === 0 ? query : { ...result, metadata: Object.fromEntries(pairs) };
}

/** Checks one value inside a body that was read as unknown; `path` leads to it. */
export function validateInside<S extends z.ZodType>(
  schema: S,
  value: unknown,
  path: readonly PropertyKey[],
): { data: z.output<S> } | { error: ApiError } {
  const parsed = schema.safeParse(value);
  if (parsed.success) return { data: parsed.data };
  const issues = parsed.error.issues
    .flatMap(closestIssues)
    .map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
  const problems = issues.flatMap((issue) => fromIssue('body', issue));
  const reported = problems.slice(0, max_reported);
  for (const issue of issues) {
    const code = (issue as { params?: { error?: ErrorCode } }).params?.error;
    if (!code) continue;
    const detail = `${at('body', issue.path)}: ${issue.message}`;
    return { error: new ApiError(code, { detail, errors: reported }) };
  }
  return { error: validationError(reported, problems.length) };
}

const at = (part: Part, path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}.${String(key)}`),
    part,
  );

const unknownField = (part: Part, key: string): FieldProblem => ({
  path: at(part, [key]),
  message: 'There is no such field here',
  code: 'unknown_field',
});

/** For a value that fits none of several forms: the problems inside it with the one form that has its type. */
function closestIssues(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const forms = issue.errors.filter((form) => form.length > 0 && form.every(({ path }) => path.length > 0));
  const [form] = forms;
  if (!form || forms.length > 1) return [issue];
  return form.flatMap((inner) => closestIssues({ ...inner, path: [...issue.path, ...inner.path] }));
}

function fromIssue(part: Part, issue: z.core.$ZodIssue): FieldProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownField(part, at(part, [...issue.path, key]).slice(part.length + 1)));
  }
  return [{ path: at(part, issue.path), message: messageOf(issue), code: codeOf(issue) }];
}

const units: Record<string, [one: string, many: string]> = {
  string: [' character', ' characters'],
  array: [' entry', ' entries'],
};
const countedCharacters = (count: number | bigint, origin: string) => {
  const [one, many] = units[origin] ?? ['', ''];
  return `${count}${count === 1 ? one : many}`;
};

/** In words for people, where the contract gives none of its own. */
function messageOf(issue: z.core.$ZodIssue): string {
  const { message } = issue;
  if (issue.code === 'too_small' && message.startsWith('Too small'))
    return `Expected at least ${countedCharacters(issue.minimum, issue.origin)}`;
  if (issue.code === 'too_big' && message.startsWith('Too big'))
    return `Expected at most ${countedCharacters(issue.maximum, issue.origin)}`;
  return message.replace(
    /^Invalid input: expected (.*), received undefined$/,
    'Expected $1, but it is missing',
  );
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

/** PostgreSQL cannot store NUL or half surrogate pairs. */
const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed();

/** A cheap check for the common case; textProblems then finds the paths. Deep nesting is treated as an attack. */
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

function textProblems(part: Part, value: unknown, path: PropertyKey[] = [], depth = 0): FieldProblem[] {
  if (typeof value === 'string') {
    if (isStorable(value)) return [];
    return [
      {
        path: at(part, path),
        message: 'Text may not hold NUL or half of a surrogate pair',
        code: 'forbidden_character',
      },
    ];
  }
  if (typeof value !== 'object' || value === null) return [];
  if (depth === limits.json_depth) {
    return [{ path: part, message: `Nested deeper than ${limits.json_depth} levels`, code: 'too_deep' }];
  }
  const problems: FieldProblem[] = [];
  for (const [key, inner] of Object.entries(value)) {
    const name = Array.isArray(value) ? Number(key) : key;
    if (typeof name === 'string') problems.push(...textProblems(part, name, path, depth));
    problems.push(...textProblems(part, inner, [...path, name], depth + 1));
  }
  return problems;
}
