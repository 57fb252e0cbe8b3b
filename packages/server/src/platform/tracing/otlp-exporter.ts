// Sends ended spans to an OpenTelemetry collector: OTLP over HTTP with JSON (opentelemetry-proto, trace/v1).
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import type { Log } from '../log.ts';
import type { Attribute, SpanKind } from './trace.ts';

export type EndedSpan = {
  trace_id: string;
  span_id: string;
  parent_span_id: string | null;
  tracestate: string | null;
  name: string;
  kind: SpanKind;
  /** Monotonic, as of performance.now(). */
  start_ms: number;
  end_ms: number;
  attributes: Readonly<Record<string, Attribute>>;
  error_code: string | null;
};

export type Exporter = {
  add(span: EndedSpan): void;
  onDrop(count: () => void): void;
  stop(cut?: AbortSignal): Promise<void>;
};

export type ExporterOptions = {
  /** The full address, such as http://127.0.0.1:4318/v1/traces. Nothing is sent anywhere else: redirects are not followed. */
  url: string;
  headers: Readonly<Record<string, string>>;
  service_name: string;
  version: string;
  /** More attributes of this process; the name and version of the service go before them. */
  resource?: Readonly<Record<string, string>>;
  log: Log;
  interval_ms?: number;
  max_queued?: number;
};

const default_interval_ms = 2000;
const default_max_queued = 4096;
const batch_size = 512;
const timeout_ms = 10_000;
const tries = 3;
const warn_every_ms = 60_000;

type State = {
  options: ExporterOptions;
  queue: EndedSpan[];
  countDrop(): void;
  timer: NodeJS.Timeout | null;
  flushing: Promise<void> | null;
  last_warning_ms: number;
  stop: AbortController;
};

export function otlpExporter(options: ExporterOptions): Exporter {
  const state: State = {
    options,
    queue: [],
    countDrop: () => {},
    timer: null,
    flushing: null,
    last_warning_ms: Number.NEGATIVE_INFINITY,
    stop: new AbortController(),
  };
  return {
    add(span) {
      if (state.queue.length >= (options.max_queued ?? default_max_queued)) return state.countDrop();
      state.queue.push(span);
      if (state.queue.length >= batch_size) void flush(state);
      else schedule(state);
    },
    onDrop(count) {
      state.countDrop = count;
    },
    async stop(cut) {
      if (state.timer) clearTimeout(state.timer);
      const abort = () => state.stop.abort();
      if (cut?.aborted) abort();
      cut?.addEventListener('abort', abort, { once: true });
      while (state.flushing || state.queue.length > 0) await flush(state);
      cut?.removeEventListener('abort', abort);
    },
  };
}

function schedule(state: State): void {
  if (state.timer || state.flushing) return;
  state.timer = setTimeout(() => void flush(state), state.options.interval_ms ?? default_interval_ms).unref();
}

/** Sends everything that is queued, one batch after the other. Never rejects. */
function flush(state: State): Promise<void> {
  if (state.timer) clearTimeout(state.timer);
  state.timer = null;
  state.flushing ??= sendQueued(state).finally(() => {
    state.flushing = null;
  });
  return state.flushing;
}

async function sendQueued(state: State): Promise<void> {
  while (state.queue.length > 0) {
    const batch = state.queue.splice(0, batch_size);
    const problem = await sendBatch(state, batch);
    if (problem === null) continue;
    for (const _ of batch) state.countDrop();
    const now = performance.now();
    if (now - state.last_warning_ms < warn_every_ms) continue;
    state.last_warning_ms = now;
    state.options.log.warn({ problem, spans: batch.length }, 'spans not exported');
  }
}

/** Null when the collector accepted the batch, otherwise what went wrong. */
async function sendBatch(state: State, batch: readonly EndedSpan[]): Promise<string | null> {
  const body = JSON.stringify(payloadOf(state.options, batch));
  for (let attempt = 1; ; attempt++) {
    const { problem, is_final } = await post(state, body);
    if (problem === null || is_final || attempt === tries || state.stop.signal.aborted) return problem;
    await delay(500 * attempt, undefined, { signal: state.stop.signal, ref: false }).catch(() => {});
  }
}

/** OTLP specification, section "OTLP/HTTP Response": only these statuses are worth another try. */
const retryable = new Set([429, 502, 503, 504]);

async function post(
  { options, stop }: State,
  body: string,
): Promise<{ problem: string | null; is_final: boolean }> {
  try {
    const response = await request(options.url, {
      method: 'POST',
      headers: { ...options.headers, 'content-type': 'application/json' },
      body,
      signal: AbortSignal.any([stop.signal, AbortSignal.timeout(timeout_ms)]),
    });
    await response.body.dump();
    const { statusCode: status } = response;
    if (status >= 200 && status < 300) return { problem: null, is_final: true };
    return { problem: `status ${status}`, is_final: !retryable.has(status) };
  } catch (error) {
    const { code, name } = error as { code?: string; name?: string };
    return { problem: code ?? name ?? 'error', is_final: false };
  }
}

const kinds: Record<SpanKind, number> = { internal: 1, server: 2, client: 3, consumer: 5 };

const payloadOf = (options: ExporterOptions, spans: readonly EndedSpan[]) => ({
  resourceSpans: [
    {
      resource: {
        attributes: attributesOf({
          ...options.resource,
          'service.name': options.service_name,
          'service.version': options.version,
        }),
      },
      scopeSpans: [{ scope: { name: 'parley', version: options.version }, spans: spans.map(spanOf) }],
    },
  ],
});

const spanOf = (span: EndedSpan) => ({
  traceId: span.trace_id,
  spanId: span.span_id,
  ...(span.parent_span_id ? { parentSpanId: span.parent_span_id } : {}),
  ...(span.tracestate ? { traceState: span.tracestate } : {}),
  name: span.name,
  kind: kinds[span.kind],
  startTimeUnixNano: unixNano(span.start_ms),
  endTimeUnixNano: unixNano(span.end_ms),
  attributes: attributesOf(
    span.error_code === null ? span.attributes : { ...span.attributes, 'error.type': span.error_code },
  ),
  status: { code: span.error_code === null ? 0 : 2 },
});

/** Nanoseconds do not fit into a number. */
const unixNano = (monotonic_ms: number): string =>
  (BigInt(Math.round((performance.timeOrigin + monotonic_ms) * 1000)) * 1000n).toString();

const attributesOf = (attributes: Readonly<Record<string, Attribute>>) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: otlpValue(value) }));

function otlpValue(value: Attribute) {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'object')
    return { arrayValue: { values: value.map((each) => ({ stringValue: each })) } };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
