// Starts tracing where a collector is configured. Nothing of it is loaded otherwise.
import { randomUUID } from 'node:crypto';
import { version } from '@parley/contract/version';
import type { Config } from '../config/config.ts';
import { samplingOf } from '../config/traces.ts';
import type { Log } from '../platform/log.ts';
import type { Tracing } from '../platform/tracing/trace.ts';

export async function startTracing(config: Config, log: Log): Promise<Tracing | null> {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url = config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (endpoint && `${endpoint}/v1/traces`);
  if (url === null || config.OTEL_SDK_DISABLED) return null;
  const { tracer } = await import('../platform/tracing/tracer.ts');
  const { otlpExporter } = await import('../platform/tracing/otlp-exporter.ts');
  return tracer({
    sampling: samplingOf(config),
    exporter: otlpExporter({
      url,
      headers: config.OTEL_EXPORTER_OTLP_HEADERS ?? {},
      service_name: config.OTEL_SERVICE_NAME,
      resource: { 'service.instance.id': randomUUID(), ...config.OTEL_RESOURCE_ATTRIBUTES },
      version,
      log,
    }),
  });
}
