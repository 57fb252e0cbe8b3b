// Repeats requests to other services that fail for a moment: with pauses that grow, and that differ between processes.
import { setTimeout as pause } from 'node:timers/promises';

export type RetryOptions = {
  /** With the first one. */
  max_tries?: number;
  /** The first pause is at most this long; each further one at most twice as long as the one before. */
  base_ms?: number;
  /** No further try begins after this time. */
  within_ms?: number;
  signal?: AbortSignal;
  /** Whether another try may succeed. */
  isPassing?(error: unknown): boolean;
};

/** A pause is never longer than this, also where a server asks for more. */
const max_pause_ms = 10_000;

/** A failure of the other side that may be over soon. */
export class Passing extends Error {
  override name = 'Passing';
  /** How long the server asks to wait. */
  readonly after_ms: number;
  constructor(message: string, after_ms = 0) {
    super(message);
    this.after_ms = after_ms;
  }
}

/** Runs the work again while it fails for a moment. Throws the last failure. */
export async function withRetries<T>(work: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const { max_tries = 5, base_ms = 200, within_ms = Number.POSITIVE_INFINITY, signal } = options;
  const mayPass = options.isPassing ?? isPassing;
  const begun_ms = performance.now();
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const is_late = tries >= max_tries || performance.now() - begun_ms > within_ms;
      if (is_late || signal?.aborted || !mayPass(error)) throw error;
      const longest = Math.min(base_ms * 2 ** (tries - 1), max_pause_ms);
      const after_ms = error instanceof Passing ? Math.min(error.after_ms, max_pause_ms) : 0;
      await pause(Math.max(after_ms, longest * (0.5 + Math.random() / 2)), undefined, { signal });
    }
  }
}

const passing_codes = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

export const isPassing = (error: unknown): boolean => {
  if (error instanceof Passing) return true;
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return passing_codes.has(String(code)) || (cause instanceof Error && cause !== error && isPassing(cause));
};

/** 501 says that the request can never work, and 507 that the storage is full. */
export const isPassingStatus = (status: number): boolean =>
  status === 429 || (status >= 500 && status !== 501 && status !== 505 && status !== 507);

/** The header Retry-After in seconds; a date is left out. */
export const retryAfterMs = (header: string | string[] | undefined): number => {
  const seconds = Number(header);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
};
