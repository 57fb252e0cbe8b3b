// One trace connects a request with everything that it causes, in every process.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { codedSpeech, people } from '../../testing/calls.ts';
import { startCollector } from '../../testing/collector.ts';
import { createMailbox, startMailApp } from '../../testing/mail-app.ts';
import { startReceiver } from '../../testing/receiver.ts';
import { deliver, rawMessage } from '../../testing/smtp-client.ts';
import { newPath, subscribe } from '../../testing/webhooks.ts';
import { buildApp } from '../app/app.ts';
import { readConfig } from '../config/config.ts';
import { openDatabase } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { makeLog } from '../platform/log.ts';
import { startMcpRole } from './mcp/mcp-role.ts';
import { startTracing } from './start-traces.ts';

const log = makeLog({ level: 'silent', show_personal_data: false });
const master_keys = [{ id: 'test', key: randomBytes(32) }];
const collector = await startCollector();
const receiver = await startReceiver();
const environment = {
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_HEADERS: 'x-team=voice%201',
};
const person = 'Quite Private';
const text = () => ({ to: '+15005550001', body: `For ${person}`, recipient_consent: true });
const newTrace = () => randomBytes(16).toString('hex');
const parentOf = (trace_id: string) => `00-${trace_id}-00f067aa0ba902b7-01`;
const traceIdOf = (header: unknown) => String(header).split('-')[1];

const tracing = (await startTracing(readConfig(environment, '.'), log))!;
const { client, db, database_url, data_dir, smtp_port, url } = await startMailApp(
  {},
  { tracing, master_keys, speech: () => codedSpeech() },
);

const requests = {
  calls: {
    body: { to: people.busy, system_prompt: `Greet ${person}.`, recipient_consent: true },
    event: 'call.busy',
    spans: ['POST /v1/calls', 'admission', 'call.run', 'call.place', 'webhook.deliver'],
  },
  emails: {
    body: { to: ['delivered@sandbox.test'], subject: person, body_text: person, recipient_consent: true },
    event: 'email.delivered',
    spans: ['POST /v1/emails', 'admission', 'mail.send', 'webhook.deliver'],
  },
  sms: {
    body: text(),
    event: 'sms.delivered',
    spans: ['POST /v1/sms', 'admission', 'sms.dispatch', 'sms.send', 'sms.report', 'webhook.deliver'],
  },
};

for (const [noun, { body, event, spans: expected }] of Object.entries(requests)) {
  test(`${noun}: request, admission, provider and webhook are one connected trace without personal data`, async () => {
    const path = newPath();
    await subscribe(client, receiver.url + path, { event_types: [event] });
    const trace_id = newTrace();
    const created = await client.request('POST', `/v1/${noun}`, body, { traceparent: parentOf(trace_id) });
    assert.equal(created.status, 201, created.text);
    const [request] = await receiver.arrived(path);
    assert.equal(traceIdOf(request!.headers.traceparent), trace_id);
    const spans = await collector.trace(trace_id, expected, tracing);
    assert.ok(spans.some(({ spanId }) => request!.headers.traceparent === `00-${trace_id}-${spanId}-01`));
    const known = new Set(['00f067aa0ba902b7', ...spans.map(({ spanId }) => spanId)]);
    for (const span of spans) assert.ok(known.has(span.parentSpanId!), `${span.name} has no parent`);
    assert.doesNotMatch(JSON.stringify(spans), /\+1500|sandbox\.test|Private/);
  });
}

test('the collector gets the name of the service and the configured headers', () => {
  assert.equal(collector.requests[0]!.headers['x-team'], 'voice 1');
  assert.deepEqual(collector.requests[0]!.resource['service.name'], 'parley');
});

test('F8: the standard settings name the address of spans, describe the process, and turn tracing off', async () => {
  const settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=green%20field,service.name=other',
    OTEL_SERVICE_NAME: 'described',
  };
  const own = (await startTracing(readConfig(settings, '.'), log))!;
  own.begin('alone').end();
  await own.stop();
  const { resource } = collector.requests.find((each) => each.resource['service.name'] === 'described')!;
  assert.equal(resource['deployment.environment.name'], 'green field');
  assert.match(resource['service.instance.id']!, /^[0-9a-f-]{36}$/);
  assert.equal(await startTracing(readConfig({ ...settings, OTEL_SDK_DISABLED: 'true' }, '.'), log), null);
  assert.throws(() => readConfig({ OTEL_SDK_DISABLED: 'perhaps' }, '.'), /true or false/);
});

