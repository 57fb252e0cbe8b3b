// Reads and writes the header `traceparent` (W3C Trace Context, section 3.2).

export type TraceContext = { trace_id: string; span_id: string; sampled: boolean };

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Null for everything that is not a valid header: a malformed one must be ignored. */
export function parseTraceparent(header: unknown): TraceContext | null {
  if (typeof header !== 'string' || header.length > 512) return null;
  const match = pattern.exec(header.trim());
  if (!match) return null;
  const [, version, trace_id, span_id, flags, rest] = match as unknown as [string, ...string[]];
  // Version ff is forbidden; version 00 has exactly four parts, later versions may have more.
  if (version === 'ff' || (version === '00' && rest !== undefined)) return null;
  if (/^0+$/.test(trace_id!) || /^0+$/.test(span_id!)) return null;
  return { trace_id: trace_id!, span_id: span_id!, sampled: (Number.parseInt(flags!, 16) & 1) === 1 };
}

export const formatTraceparent = ({ trace_id, span_id, sampled }: TraceContext): string =>
  `00-${trace_id}-${span_id}-${sampled ? '01' : '00'}`;
