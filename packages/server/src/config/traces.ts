// The settings of traces. The names with OTEL_ are those of the OpenTelemetry specification.
import { type Setting, text, url } from '../platform/settings.ts';

function readRatio(text: string): number {
  const ratio = Number(text);
  if (text.trim() === '' || !(ratio >= 0 && ratio <= 1)) throw new Error('expected a number from 0 to 1');
  return ratio;
}

/** `name=value` pairs separated by commas; values are percent-encoded. */
function readHeaders(text: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const pair of text.split(',')) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim().toLowerCase();
    if (at < 1 || !/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name))
      throw new Error('expected name=value pairs separated by commas');
    try {
      headers[name] = decodeURIComponent(pair.slice(at + 1).trim());
    } catch {
      throw new Error('expected percent-encoded values');
    }
  }
  return headers;
}

export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: url({
    default: null,
    default_note: 'none: tracing is off',
    protocols: ['http:', 'https:'],
    meaning:
      'An OpenTelemetry collector that accepts OTLP over HTTP, such as http://127.0.0.1:4318. Spans are sent to its path /v1/traces, as JSON.',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: {
    default: null,
    meaning:
      'Headers of the requests to the collector: name=value, separated by commas, values percent-encoded.',
    secret: true,
    read: readHeaders,
  } satisfies Setting<Record<string, string>> as Setting<Record<string, string>> & { default: null },
  OTEL_SERVICE_NAME: text({ default: 'parley', meaning: 'The name of this service in traces.' }),
  PARLEY_TRACE_RATIO: {
    default: 1,
    meaning:
      'The share of new traces that is recorded, from 0 to 1. A request with the header traceparent follows its sampled flag instead.',
    read: readRatio,
  } satisfies Setting<number> as Setting<number> & { default: number },
} as const;
