// What stays open for a caller, such as a stream, a request that waits or a socket, ends when its credential ends. Each process looks
// at everything that is open a few times a second, because the credential may end on another one.
import { errors } from '@parley/contract/errors';
import type { Log } from '../log.ts';
import { ApiError } from './api-error.ts';
import { recognize } from './authenticate.ts';
import type { Authenticator, Caller } from './context.ts';

export type Hold = {
  bearer: string;
  caller: Caller;
  /** Throws when the caller lost the right; left out when a valid credential is enough. */
  requireAllowed?: (caller: Caller) => void;
  end(error: ApiError): void;
};

const look_ms = 400;
/** When many changed at once, their rows are read together, but with few connections. */
const looks_at_once = 8;

export function openHolds(deps: {
  authenticators: readonly Authenticator[];
  /** Reads which credentials changed, now. */
  refresh(): Promise<void>;
  log: Log;
}) {
  const holds = new Set<Hold>();
  let timer: NodeJS.Timeout | undefined;
  let is_looking = false;

  const release = (hold: Hold): void => {
    holds.delete(hold);
    if (holds.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  const lookAt = async (hold: Hold): Promise<void> => {
    const error = await endOf(deps.authenticators, hold).catch((unknown) => {
      deps.log.warn({ err: unknown }, 'looking at a credential failed, retrying');
      return null;
    });
    if (!error || !holds.has(hold)) return;
    release(hold);
    hold.end(error);
  };

  const look = async (): Promise<void> => {
    if (is_looking) return;
    is_looking = true;
    try {
      await deps.refresh();
      const all = [...holds];
      for (let first = 0; first < all.length; first += looks_at_once)
        await Promise.all(all.slice(first, first + looks_at_once).map(lookAt));
    } catch (error) {
      // Nothing is known about the credentials, so everything stays open until the database answers again.
      deps.log.warn({ err: error }, 'looking at the credentials of open streams failed, retrying');
    } finally {
      is_looking = false;
    }
  };

  return {
    /** Calls `end` once, when the credential ends; returns a function that stops watching it. */
    add(hold: Hold): () => void {
      holds.add(hold);
      timer ??= setInterval(look, look_ms).unref();
      return () => release(hold);
    },
  };
}
export type OpenHolds = ReturnType<typeof openHolds>;

/** Why the hold must end; null while the credential has the rights with which it was opened. */
async function endOf(
  authenticators: readonly Authenticator[],
  { bearer, caller, requireAllowed }: Hold,
): Promise<ApiError | null> {
  try {
    const now = await recognize(authenticators, bearer);
    if (!now) return new ApiError('unauthenticated');
    if (now === caller) return null;
    requireAllowed?.(now);
    return hasSameRights(now, caller) ? null : new ApiError('unauthenticated');
  } catch (error) {
    // Otherwise it is not known: the keys of an issuer cannot be loaded, for example.
    if (error instanceof ApiError && errors[error.code].status < 500) return error;
    throw error;
  }
}

/** With other rights the client opens it again, and gets what it may see now. */
const hasSameRights = (now: Caller, before: Caller): boolean =>
  now.identity.organization_id === before.identity.organization_id &&
  now.identity.user_id === before.identity.user_id &&
  now.role === before.role &&
  now.scopes.length === before.scopes.length &&
  now.scopes.every((scope) => before.scopes.includes(scope));
