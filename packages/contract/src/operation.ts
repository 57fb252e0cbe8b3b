// Declares the operations of the API; routes, OpenAPI, docs and typed handlers derive from these values.
import type { z } from 'zod';
import type { ConversationRight } from './access/credentials/conversation-rights.ts';
import type { ErrorCode } from './errors.ts';
import { exits } from './rules/exits.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type Success =
  | { status: 200 | 201; body: z.ZodType; example: unknown }
  | { status: 204 | 302 }
  /** A stream of server-sent events; the handler writes the stream itself. */
  | { status: 200; stream: 'text/event-stream' };

export type Operation = {
  method: Method;
  /** In kebab-case, with parameters such as `{contact_id}`. */
  path: `/${string}`;
  summary: string;
  description?: string;
  /**
   * `public` operations need no credential. `any_credential` operations need a valid one, regardless of its scopes.
   * `superadmin` operations return 404 to every other caller.
   */
  access?: 'public' | 'any_credential' | 'superadmin';
  /** The right that a conversation token needs for it; without one, tokens cannot use the operation. */
  conversation?: ConversationRight;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  body_example?: unknown;
  /** The limit of the body, where it is not that of all JSON bodies. */
  body_bytes?: number;
  /** Accepts files instead of JSON: multipart/form-data parts with this name, read as a stream. */
  upload?: {
    field: string;
    description: string;
    /** Text parts of the form, beside the file. The handler reads and checks them after the file. */
    fields?: z.ZodObject;
  };
  /** A retry with the same Idempotency-Key gets the stored response. */
  idempotent?: true;
  success: Success;
  /** Errors specific to this operation, in addition to those that follow from its declaration. */
  errors?: readonly ErrorCode[];
};

export type Operations = Readonly<Record<string, Operation>>;

/** `noun` is the plural resource name. Operation ids are in snake_case and read `contacts.create`. */
export type OperationGroup<T extends Operations = Operations> = {
  noun: string;
  description: string;
  operations: T;
};

export const defineOperations = <const T extends Operations>(
  noun: string,
  description: string,
  operations: T,
): OperationGroup<T> => ({ noun, description, operations: withExitErrors(noun, operations) });

const exit_errors: readonly ErrorCode[] = ['held', 'not_allowed_by_policy', 'too_many_approvals'];

/** The approval policy may hold back or refuse every operation that lets data leave. */
const withExitErrors = <T extends Operations>(noun: string, operations: T): T =>
  Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [
      name,
      `${noun}.${name}` in exits
        ? { ...operation, errors: [...new Set([...(operation.errors ?? []), ...exit_errors])] }
        : operation,
    ]),
  ) as Operations as T;

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** A file that is being uploaded. Read its content to the end before requesting the next file. */
export type UploadedFile = {
  field: string;
  filename: string | null;
  content_type: string;
  content: AsyncIterable<Uint8Array>;
  /** The text parts of the form that were received so far. Complete when there is no further file. */
  fields: Readonly<Record<string, string>>;
};

/** The validated input of a handler. */
export type InputOf<O extends Operation> = {
  files: O['upload'] extends object ? AsyncIterable<UploadedFile> : undefined;
  params: Parsed<O['params']>;
  query: Parsed<O['query']>;
  body: Parsed<O['body']>;
};

/**
 * Produces text when iterated, and ends when the signal aborts: the client disconnected, or the process is stopping.
 */
export type TextStream = (signal: AbortSignal) => AsyncIterable<string>;

/** The return value of a handler. */
export type OutputOf<O extends Operation> = O['success'] extends { body: infer B extends z.ZodType }
  ? z.input<B>
  : O['success'] extends { status: 302 }
    ? { location: string }
    : O['success'] extends { stream: string }
      ? TextStream
      : undefined;

/** All errors of an operation: its own, and those that follow from its declaration. */
export function errorsOf(operation: Operation): ErrorCode[] {
  // Unknown query parameters are rejected everywhere, so every operation can return 422.
  const codes: ErrorCode[] = ['validation_failed', 'shutting_down'];
  if (operation.access !== 'public') {
    codes.push('unauthenticated', 'user_not_provisioned', 'organization_not_named');
    if (operation.access !== 'any_credential') codes.push('insufficient_scope');
    codes.push('rate_limited', 'database_unavailable', 'issuer_unavailable');
  }
  if (operation.query && 'cursor' in operation.query.shape) codes.push('invalid_cursor');
  if (operation.params || operation.access === 'superadmin') codes.push('not_found');
  if (operation.body) codes.push('malformed_json', 'payload_too_large', 'unsupported_media_type');
  if (operation.upload) codes.push('unsupported_media_type');
  if (operation.method !== 'GET') codes.push('storage_full');
  if (operation.access !== 'public') codes.push('storage_unavailable');
  if (operation.idempotent) codes.push('idempotency_in_progress', 'idempotency_key_reused');
  return [...new Set([...codes, ...(operation.errors ?? []), 'internal_error' as const])];
}
