// The errors of the client library, each with what to do next.

export type FieldProblem = { path: string; message: string; code: string };

export class ParleyError extends Error {
  override name = 'ParleyError';
}

/** The server responded with an error. `code` is stable; `fix` says what to do next. */
export class ApiError extends ParleyError {
  override name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly fix: string;
  readonly request_id: string | null;
  /** The record that was stored although the request failed. */
  readonly object_id: string | null;
  /** Every invalid field of a 422 response. */
  readonly errors: readonly FieldProblem[];
  readonly retry_after_seconds: number | null;

  constructor(status: number, headers: Headers, body: unknown) {
    const problem = (typeof body === 'object' && body !== null ? body : {}) as Partial<
      Record<'detail' | 'code' | 'fix' | 'request_id' | 'object_id', string> & { errors: FieldProblem[] }
    >;
    super(problem.detail ?? `The server responded with ${status}`);
    this.status = status;
    this.code = problem.code ?? 'unknown';
    this.fix = problem.fix ?? 'Check that the base URL is that of a Parley server.';
    this.request_id = problem.request_id ?? headers.get('x-request-id');
    this.object_id = problem.object_id ?? null;
    this.errors = problem.errors ?? [];
    const wait = headers.get('retry-after');
    this.retry_after_seconds = wait !== null && /^\d+$/.test(wait) ? Number(wait) : null;
  }
}

/** A message or call was not sent: it is held for approval. Thrown only with `on_hold: 'throw'`. */
export class HeldError extends ParleyError {
  override name = 'HeldError';
  readonly approval_id: string;
  /** The record that waits. */
  readonly record: unknown;

  constructor(record: unknown, { approval_id, until }: { approval_id: string; until: string | null }) {
    super(`Not sent: held for approval ${approval_id}${until ? ` until ${until}` : ''}`);
    this.approval_id = approval_id;
    this.record = record;
  }
}

/** There was no response: the server could not be reached, or the connection broke. */
export class ConnectionError extends ParleyError {
  override name = 'ConnectionError';
}

/** There was no response in time. It is unknown whether the request was carried out. */
export class TimeoutError extends ParleyError {
  override name = 'TimeoutError';
}

/** A webhook request with a missing, invalid or expired signature. */
export class SignatureError extends ParleyError {
  override name = 'SignatureError';
}
