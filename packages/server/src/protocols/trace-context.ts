// Reads and writes the headers `traceparent` and `tracestate` (W3C Trace Context, sections 3.2 and 3.3). Between functions and
// processes both are one text: the traceparent, and where there is a tracestate a blank and the tracestate.

export type TraceContext = { trace_id: string; span_id: string; sampled: boolean; tracestate: string | null };
export type TraceHeaders = { traceparent?: string; tracestate?: string };

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Null for everything that is not a valid header: a malformed one must be ignored. */
export function parseTrace(text: unknown): TraceContext | null {
  if (typeof text !== 'string' || text.length > 8192) return null;
  const [traceparent = '', ...rest] = text.trim().split(' ');
  const context = parseTraceparent(traceparent);
  return context && { ...context, tracestate: readTracestate(rest.join(' ')) };
}

function parseTraceparent(header: string): Omit<TraceContext, 'tracestate'> | null {
  const match = header.length > 512 ? null : pattern.exec(header);
  if (!match) return null;
  const [, version, trace_id, span_id, flags, rest] = match as unknown as [string, ...string[]];
  // Version ff is forbidden; version 00 has exactly four parts, later versions may have more.
  if (version === 'ff' || (version === '00' && rest !== undefined)) return null;
  if (/^0+$/.test(trace_id!) || /^0+$/.test(span_id!)) return null;
  return { trace_id: trace_id!, span_id: span_id!, sampled: (Number.parseInt(flags!, 16) & 1) === 1 };
}

const member_pattern =
  /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const max_members = 32;
const max_length = 512;
/** Members over this length are dropped first (section 3.3.1.5). */
const long_member = 128;

/** Null if it is empty or malformed. A long one is shortened at its end, where the oldest members are. */
function readTracestate(header: string): string | null {
  let members = header
    .split(',')
    .map((member) => member.trim())
    .filter(Boolean);
  if (members.length > max_members || !members.every((member) => member_pattern.test(member))) return null;
  if (members.join(',').length > max_length)
    members = members.filter((member) => member.length <= long_member);
  while (members.join(',').length > max_length) members.pop();
  return members.join(',') || null;
}

export const formatTrace = ({ trace_id, span_id, sampled, tracestate }: TraceContext): string =>
  `00-${trace_id}-${span_id}-${sampled ? '01' : '00'}${tracestate ? ` ${tracestate}` : ''}`;

/** The headers of an incoming request as one text; null without `traceparent`, because `tracestate` means nothing alone. */
export const joinTraceHeaders = ({ traceparent, tracestate }: Record<string, unknown>): string | null =>
  typeof traceparent !== 'string'
    ? null
    : typeof tracestate === 'string'
      ? `${traceparent} ${tracestate}`
      : traceparent;

/** The headers for an outgoing request. */
export function traceHeaders(trace: string): TraceHeaders & { traceparent: string } {
  const [traceparent = '', ...rest] = trace.split(' ');
  return rest.length === 0 ? { traceparent } : { traceparent, tracestate: rest.join(' ') };
}
