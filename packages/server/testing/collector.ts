// An OpenTelemetry collector on loopback for tests: it stores the spans that it receives as OTLP over HTTP with JSON.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import type { Tracing } from '../src/platform/tracing/trace.ts';
import { waitFor } from './wait-for.ts';

type Value = {
  stringValue?: string;
  intValue?: string;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: { values: { stringValue: string }[] };
};
type Attribute = { key: string; value: Value };
export type CollectedSpan = {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status: { code: number };
  attributes: Attribute[];
};

export const attributesOf = ({ attributes }: Pick<CollectedSpan, 'attributes'>) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.arrayValue?.values.map(({ stringValue }) => stringValue) ?? Object.values(value)[0],
    ]),
  );

type Payload = {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: Omit<CollectedSpan, 'service'>[] }[];
  }[];
};

/** Closes itself at the end of the test file or suite. */
export async function startCollector() {
  const spans: CollectedSpan[] = [];
  const requests: { headers: IncomingHttpHeaders; resource: Record<string, string | undefined> }[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (status === 200 && request.url === '/v1/traces') {
        const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as Payload;
        for (const { resource, scopeSpans } of resourceSpans) {
          const named = Object.fromEntries(
            resource.attributes.map(({ key, value }) => [key, value.stringValue]),
          );
          requests.push({ headers: request.headers, resource: named });
          for (const span of scopeSpans.flatMap((scope) => scope.spans))
            spans.push({ ...span, service: named['service.name']! });
        }
      }
      response.writeHead(request.url === '/v1/traces' ? status : 404).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    respond(next: number) {
      status = next;
    },
    /** Waits for a span of this name in any trace. */
    find: (name: string, tracing: Pick<Tracing, 'stop'>) =>
      waitFor(`a span ${name}`, async () => {
        await tracing.stop();
        return spans.find((span) => span.name === name) ?? null;
      }),
    /** Waits until the trace has a span of each name. */
    trace: (trace_id: string, names: readonly string[], tracing: Pick<Tracing, 'stop'>) =>
      waitFor(
        () =>
          `spans ${names} of the trace; it has ${spans.filter((span) => span.traceId === trace_id).map(({ name }) => name)}`,
        async () => {
          await tracing.stop();
          const found = spans.filter(({ traceId }) => traceId === trace_id);
          return names.every((name) => found.some((span) => span.name === name)) ? found : null;
        },
      ),
  };
}
