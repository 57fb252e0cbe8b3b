// Traces of one process: what features may do with spans. Null everywhere when tracing is off, so that it costs nothing.

export type SpanKind = 'internal' | 'server' | 'client' | 'consumer';

/** Ids, counts and codes of closed sets only: no addresses, phone numbers or texts of people. */
export type Attribute = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, Attribute | null | undefined>>;

export type SpanOptions = {
  kind?: SpanKind;
  /**
   * A `traceparent`, with its `tracestate` after a blank (protocols/trace-context.ts). Null or malformed: the span starts a
   * new trace. Left out: it is a child of the current span.
   */
  parent?: unknown;
  attributes?: Attributes;
};

export type Span = {
  /** For the next service, in the form of `parent`; null when the trace is not sampled and did not come from outside. */
  readonly traceparent: string | null;
  set(attributes: Attributes): void;
  /** Marks the span as failed, with a code. */
  fail(code: string): void;
  end(): void;
};

export type Tracing = {
  /** A span that the caller ends. */
  begin(name: string, options?: SpanOptions): Span;
  /** Runs the work with the span as the current one; null: with none. */
  within<T>(span: Span | null, work: () => T): T;
  /** Runs the work in a new span, which ends with it. An error that the work throws marks the span. */
  span<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
  /** The trace of the current span in the form of `parent`, to store or to send. */
  current(): string | null;
  /** Called for every span that could not be exported. */
  onDrop(count: () => void): void;
  /** Exports the ended spans; gives up when `cut` aborts. */
  stop(cut?: AbortSignal): Promise<void>;
};
