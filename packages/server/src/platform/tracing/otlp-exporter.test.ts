// The exporter never disturbs the service: its queue is bounded, and spans that cannot be sent are counted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCollector } from '../../../testing/collector.ts';
import { makeLog } from '../log.ts';
import { type EndedSpan, otlpExporter } from './otlp-exporter.ts';

const log = makeLog({ level: 'silent', show_personal_data: false });
const collector = await startCollector();

const span = (name: string): EndedSpan => ({
  trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
  span_id: '00f067aa0ba902b7',
  parent_span_id: null,
  tracestate: null,
  name,
  kind: 'internal',
  start_ms: 1,
  end_ms: 2,
  attributes: { 'parley.attempt': 1, 'parley.ratio': 0.5, 'parley.manual': true },
  error_code: null,
});

const exporterTo = (url: string, max_queued?: number) => {
  const options = { url, headers: {}, service_name: 'test', version: '1', log, interval_ms: 60_000 };
  const exporter = otlpExporter({ ...options, ...(max_queued ? { max_queued } : {}) });
  const dropped = { count: 0 };
  exporter.onDrop(() => void dropped.count++);
  return { exporter, dropped };
};

test('a stop exports what is queued', async () => {
  const { exporter, dropped } = exporterTo(`${collector.url}/v1/traces`);
  exporter.add(span('last'));
  await exporter.stop();
  const [found] = collector.spans.filter(({ name }) => name === 'last');
  assert.deepEqual(found!.attributes, [
    { key: 'parley.attempt', value: { intValue: '1' } },
    { key: 'parley.ratio', value: { doubleValue: 0.5 } },
    { key: 'parley.manual', value: { boolValue: true } },
  ]);
  assert.equal(dropped.count, 0);
});

test('spans beyond the limit of the queue are dropped and counted', async () => {
  const { exporter, dropped } = exporterTo(`${collector.url}/v1/traces`, 10);
  for (let index = 0; index < 25; index++) exporter.add(span('burst'));
  assert.equal(dropped.count, 15);
  await exporter.stop();
  assert.equal(collector.spans.filter(({ name }) => name === 'burst').length, 10);
});

test('spans that the collector refuses are counted, and a redirect is not followed', async () => {
  for (const status of [400, 307]) {
    collector.respond(status);
    const { exporter, dropped } = exporterTo(`${collector.url}/v1/traces`);
    exporter.add(span('refused'));
    await exporter.stop();
    assert.equal(dropped.count, 1, String(status));
  }
  collector.respond(200);
});

test('a stop does not wait longer than its cut for a collector that cannot be reached', async () => {
  const { exporter, dropped } = exporterTo('http://127.0.0.1:9/v1/traces');
  exporter.add(span('lost'));
  await exporter.stop(AbortSignal.abort());
  assert.equal(dropped.count, 1);
});
