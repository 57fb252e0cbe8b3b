// Starts tracing where a collector is configured. Nothing of it is loaded otherwise.
import { version } from '@parley/contract/version';
import type { Config } from '../config/config.ts';
import type { Log } from '../platform/log.ts';
import type { Tracing } from '../platform/tracing/trace.ts';

export async function startTracing(config: Config, log: Log): Promise<Tracing | null> {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === null) return null;
  const { tracer } = await import('../platform/tracing/tracer.ts');
  const { otlpExporter } = await import('../platform/tracing/otlp-exporter.ts');
  return tracer({
    ratio: config.PARLEY_TRACE_RATIO,
    exporter: otlpExporter({
      url: `${endpoint}/v1/traces`,
      headers: config.OTEL_EXPORTER_OTLP_HEADERS ?? {},
      service_name: config.OTEL_SERVICE_NAME,
      version,
      log,
    }),
  });
}
