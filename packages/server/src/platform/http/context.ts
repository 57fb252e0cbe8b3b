// Who asks and what comes with the request: handed to every handler beside its validated input.
import type { Identity } from '@parley/contract/identity';
import type { InputOf, Operation, OperationGroup, Operations, OutputOf } from '@parley/contract/operation';
import type { Role } from '@parley/contract/roles';
import type { IdempotentRequest } from '../idempotency.ts';
import type { Log } from '../log.ts';
import type { JsonText } from './json-text.ts';

/**
 * `session`: a token of the console for a signed-in person. `oauth`: a token that a person granted to a program.
 * `outside_token`: a JWT of the configured outside issuer.
 */
export type CredentialKind = 'shared_key' | 'api_key' | 'session' | 'oauth' | 'outside_token';

export type Caller = {
  /** `superadmin` is true only if this credential carries the power, not whenever its owner is a superadmin. */
  identity: Identity;
  credential_kind: CredentialKind;
  /** Names the credential for rate limits and logs; never the credential itself. */
  credential_id: string;
  /** `*`, `admin`, `<noun>:read`, `<noun>:write`. */
  scopes: readonly string[];
  /** When the credential ends by itself; null: never. What it issues must not live longer. */
  expires_ms: number | null;
  /** The owner is a superadmin, but this credential does not carry the power. */
  superadmin_withheld: boolean;
  /** What the person may do with the people of the organization. */
  role: Role;
};

/** Recognises a bearer credential, or says null. Throws an ApiError for one that is genuine and yet of no use. */
export type Authenticator = (bearer: string) => Caller | null | Promise<Caller | null>;

export type Context = {
  caller: Caller;
  organization_id: string;
  request_id: string;
  /** Where the request came from. */
  ip(): string;
  log: Log;
  /** Where a stream is to go on, as the client says. */
  last_event_id: string | null;
  /** Present when the caller sent an Idempotency-Key. */
  idempotency: IdempotentRequest | null;
  /** Runs when the answer is out or the caller went away, whichever comes first: for requests that wait. */
  onClose(action: () => void): void;
};

export type Handler<O extends Operation> = (
  input: InputOf<O>,
  context: Context,
) => OutputOf<O> | JsonText | Promise<OutputOf<O> | JsonText>;

/** One handler for each operation: a missing or misspelled one does not compile. */
export type Handlers<G extends OperationGroup> =
  G extends OperationGroup<infer T extends Operations> ? { [Name in keyof T]: Handler<T[Name]> } : never;

export type Routes = { group: OperationGroup; handlers: Record<string, Handler<Operation>> };

export const routesOf = <T extends Operations>(
  group: OperationGroup<T>,
  handlers: Handlers<OperationGroup<T>>,
): Routes => ({ group, handlers: handlers as Routes['handlers'] });
