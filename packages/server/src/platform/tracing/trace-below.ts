// The spans of one record whose work goes on in timers and callbacks, where the current span is that of other work, or none.
import type { Attributes, Span, SpanOptions, Tracing } from './trace.ts';

/** Where spans begin: below the current one, or below a record's. */
export type TraceParent = Pick<Tracing, 'begin' | 'span'>;

export type RecordTrace = TraceParent & {
  /** Below the record itself, whatever it is doing. */
  readonly record: TraceParent;
  /** Begins what the record does next: until it ends, new spans are its children. */
  enter(name: string, options?: SpanOptions): Span;
  /** Adds attributes to what the record is doing. */
  set(attributes: Attributes): void;
};

export function traceBelow(tracing: Tracing, record: Span): RecordTrace {
  let inner = record;
  const below = (parent: () => Span): TraceParent => ({
    begin: (name, options) => tracing.within(parent(), () => tracing.begin(name, options)),
    span: (name, options, work) => tracing.within(parent(), () => tracing.span(name, options, work)),
  });
  const of_record = below(() => record);
  return {
    ...below(() => inner),
    record: of_record,
    enter(name, options) {
      const span = of_record.begin(name, options);
      inner = span;
      const leave = () => {
        if (inner === span) inner = record;
        span.end();
      };
      return { traceparent: span.traceparent, set: span.set, fail: span.fail, end: leave };
    },
    set: (attributes) => inner.set(attributes),
  };
}
