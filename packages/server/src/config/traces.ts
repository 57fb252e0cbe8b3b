// The settings of traces. The names with OTEL_ are those of the OpenTelemetry specification.
import { choice, type Setting, type SettingsOf, text, url } from '../platform/settings.ts';
import type { Sampling } from '../platform/tracing/tracer.ts';

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

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
const sampler_choice = choice({
  default: null,
  default_note: 'parentbased_always_on',
  of: samplers,
  meaning: `Which traces are recorded: one of ${samplers.join(', ')}. With parentbased_ a request with the header traceparent follows its sampled flag.`,
});
/** The specification compares the names without regard to case. */
const sampler = {
  ...sampler_choice,
  read: (text: string) => sampler_choice.read(text.trim().toLowerCase()),
};

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
  OTEL_TRACES_SAMPLER: sampler,
  OTEL_TRACES_SAMPLER_ARG: {
    default: null,
    default_note: '1',
    meaning:
      'The share of traces that traceidratio and parentbased_traceidratio record, from 0 to 1; the other samplers do not use it.',
    read: readRatio,
  } satisfies Setting<number> as Setting<number> & { default: null },
  PARLEY_TRACE_RATIO: {
    default: null,
    default_note: '1',
    meaning:
      'A short form of OTEL_TRACES_SAMPLER=parentbased_traceidratio with OTEL_TRACES_SAMPLER_ARG: the share of new traces that is recorded, from 0 to 1. Set only one of the two forms.',
    read: readRatio,
  } satisfies Setting<number> as Setting<number> & { default: null },
} as const;

type TracingSettings = SettingsOf<typeof tracingSettings>;

/** A share that no sampler uses would be ignored, and everything recorded. */
export function tracingProblems(values: TracingSettings): string[] {
  const { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: share, PARLEY_TRACE_RATIO: ratio } = values;
  if (ratio !== null && (name !== null || share !== null))
    return ['PARLEY_TRACE_RATIO: set either it or OTEL_TRACES_SAMPLER with OTEL_TRACES_SAMPLER_ARG'];
  if (name === null && share !== null)
    return ['OTEL_TRACES_SAMPLER_ARG: set OTEL_TRACES_SAMPLER too, such as parentbased_traceidratio'];
  return [];
}

/** Which traces are recorded: the share of new ones, and whether a caller with a trace decides for its own. */
export function samplingOf(values: TracingSettings): Sampling {
  const name = values.OTEL_TRACES_SAMPLER ?? 'parentbased_traceidratio';
  const share = values.OTEL_TRACES_SAMPLER_ARG ?? values.PARLEY_TRACE_RATIO ?? 1;
  const ratio = name.endsWith('always_on') ? 1 : name.endsWith('always_off') ? 0 : share;
  return { ratio, follows_caller: name.startsWith('parentbased_') };
}