/** The names of what is exported of a new trace, of one whose caller records it, and of one whose caller does not. */
async function recordedWith(settings: Record<string, string>): Promise<string[]> {
  const own = (await startTracing(readConfig({ ...environment, ...settings }, '.'), log))!;
  const [recorded, left_out] = [newTrace(), newTrace()];
  const begun = [
    { name: 'new', parent: null },
    { name: 'caller records', parent: parentOf(recorded) },
    { name: 'caller does not', parent: parentOf(left_out).replace(/1$/, '0') },
  ];
  const names: string[] = [];
  for (const { name, parent } of begun) {
    const unique_name = `${name} ${newTrace()}`;
    await own.span(unique_name, { parent }, async () => own.begin(`${unique_name} below`).end());
    names.push(unique_name);
  }
  await own.stop();
  const exported = new Set(collector.spans.map((span) => span.name));
  for (const name of names) assert.equal(exported.has(name), exported.has(`${name} below`), name);
  return names.filter((name) => exported.has(name)).map((name) => name.replace(/ [0-9a-f]{32}$/, ''));
}

const samplers: Record<string, { environment: Record<string, string>; recorded: string[] }> = {
  'the default': { environment: {}, recorded: ['new', 'caller records'] },
  ...Object.fromEntries(
    [
      ['always_on', '', ['new', 'caller records', 'caller does not']],
      ['always_off', '', []],
      ['traceidratio', '1', ['new', 'caller records', 'caller does not']],
      ['traceidratio', '0', []],
      ['parentbased_always_on', '', ['new', 'caller records']],
      ['parentbased_always_off', '', ['caller records']],
      ['parentbased_traceidratio', '0', ['caller records']],
      ['parentbased_traceidratio', '', ['new', 'caller records']],
      ['ParentBased_Always_Off', '0.5', ['caller records']],
    ].map(([name, share, recorded]) => [
      `${name} ${share}`.trim(),
      {
        environment: { OTEL_TRACES_SAMPLER: String(name), OTEL_TRACES_SAMPLER_ARG: String(share) },
        recorded: recorded as string[],
      },
    ]),
  ),
  PARLEY_TRACE_RATIO: { environment: { PARLEY_TRACE_RATIO: '0' }, recorded: ['caller records'] },
};

for (const [name, { environment: settings, recorded }] of Object.entries(samplers))
  test(`F8: the sampler ${name} records ${recorded.join(', ') || 'nothing'}`, async () => {
    assert.deepEqual(await recordedWith(settings), recorded);
  });

test('F8: traceidratio records its share, the same traces in every process, whatever the caller says', async () => {
  const settings = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5' };
  const trace_ids = Array.from({ length: 200 }, newTrace);
  const chosen: string[][] = [];
  for (const flag of ['0', '1']) {
    const OTEL_SERVICE_NAME = `share ${flag} ${newTrace()}`;
    const own = (await startTracing(
      readConfig({ ...environment, ...settings, OTEL_SERVICE_NAME }, '.'),
      log,
    ))!;
    for (const trace_id of trace_ids)
      own.begin('share', { parent: parentOf(trace_id).replace(/1$/, flag) }).end();
    await own.stop();
    chosen.push(
      collector.spans.filter(({ service }) => service === OTEL_SERVICE_NAME).map(({ traceId }) => traceId),
    );
  }
  assert.deepEqual(chosen[0], chosen[1]);
  // Of 200 traces, each recorded with a chance of one half: fewer than 50 happens once in 10^12 runs.
  assert.ok(chosen[0]!.length > 50 && chosen[0]!.length < 150, String(chosen[0]!.length));
});

