// The trace of a tool call (W3C Trace Context): read from the request of the client, passed on to the API.
import type { ToolResult } from './result.ts';

export type TraceHeaders = { traceparent?: string; tracestate?: string };

/** Runs a tool call in a span. `work` gets the headers for the API. */
export type TraceTool = (
  tool: string,
  incoming: TraceHeaders,
  work: (outgoing: TraceHeaders) => Promise<ToolResult>,
) => Promise<ToolResult>;

/** Without tracing in this process, the trace of the client is passed on as it is. */
export const passTraceOn: TraceTool = (_, incoming, work) => work(incoming);

/** Clients without control over HTTP headers put the same values into `_meta`. */
export function traceOf(header: (name: string) => unknown, meta: unknown): TraceHeaders {
  const fields = (meta ?? {}) as Record<string, unknown>;
  const [traceparent, tracestate] =
    header('traceparent') === undefined
      ? [fields.traceparent, fields.tracestate]
      : [header('traceparent'), header('tracestate')];
  if (!isHeaderValue(traceparent)) return {};
  return isHeaderValue(tracestate) ? { traceparent, tracestate } : { traceparent };
}

const isHeaderValue = (value: unknown): value is string =>
  typeof value === 'string' && /^[\x20-\x7e]{1,1024}$/.test(value);
