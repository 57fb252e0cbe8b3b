// Sends one request with credential and timeout, and retries it if that is safe.
import { ApiError, ConnectionError, TimeoutError } from './errors.ts';
import { requireSuccess, resultOf } from './response.ts';
import { version } from './version.ts';

export type ClientOptions = {
  /** URL of the server. Default: PARLEY_URL, else http://127.0.0.1:8080. */
  base_url?: string;
  /** Default: PARLEY_API_KEY. */
  api_key?: string;
  /** How often a retryable request is retried. Default: 2. */
  max_retries?: number;
  /** Timeout of one attempt. Default: 60,000. */
  timeout_ms?: number;
  fetch?: typeof globalThis.fetch;
};

export type RequestOptions = {
  /** Generated for create requests. Set your own to make a retry across restarts safe. */
  idempotency_key?: string;
  max_retries?: number;
  timeout_ms?: number;
  signal?: AbortSignal;
  headers?: Record<string, string>;
  /**
   * What to do when a message or call is held for approval. `return` (default): return it with its `hold`. `wait`: wait for the
   * decision and return the record after it. `throw`: throw a HeldError.
   */
  on_hold?: 'return' | 'wait' | 'throw';
};

/** `redirects`: its success is a 302 with the address of a file. */
export type OperationInfo = { method: string; path: string; idempotent?: true; redirects?: true };

export type Transport = {
  send(operation: OperationInfo, path: string, input: unknown, options?: RequestOptions): Promise<Response>;
  json<T>(operation: OperationInfo, path: string, input: unknown, options?: RequestOptions): Promise<T>;
};

type Process = { env?: Record<string, string | undefined>; versions?: { node?: string } };
const { process } = globalThis as { process?: Process };
const environment = (name: string): string | undefined => process?.env?.[name];

/** Not in browsers: they send their own, and another header would need a CORS preflight. */
const identity: Record<string, string> = process?.versions?.node
  ? { 'user-agent': `parley-sdk/${version}` }
  : {};

/** Statuses that mean that nothing was done, so any request can be retried. */
const notDone = new Set([429, 503]);
/**
 * Statuses with an unknown outcome: only idempotent requests are retried. A 502 is the final result of a failed send.
 */
const unclear = new Set([408, 500, 504]);
/** A longer Retry-After is an error at once: a request must not be carried out after its caller gave up. */
const longest_retry_after_seconds = 10;

export function makeTransport(options: ClientOptions): Transport {
  const base_url = (options.base_url ?? environment('PARLEY_URL') ?? 'http://127.0.0.1:8080').replace(
    /\/$/,
    '',
  );
  const api_key = options.api_key ?? environment('PARLEY_API_KEY');
  const fetch = options.fetch ?? globalThis.fetch;

  const once = async <T>(
    url: string,
    init: RequestInit,
    read: (response: Response) => Promise<T>,
    timeout_ms: number,
    signal: AbortSignal | undefined,
  ): Promise<T> => {
    const deadline = AbortSignal.timeout(timeout_ms);
    try {
      return await read(
        await fetch(url, { ...init, signal: signal ? AbortSignal.any([signal, deadline]) : deadline }),
      );
    } catch (error) {
      if (error instanceof ApiError) throw error;
      if (signal?.aborted) throw signal.reason;
      if (deadline.aborted) throw new TimeoutError(`No response within ${timeout_ms} ms`, { cause: error });
      throw new ConnectionError(`Cannot reach ${base_url}: ${reasonOf(error)}`, { cause: error });
    }
  };

  /** `read` belongs to each attempt: a connection can break while the body of the response arrives. */
  const perform = async <T>(
    operation: OperationInfo,
    path: string,
    input: unknown,
    request: RequestOptions,
    read: (response: Response) => Promise<T>,
  ): Promise<T> => {
    const { method } = operation;
    const key = operation.idempotent ? (request.idempotency_key ?? crypto.randomUUID()) : undefined;
    const repeatable = method === 'GET' || key !== undefined;
    const isQuery = method === 'GET' || method === 'DELETE';
    const isForm = typeof FormData !== 'undefined' && input instanceof FormData;
    const url = base_url + path + (isQuery ? queryOf(input) : '');
    const init: RequestInit = {
      method,
      redirect: 'manual',
      headers: {
        ...identity,
        ...(api_key ? { authorization: `Bearer ${api_key}` } : {}),
        ...(isQuery || isForm || input === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...request.headers,
      },
      ...(isQuery || input === undefined
        ? {}
        : { body: isForm ? (input as FormData) : JSON.stringify(input) }),
    };
    const retries = request.max_retries ?? options.max_retries ?? 2;
    const timeout_ms = request.timeout_ms ?? options.timeout_ms ?? 60_000;
    const readSuccess = async (response: Response) => {
      await requireSuccess(response, operation.redirects === true);
      return read(response);
    };
    for (let attempt = 0; ; attempt++) {
      try {
        return await once(url, init, readSuccess, timeout_ms, request.signal);
      } catch (error) {
        if (!isFailure(error) || attempt >= retries || !mayRepeat(error, repeatable)) throw error;
        await pause(delayOf(error, attempt), request.signal);
      }
    }
  };

  return {
    send: (operation, path, input, request = {}) =>
      perform(operation, path, input, request, async (response) => response),
    json: <T>(operation: OperationInfo, path: string, input: unknown, request: RequestOptions = {}) =>
      perform(operation, path, input, request, resultOf) as Promise<T>,
  };
}

type Failure = ApiError | ConnectionError | TimeoutError;
const isFailure = (error: unknown): error is Failure =>
  error instanceof ApiError || error instanceof ConnectionError || error instanceof TimeoutError;

function mayRepeat(failure: Failure, repeatable: boolean): boolean {
  if (!(failure instanceof ApiError)) return repeatable;
  if ((failure.retry_after_seconds ?? 0) > longest_retry_after_seconds) return false;
  if (notDone.has(failure.status)) return true;
  return repeatable && (unclear.has(failure.status) || failure.code === 'idempotency_in_progress');
}

/**
 * The delay that the server requests, else exponential backoff from half a second with jitter, so that clients do not
 * retry at the same time.
 */
function delayOf(failure: Failure, attempt: number): number {
  if (failure instanceof ApiError && failure.retry_after_seconds !== null)
    return failure.retry_after_seconds * 1000;
  return 500 * 2 ** attempt * (0.5 + Math.random() / 2);
}

export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const timer = setTimeout(done, ms);
    function done() {
      signal?.removeEventListener('abort', stop);
      resolve();
    }
    function stop() {
      clearTimeout(timer);
      reject(signal!.reason);
    }
    signal?.addEventListener('abort', stop, { once: true });
  });

function queryOf(input: unknown): string {
  const fields = Object.entries((input ?? {}) as Record<string, unknown>).filter(
    ([, value]) => value != null,
  );
  const pairs = fields.flatMap(([key, value]): [string, string][] =>
    // A map becomes one parameter for each entry, such as metadata[order]=7.
    typeof value === 'object'
      ? Object.entries(value as object).map(([name, each]) => [`${key}[${name}]`, String(each)])
      : [[key, String(value)]],
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error ? cause.message || cause.name : message;
}
