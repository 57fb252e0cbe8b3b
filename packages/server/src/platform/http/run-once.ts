// Runs the work of an idempotent request, or finds the response that the first request with its key got.
import type { ErrorCode } from '@parley/contract/errors';
import { type Idempotency, isKeyTaken } from '../idempotency.ts';
import type { Answer } from './answer.ts';
import { ApiError } from './api-error.ts';
import type { Problem } from './problem.ts';

export type Claim = NonNullable<ReturnType<Idempotency['request']>>;

const attempts = 3;
const missing_rights: readonly ErrorCode[] = ['insufficient_scope', 'role_too_low', 'person_required'];

/** Throws what `run` throws when no earlier response is stored. */
export async function runOnce<T>(
  idempotency: Pick<Idempotency, 'replay'>,
  claim: Claim,
  run: () => T | Promise<T>,
): Promise<{ output: T } | { stored: Answer }> {
  for (let attempt = 1; ; attempt++) {
    try {
      return { output: await run() };
    } catch (error) {
      const is_key_taken = isKeyTaken(error);
      if (!(is_key_taken || error instanceof ApiError) || attempt === attempts) throw error;
      // The error may be a consequence of the first request with this key, for example a conflict with its record.
      if (error instanceof ApiError && error.options.is_stored) throw error;
      // Another caller may not have the rights of the first one.
      if (error instanceof ApiError && missing_rights.includes(error.code)) throw error;
      const stored = await idempotency.replay(claim);
      if (stored) return { stored };
      if (!is_key_taken) throw error;
    }
  }
}

/** The same for other protocols: what `run` returns now or returned before, or the problem that is stored. */
export async function valueOnce<T>(
  idempotency: Pick<Idempotency, 'replay'>,
  claim: Claim,
  run: () => Promise<T>,
): Promise<{ value: T } | { problem: Problem }> {
  const result = await runOnce(idempotency, claim, run);
  if ('output' in result) return { value: result.output };
  const { status, body } = result.stored;
  return status < 400 ? { value: body as T } : { problem: body as Problem };
}
