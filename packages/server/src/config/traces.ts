// The settings of traces. The names with OTEL_ are those of the OpenTelemetry specification.
import { type Setting, text, url } from '../platform/settings.ts';

function readRatio(text: string): number {
  const ratio = Number(text);
  if (text.trim() === '' || !(ratio >= 0 && ratio <= 1)) throw new Error('expected a number from 0 to 1');
  return ratio;
}

const header_name = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const readHeaders = (text: string) => readPairs(text, (name) => name.toLowerCase(), header_name);
const readResource = (text: string) => readPairs(text, (name) => name, /^[\x21-\x7e]{1,200}$/);

function readSwitch(text: string): boolean {
  const value = text.trim().toLowerCase();
  if (value !== 'true' && value !== 'false') throw new Error('expected true or false');
  return value === 'true';
}

/** `name=value` pairs separated by commas; values are percent-encoded. */
function readPairs(text: string, nameOf: (name: string) => string, names: RegExp): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const pair of text.split(',')) {
    const at = pair.indexOf('=');
    const name = nameOf(pair.slice(0, at).trim());
    if (at < 1 || !names.test(name)) throw new Error('expected name=value pairs separated by commas');
    try {
      pairs[name] = decodeURIComponent(pair.slice(at + 1).trim());
    } catch {
      throw new Error('expected percent-encoded values');
    }
  }
  return pairs;
}

export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: url({
    default: null,
    default_note: 'none: tracing is off',
    protocols: ['http:', 'https:'],
    meaning:
      'An OpenTelemetry collector that accepts OTLP over HTTP, such as http://127.0.0.1:4318. Spans are sent to its path /v1/traces, as JSON.',
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url({
    default: null,
    default_note: 'none',
    protocols: ['http:', 'https:'],
    meaning:
      'The full address for spans, in place of OTEL_EXPORTER_OTLP_ENDPOINT with /v1/traces. It turns tracing on too.',
  }),
  OTEL_SDK_DISABLED: {
    default: false,
    meaning: 'true: tracing is off, also with the address of a collector.',
    read: readSwitch,
  } satisfies Setting<boolean> as Setting<boolean> & { default: boolean },
  OTEL_RESOURCE_ATTRIBUTES: {
    default: null,
    meaning:
      'Attributes of every span of this process: name=value, separated by commas, values percent-encoded, such as deployment.environment.name=production.',
    read: readResource,
  } satisfies Setting<Record<string, string>> as Setting<Record<string, string>> & { default: null },
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
