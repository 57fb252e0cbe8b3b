// The error a feature throws to answer the caller; one place turns it into problem+json.
import { type ErrorCode, errors, type ProblemCode } from '@parley/contract/errors';

export type FieldProblem = { path: string; message: string; code: ProblemCode };

export type ApiErrorOptions = {
  /** What is wrong this time, for the caller. */
  detail?: string;
  fix?: string;
  /** Every field that is wrong, or the one that is. */
  errors?: FieldProblem[];
  path?: string;
  /** The request has stored this as the answer to its Idempotency-Key: no repeat of an earlier one. */
  is_stored?: boolean;
  retry_after_seconds?: number;
  /** Replaces the figures of the general ceiling where another limit was reached. */
  rate_limit?: { limit: number; remaining: number; reset_seconds: number };
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

/** `count` where there are more problems than are told. */
export const validationError = (problems: FieldProblem[], count = problems.length) =>
  new ApiError('validation_failed', {
    detail:
      count === 1
        ? `${problems[0]!.path}: ${problems[0]!.message}`
        : `${count} problems; see errors${count > problems.length ? `, which holds the first ${problems.length}` : ''}.`,
    errors: problems,
  });
