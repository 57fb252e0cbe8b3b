// The error a feature throws to answer the caller; one place turns it into problem+json.
import { type ErrorCode, errors, type ProblemCode } from '@parley/contract/errors';

export type FieldProblem = { path: string; message: string; code: ProblemCode };

export type ApiErrorOptions = {
  /** What is wrong this time, for the caller. */
  detail?: string;
  fix?: string;
  /** Every field that is wrong. */
  errors?: FieldProblem[];
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

export const validationError = (problems: FieldProblem[]) =>
  new ApiError('validation_failed', {
    detail:
      problems.length === 1
        ? `${problems[0]!.path}: ${problems[0]!.message}`
        : `${problems.length} problems; see errors.`,
    errors: problems,
  });
