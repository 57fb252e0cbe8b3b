// Without a collector nothing of tracing exists.
// Runs in its own process: it watches which modules are loaded.
import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { test } from 'node:test';
import { startTestApp } from '../../testing/app.ts';
import { startReceiver } from '../../testing/receiver.ts';
import { newPath, subscribe } from '../../testing/webhooks.ts';
import { readConfig } from '../config/config.ts';
import { sql } from '../platform/db/sql.ts';
import { makeLog } from '../platform/log.ts';
import { startTracing } from './start-traces.ts';

const loaded: string[] = [];
registerHooks({
  load(url, context, next) {
    loaded.push(url);
    return next(url, context);
  },
});

const log = makeLog({ level: 'silent', show_personal_data: false });
const receiver = await startReceiver();

test('off: no module of it is loaded, and a webhook has no traceparent', async () => {
  assert.equal(await startTracing(readConfig({}, '.'), log), null);
  const { client, db } = await startTestApp();
  const path = newPath();
  await subscribe(client, receiver.url + path, { event_types: ['sms.delivered'] });
  const headers = {
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    tracestate: 'vendor=1',
  };
  await client.request(
    'POST',
    '/v1/sms',
    { to: '+15005550001', body: 'Hello', recipient_consent: true },
    headers,
  );
  const [request] = await receiver.arrived(path);
  assert.equal(request!.headers.traceparent, undefined);
  assert.equal(request!.headers.tracestate, undefined);
  assert.deepEqual(await db.rows(sql`select resource_id from trace_contexts`), []);
  assert.deepEqual(
    loaded.filter((url) => /tracing\/(tracer|otlp-exporter)|opentelemetry/.test(url)),
    [],
  );
});
