// Finds the caller of a request: one bearer credential, recognized by one of the authenticators.
import type { FastifyRequest } from 'fastify';
import { ApiError } from './api-error.ts';
import type { Authenticator, Caller } from './context.ts';
import type { FailedCredentials } from './failed-credentials.ts';
import { clientNetwork } from './named-client.ts';
import { whenKnown } from './when-known.ts';

type Found = Caller | null | Promise<Caller | null>;

export function authentication(deps: {
  authenticators: readonly Authenticator[];
  failures: FailedCredentials;
}): (request: FastifyRequest) => Found {
  const { authenticators, failures } = deps;

  const failed = (request: FastifyRequest, bearer: string) => failures.failed(clientNetwork(request), bearer);

  const settled = (request: FastifyRequest, bearer: string, caller: Caller | null): Caller | null => {
    if (!caller) failed(request, bearer);
    else if (!failures.isEmpty()) failures.worked(clientNetwork(request), bearer);
    return caller;
  };

  /** A valid credential of a person without a membership costs a lookup each time, so it counts as a failure. */
  const thrown = (request: FastifyRequest, bearer: string, error: unknown): never => {
    if (error instanceof ApiError && error.code === 'user_not_provisioned') failed(request, bearer);
    throw error;
  };

  return (request) => {
    const bearer = bearerOf(request);
    if (!bearer) return null;
    if (!failures.isEmpty()) refuseAboveLimit(failures, clientNetwork(request), bearer);
    try {
      const authenticator = recognize(authenticators, bearer);
      return authenticator instanceof Promise
        ? authenticator.then(
            (caller) => settled(request, bearer, caller),
            (error) => thrown(request, bearer, error),
          )
        : settled(request, bearer, authenticator);
    } catch (error) {
      return thrown(request, bearer, error);
    }
  };
}

function refuseAboveLimit(failures: FailedCredentials, network: string, bearer: string): void {
  const wait_seconds = failures.waitSeconds(network, bearer);
  if (wait_seconds === 0) return;
  throw new ApiError('rate_limited', {
    detail: 'Too many wrong credentials came from this address.',
    fix: 'Check the credential, wait for the number of seconds in Retry-After, and send the request again.',
    retry_after_seconds: wait_seconds,
    rate_limit: { limit: failures.limit, remaining: 0, reset_seconds: wait_seconds },
  });
}

export function bearerOf(request: FastifyRequest): string | null {
  const header = request.headers.authorization;
  // Node drops a repeated Authorization header; only the raw headers show that there were two.
  if (!header || header.length > 8192 || countAuthorization(request.raw.rawHeaders) !== 1) return null;
  return /^bearer +([^\s]+)$/i.exec(header)?.[1] ?? null;
}

/** The caller of a credential; null when no authenticator recognizes it. */
export function recognize(authenticators: readonly Authenticator[], bearer: string): Found {
  const [first, ...others] = authenticators;
  if (!first) return null;
  return whenKnown(first(bearer), (caller) => caller ?? recognize(others, bearer));
}

function countAuthorization(raw: string[]): number {
  let count = 0;
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!;
    if (name.length === 13 && name.toLowerCase() === 'authorization') count++;
  }
  return count;
}
