// The error that a feature throws to refuse a request; problem.ts converts it into problem+json.
import { type ErrorCode, errors, type ProblemCode } from '@parley/contract/errors';

export type FieldProblem = { path: string; message: string; code: ProblemCode };

export type ApiErrorOptions = {
  /** What is wrong in this case, for the caller. */
  detail?: string;
  fix?: string;
  /** The record that was stored although the request failed. */
  object_id?: string;
  /** All fields that are wrong. */
  errors?: FieldProblem[];
  /** The field that is wrong, where there is only one. */
  path?: string;
  /** This response is stored for the request's Idempotency-Key, so no earlier response is looked up. */
  is_stored?: boolean;
  retry_after_seconds?: number;
  /** Rate limit headers of another limit than the request limit. */
  rate_limit?: { limit: number; remaining: number; reset_seconds: number };
  /** The methods of the path, for the header Allow. */
  allow?: string[];
  /** For the log only. */
  internal?: unknown;
};

export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: ErrorCode;
  readonly options: ApiErrorOptions;
  constructor(code: ErrorCode, options: ApiErrorOptions = {}) {
    super(options.detail ?? errors[code].message, { cause: options.internal });
    this.code = code;
    this.options = options;
  }
}

/** `count` is the number of all problems where `problems` holds only the first ones. */
export const validationError = (problems: FieldProblem[], count = problems.length) =>
  new ApiError('validation_failed', {
    detail:
      count === 1
        ? `${problems[0]!.path}: ${problems[0]!.message}`
        : `${count} problems; see errors${count > problems.length ? `, which holds the first ${problems.length}` : ''}.`,
    errors: problems,
  });
