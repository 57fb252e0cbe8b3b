// What can go wrong when talking to Parley, each with what to do next.

export type FieldProblem = { path: string; message: string; code: string };

export class ParleyError extends Error {
  override name = 'ParleyError';
}

/** The server answered with an error. `code` is stable; `fix` says what to do next. */
export class ApiError extends ParleyError {
  override name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly fix: string;
  readonly request_id: string | null;
  /** Every field that is wrong, on a 422. */
  readonly errors: readonly FieldProblem[];
  readonly retry_after_seconds: number | null;

  constructor(status: number, headers: Headers, body: unknown) {
    const problem = (typeof body === 'object' && body !== null ? body : {}) as Partial<
      Record<'detail' | 'code' | 'fix' | 'request_id', string> & { errors: FieldProblem[] }
    >;
    super(problem.detail ?? `The server answered ${status}`);
    this.status = status;
    this.code = problem.code ?? 'unknown';
    this.fix = problem.fix ?? 'Check that the base URL names a Parley server.';
    this.request_id = problem.request_id ?? headers.get('x-request-id');
    this.errors = problem.errors ?? [];
    const wait = headers.get('retry-after');
    this.retry_after_seconds = wait !== null && /^\d+$/.test(wait) ? Number(wait) : null;
  }
}

/** No answer came: the server could not be reached, or the connection broke. */
export class ConnectionError extends ParleyError {
  override name = 'ConnectionError';
}

/** No answer came in time. The request may or may not have been carried out. */
export class TimeoutError extends ParleyError {
  override name = 'TimeoutError';
}

/** A webhook request that was not signed with this secret, or too long ago. */
export class SignatureError extends ParleyError {
  override name = 'SignatureError';
}
