// Makes spans, keeps the current one per asynchronous context, and passes ended spans to the exporter. Loaded only when tracing is on.
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { formatTrace, parseTrace, type TraceContext } from '../../protocols/trace-context.ts';
import type { EndedSpan, Exporter } from './otlp-exporter.ts';
import type { Attribute, Attributes, Span, SpanOptions, Tracing } from './trace.ts';

/** `is_passed_on`: others need the ids, because the trace is recorded or came from outside. */
type Context = TraceContext & { is_passed_on: boolean };
type OwnSpan = Span & { context: Context };

export type Sampling = {
  /** The share of traces that is recorded, 0 to 1. */
  ratio: number;
  /** A trace that comes from outside follows its sampled flag, whatever the share. */
  follows_caller: boolean;
};

type Deps = { exporter: Exporter; sampling: Sampling };

export function tracer({ exporter, sampling }: Deps): Tracing {
  const storage = new AsyncLocalStorage<OwnSpan | null>();

  const parentOf = (options: SpanOptions): Context | null => {
    if (!('parent' in options)) return storage.getStore()?.context ?? null;
    const parsed = parseTrace(options.parent);
    return parsed && { ...parsed, is_passed_on: true };
  };

  const begin = (name: string, options: SpanOptions = {}): OwnSpan => {
    const parent = parentOf(options);
    const trace_id = parent?.trace_id ?? newId(16);
    const is_chosen_by_caller = sampling.follows_caller ? parent?.sampled : undefined;
    const sampled = is_chosen_by_caller ?? isChosen(trace_id, sampling.ratio);
    const is_passed_on = sampled || (parent?.is_passed_on ?? false);
    const tracestate = parent?.tracestate ?? null;
    const context = { trace_id, span_id: newId(8), sampled, tracestate, is_passed_on };
    return makeSpan(exporter, { name, options, context, parent });
  };

  return {
    begin,
    within: (span, work) => storage.run(span as OwnSpan | null, work),
    span(name, options, work) {
      const span = begin(name, options);
      return storage.run(span, async () => {
        try {
          return await work(span);
        } catch (error) {
          span.fail(codeOf(error));
          throw error;
        } finally {
          span.end();
        }
      });
    },
    current: () => storage.getStore()?.traceparent ?? null,
    onDrop: exporter.onDrop,
    stop: exporter.stop,
  };
}

function makeSpan(
  exporter: Exporter,
  made: { name: string; options: SpanOptions; context: Context; parent: Context | null },
): OwnSpan {
  const { context, parent, options } = made;
  const start_ms = performance.now();
  const attributes: Record<string, Attribute> = {};
  let error_code: string | null = null;
  let is_ended = false;
  const set = (more: Attributes) => {
    for (const [name, value] of Object.entries(more))
      if (value !== null && value !== undefined) attributes[name] = value;
  };
  if (options.attributes) set(options.attributes);
  return {
    context,
    traceparent: context.is_passed_on ? formatTrace(context) : null,
    set,
    fail(code) {
      error_code = code;
    },
    end() {
      if (is_ended || !context.sampled) return;
      is_ended = true;
      exporter.add({
        trace_id: context.trace_id,
        span_id: context.span_id,
        tracestate: context.tracestate,
        parent_span_id: parent?.span_id ?? null,
        name: made.name,
        kind: options.kind ?? 'internal',
        start_ms,
        end_ms: performance.now(),
        attributes,
        error_code,
      } satisfies EndedSpan);
    },
  };
}

const newId = (bytes: number) => randomBytes(bytes).toString('hex');

/** The same decision in every service that uses the same ratio: it depends on the trace id only. */
const isChosen = (trace_id: string, ratio: number) =>
  Number.parseInt(trace_id.slice(-13), 16) < ratio * 2 ** 52;

/** The stable code of an error; never its message, which may contain what a person wrote. */
function codeOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'error';
}