test('F8: a sampler, a share or a combination that means nothing stops the start', () => {
  for (const [settings, problem] of [
    [
      { OTEL_TRACES_SAMPLER: 'jaeger_remote' },
      /OTEL_TRACES_SAMPLER: expected one of always_on, .*"jaeger_remote"/,
    ],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '1.5' }, /a number from 0 to 1/],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '10%' }, /a number from 0 to 1/],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '-0.1' }, /a number from 0 to 1/],
    [{ OTEL_TRACES_SAMPLER_ARG: '0.1' }, /OTEL_TRACES_SAMPLER_ARG: set OTEL_TRACES_SAMPLER too/],
    [{ OTEL_TRACES_SAMPLER: 'always_on', PARLEY_TRACE_RATIO: '0.1' }, /PARLEY_TRACE_RATIO: set either/],
  ] as const)
    assert.throws(() => readConfig(settings, '.'), problem);
});

test('a malformed traceparent is ignored: the request starts a new trace', async () => {
  for (const header of [
    '00-zz-1-01',
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `ff-${newTrace()}-00f067aa0ba902b7-01`,
  ]) {
    const path = newPath();
    const { id } = await subscribe(client, receiver.url + path, { event_types: ['sms.delivered'] });
    await client.request('POST', '/v1/sms', text(), { traceparent: header });
    const [request] = await receiver.arrived(path);
    const passed_on = String(request!.headers.traceparent);
    assert.match(passed_on, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    assert.notEqual(traceIdOf(passed_on), traceIdOf(header));
    await client.request('DELETE', `/v1/webhooks/${id}`);
  }
});

test('a trace that the caller does not record is passed on and not exported', async () => {
  const path = newPath();
  await subscribe(client, receiver.url + path, { event_types: ['email.delivered'] });
  const trace_id = newTrace();
  const traceparent = `00-${trace_id}-00f067aa0ba902b7-00`;
  await client.request('POST', '/v1/emails', requests.emails.body, { traceparent });
  const [request] = await receiver.arrived(path);
  assert.match(String(request!.headers.traceparent), new RegExp(`^00-${trace_id}-[0-9a-f]{16}-00$`));
  await tracing.stop();
  assert.deepEqual(
    collector.spans.filter(({ traceId }) => traceId === trace_id),
    [],
  );
});

test('work of another process continues the trace of the request', async () => {
  const path = newPath();
  await subscribe(client, receiver.url + path, { event_types: ['sms.delivered'] });
  // In place of a process with the role api: its own tracing, and no workers.
  const own_db = openDatabase({ url: database_url, max_connections: 2 });
  const own_tracing = (await startTracing(
    readConfig({ ...environment, OTEL_SERVICE_NAME: 'api' }, '.'),
    log,
  ))!;
  const api = buildApp({
    config: readConfig({ PORT: '0', PARLEY_DATA_DIR: data_dir, PARLEY_ROLES: 'api' }, process.cwd()),
    db: own_db,
    log,
    shared_key: 'none',
    master_keys,
    tracing: own_tracing,
  });
  after(() => api.http.close().then(() => own_db.close()));
  const trace_id = newTrace();
  const created = await api.http.inject({
    method: 'POST',
    url: '/v1/sms',
    headers: { authorization: 'Bearer none', traceparent: parentOf(trace_id) },
    payload: text(),
  });
  assert.equal(created.statusCode, 201, created.body);
  await client.request('POST', '/v1/sandbox/clock', { advance_seconds: 1 });
  const [request] = await receiver.arrived(path);
  assert.equal(traceIdOf(request!.headers.traceparent), trace_id);
  await own_tracing.stop();
  const spans = await collector.trace(trace_id, ['POST /v1/sms', 'sms.dispatch', 'webhook.deliver'], tracing);
  const services = new Map(spans.map(({ name, service }) => [name, service]));
  assert.equal(services.get('POST /v1/sms'), 'api');
  assert.equal(services.get('sms.dispatch'), 'parley');
});

test('a delivery that another process retries has the trace of its event', async () => {
  const path = newPath();
  receiver.on(path, (response) => response.writeHead(500).end());
  await subscribe(client, receiver.url + path, { event_types: ['sms.delivered'] });
  const trace_id = newTrace();
  await client.request('POST', '/v1/sms', text(), { traceparent: parentOf(trace_id) });
  await receiver.arrived(path, 1);
  await client.request('POST', '/v1/sandbox/clock', { advance_seconds: 600 });
  const arrived = await receiver.arrived(path, 2);
  assert.deepEqual(
    arrived.slice(0, 2).map(({ headers }) => traceIdOf(headers.traceparent)),
    [trace_id, trace_id],
  );
  const [stored] = await db.rows<{ traceparent: string }>(
    sql`select traceparent from events where id = ${arrived[0]!.json.id}`,
  );
  assert.equal(traceIdOf(stored!.traceparent), trace_id);
});

test('tracestate is passed on with the trace, also to work that is done later', async () => {
  const path = newPath();
  await subscribe(client, receiver.url + path, { event_types: ['sms.delivered'] });
  const trace_id = newTrace();
  const tracestate = 'vendor=p:7,other@team=2';
  await client.request('POST', '/v1/sms', text(), { traceparent: parentOf(trace_id), tracestate });
  const [request] = await receiver.arrived(path);
  assert.equal(traceIdOf(request!.headers.traceparent), trace_id);
  assert.equal(request!.headers.tracestate, tracestate);
  const spans = await collector.trace(trace_id, ['sms.dispatch', 'webhook.deliver'], tracing);
  for (const span of spans) assert.equal(span.traceState, tracestate, span.name);
});

test('mail that arrives over SMTP starts a trace that continues to its webhook, each message its own', async () => {
  const path = newPath();
  await subscribe(client, receiver.url + path, { event_types: ['email.received'] });
  const { default_address: to } = await createMailbox(client);
  const message = (subject: string) => ({ to: [to], raw: rawMessage({ to, subject }) });
  await Promise.all(
    ['One', 'Two', 'Three'].map((subject) => deliver(smtp_port, message(`${person} ${subject}`))),
  );
  const requests = await receiver.arrived(path, 3);
  const traces = new Set(requests.map(({ headers }) => traceIdOf(headers.traceparent)));
  assert.equal(traces.size, 3);
  for (const trace_id of traces) {
    const spans = await collector.trace(trace_id!, ['mail.receive', 'webhook.deliver'], tracing);
    const receipt = spans.find(({ name }) => name === 'mail.receive')!;
    assert.equal(receipt.parentSpanId, undefined);
    const delivery = spans.find(({ name }) => name === 'webhook.deliver')!;
    assert.equal(delivery.parentSpanId, receipt.spanId);
    assert.doesNotMatch(JSON.stringify(spans), /Private|@/);
  }
});

test('a tool call of the MCP server continues the trace of its client up to the webhook', async () => {
  const mcp_tracing = (await startTracing(
    readConfig({ ...environment, OTEL_SERVICE_NAME: 'mcp' }, '.'),
    log,
  ))!;
  for (const PARLEY_MCP_FAST_PATH of ['on', 'off']) {
    const path = newPath();
    const { id } = await subscribe(client, receiver.url + path, { event_types: ['sms.delivered'] });
    const mcp = await startMcpRole({
      config: readConfig({ MCP_PORT: '0', PARLEY_MCP_FAST_PATH }, process.cwd()),
      log,
      tracing: mcp_tracing,
      beside: { url, shared_key: client.key, issuer: null },
    });
    const trace_id = newTrace();
    const response = await fetch(mcp.url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${client.key}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        traceparent: parentOf(trace_id),
        tracestate: 'agent=1',
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        // A repetition of the same arguments would be answered from the first.
        params: { name: 'send_sms', arguments: { ...text(), body: PARLEY_MCP_FAST_PATH } },
      }),
    });
    assert.equal(response.status, 200, await response.clone().text());
    const [request] = await receiver.arrived(path);
    assert.equal(request!.headers.tracestate, 'agent=1');
    await mcp_tracing.stop();
    const spans = await collector.trace(trace_id, ['tools/call send_sms', 'webhook.deliver'], tracing);
    const tool = spans.find(({ name }) => name === 'tools/call send_sms')!;
    assert.deepEqual([tool.service, tool.parentSpanId], ['mcp', '00f067aa0ba902b7']);
    assert.equal(spans.find(({ name }) => name === 'POST /v1/sms')!.parentSpanId, tool.spanId);
    await mcp.close();
    await client.request('DELETE', `/v1/webhooks/${id}`);
  }
});
