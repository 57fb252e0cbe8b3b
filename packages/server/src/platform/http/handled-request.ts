// What the request log keeps of a request, read when its response starts.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUuid } from '../ids.ts';

export type HandledRequest = {
  organization_id: string;
  request_id: string;
  /** The client sent the id. It may use the same one twice. */
  id_from_client: boolean;
  operation: string;
  method: string;
  /** Without the query, which may name people. */
  path: string;
  status: number;
  code: string | null;
  credential_kind: string;
  credential_id: string;
  /** The record that the request created or named. */
  object_id: string | null;
  duration_us: number;
};

/** Must return at once: the response waits for it. */
export type LogRequest = (request: HandledRequest) => void;

const created_id = /"id":"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"/;
/** The code of a problem is in its first bytes or close behind: `detail` is limited. */
const problem_code = /"code":"(\w{1,64})","fix"/;
const max_path_chars = 500;

/** Null for a request without a valid credential, and for one outside of the contract, such as a health check. */
export function handledRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  duration_ms: number,
): HandledRequest | null {
  const { caller, operation } = request;
  if (!caller || operation === 'other') return null;
  const status = reply.statusCode;
  const text = typeof payload === 'string' ? payload : '';
  const query_at = request.url.indexOf('?');
  const path = query_at < 0 ? request.url : request.url.slice(0, query_at);
  return {
    organization_id: caller.identity.organization_id,
    request_id: request.id,
    id_from_client: request.headers['x-request-id'] === request.id,
    operation,
    method: request.method,
    path: path.length > max_path_chars ? path.slice(0, max_path_chars) : path,
    status,
    code: status < 400 ? null : (problem_code.exec(text)?.[1] ?? null),
    credential_kind: caller.credential_kind,
    credential_id: caller.credential_id,
    object_id: (status === 201 ? created_id.exec(text)?.[1] : undefined) ?? namedId(request.params),
    duration_us: Math.round(duration_ms * 1000),
  };
}

/** The last id in the path: that of a delivery, not of its subscription. */
function namedId(params: unknown): string | null {
  if (typeof params !== 'object' || params === null) return null;
  let id: string | undefined;
  for (const value of Object.values(params)) if (typeof value === 'string' && isUuid(value)) id = value;
  return id?.toLowerCase() ?? null;
}
