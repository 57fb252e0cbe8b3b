// A logged request as the API shows it.
import { operationGroups } from '@parley/contract';
import { findExplanation } from '@parley/contract/operations/explain/explanations';
import type { LoggedRequest } from '@parley/contract/operations/request-log';
import { momentOf } from '../../../platform/ids.ts';
import type { RequestRow } from './store.ts';

const routes = new Map<string, string>(
  operationGroups.flatMap(({ noun, operations }) =>
    Object.entries(operations).map(([name, { path }]) => [`${noun}.${name}`, path]),
  ),
);

export function presentRequest(row: RequestRow): LoggedRequest {
  const { request_id, method, path, operation, status, code, credential_kind, credential_id, object_id } =
    row;
  const explanation = code === null ? null : findExplanation('error', code);
  return {
    request_id,
    at: startOf(row).toISOString(),
    method,
    path,
    // An operation of an earlier release may be gone.
    route: routes.get(operation) ?? path,
    operation,
    status,
    code,
    credential_kind,
    credential_id,
    object_id,
    duration_ms: row.duration_us / 1000,
    verdict: explanation && { ...explanation, detail: null },
  };
}

/** A request id is of the moment when the request came in, the id of the row of the moment when its response started. */
function startOf({ id, request_id, duration_us }: RequestRow): Date {
  const moment = momentOf(id);
  return id === request_id ? moment : new Date(moment.getTime() - Math.round(duration_us / 1000));
}
