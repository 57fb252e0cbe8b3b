// The caller and the request: every handler gets this context beside its validated input.
import type { ConversationRight } from '@parley/contract/access/credentials/conversation-rights';
import type { Identity } from '@parley/contract/access/identity';
import type { Role } from '@parley/contract/access/roles';
import type { InputOf, Operation, OperationGroup, Operations, OutputOf } from '@parley/contract/operation';
import type { IdempotentRequest } from '../idempotency.ts';
import type { Log } from '../log.ts';

/**
 * `operator_key`: the second secret of a server with a shared key, held by a person. `session`: the console's token of a signed-in person. `oauth`: a token that a person granted to a program.
 * `outside_token`: a JWT of the configured external issuer. `conversation_token`: limited to one conversation.
 */
export type CredentialKind =
  | 'shared_key'
  | 'operator_key'
  | 'api_key'
  | 'session'
  | 'oauth'
  | 'outside_token'
  | 'conversation_token';

/** Whether a person acts, and not a program that a person gave a credential to. */
export const isPerson = ({ credential_kind }: Pick<Caller, 'credential_kind'>): boolean =>
  credential_kind === 'session' || credential_kind === 'outside_token' || credential_kind === 'operator_key';

/** What a conversation token is limited to. */
export type ConversationScope = {
  /** A thread, or a conversation with all of its threads. */
  id: string;
  /** The threads that it may see; for a thread, only that. */
  thread_ids: readonly string[];
  token_id: string;
  may: readonly ConversationRight[];
  expires_ms: number;
  /** The credential that created it: its budgets and rules apply. */
  issuer: { credential_kind: CredentialKind; credential_id: string; lineage?: readonly string[] };
};

export type Caller = {
  /** `superadmin` is true only if this credential has the power, not whenever its owner is a superadmin. */
  identity: Identity;
  credential_kind: CredentialKind;
  /** Names the credential for rate limits and logs; never the credential itself. */
  credential_id: string;
  /**
   * The credentials that it descends from, nearest first: their budgets, rules and limits apply to it too. Left out when a
   * person issued it.
   */
  lineage?: readonly string[];
  /** `*`, `admin`, `<noun>:read`, `<noun>:write`. */
  scopes: readonly string[];
  /** The person who issued the credential confirmed that everyone it writes to agreed. False when left out. */
  grants_consent?: boolean;
  /** The shared key of a server without accounts that has an operator key too: what operators decide is not for it. */
  beside_operator_key?: boolean;
  /** When the credential expires; null for never. A credential that it issues must not live longer. */
  expires_ms: number | null;
  /** The owner is a superadmin, but this credential does not have the power. */
  superadmin_withheld: boolean;
  /** The person's rights over the members of the organization. */
  role: Role;
  /** Only for a shared key: the keys that it issues end with it. */
  shared_key_fingerprint?: string;
  /** Only for a conversation token. */
  conversation?: ConversationScope;
};

/** Keys of one lineage share the limits of their first one: otherwise a key could have more of them by creating keys. */
export const limitedAs = ({ credential_id, lineage }: Pick<Caller, 'credential_id' | 'lineage'>): string =>
  lineage?.at(-1) ?? credential_id;

/** Returns the caller of a bearer credential, or null. Throws an ApiError for a valid credential that may not be used. */
export type Authenticator = (bearer: string) => Caller | null | Promise<Caller | null>;

export type Context = {
  caller: Caller;
  organization_id: string;
  request_id: string;
  /** The client address. */
  ip(): string;
  log: Log;
  /** The last event that the client of a stream has seen. */
  last_event_id: string | null;
  /** Present when the caller sent an Idempotency-Key. */
  idempotency: IdempotentRequest | null;
  /**
   * Runs when the response is sent, the client disconnects or the credential ends: for requests that wait. After the end of
   * the credential the caller gets an error, whatever the handler returns.
   */
  onClose(action: () => void): void;
  /**
   * Runs once, within a second after the credential ends or loses the right to this operation, on every process: for what the
   * request opens and leaves open, such as a socket. Returns a function that stops watching.
   */
  hold(end: () => void): () => void;
};

export type Handler<O extends Operation> = (
  input: InputOf<O>,
  context: Context,
) => OutputOf<O> | Promise<OutputOf<O>>;

/** One handler per operation: a missing or misspelled one does not compile. */
export type Handlers<G extends OperationGroup> =
  G extends OperationGroup<infer T extends Operations> ? { [Name in keyof T]: Handler<T[Name]> } : never;

export type Routes = { group: OperationGroup; handlers: Record<string, Handler<Operation>> };

export const routesOf = <T extends Operations>(
  group: OperationGroup<T>,
  handlers: Handlers<OperationGroup<T>>,
): Routes => ({ group, handlers: handlers as Routes['handlers'] });
