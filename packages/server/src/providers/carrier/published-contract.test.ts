// Every request of our vendors is valid by the API description that the carrier publishes.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { SeenRequest } from '../../../testing/carriers/stand-in.ts';
import {
  startTelnyx,
  telnyx_connection,
  telnyx_key,
  telnyx_profile,
} from '../../../testing/carriers/telnyx.ts';
import { startTwilio, twilio_account, twilio_token } from '../../../testing/carriers/twilio.ts';
import { testVoice } from '../../../testing/carriers/voice.ts';
import type { Carrier } from './carrier.ts';
import { telnyxCarrier } from './telnyx/index.ts';
import { twilioCarrier } from './twilio/index.ts';

type Json = { [key: string]: unknown };
type Schema = Json & { type?: string; properties?: Record<string, Schema>; items?: Schema; $ref?: string };
type Parameter = {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  style?: string;
  schema: Schema;
};
type Operation = {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};
type Description = {
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
};

// The descriptions belong to the carriers and are not part of this project. Without them the test is skipped.
const folder = [process.env.CARRIER_CONTRACTS_DIR, '../shared/contracts', '../../shared/contracts']
  .filter((path) => path !== undefined)
  .find((path) => existsSync(join(path, 'twilio.json')));
const skip = folder === undefined && 'the carriers’ API descriptions are not available';

const closing: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closing) await close();
});

/** Calls every function of the port, so that every request is sent once. */
async function useEverything(carrier: Carrier, e164: string): Promise<void> {
  const { numbers, sms } = carrier;
  assert.deepEqual(await carrier.check!(), { outcome: 'done' });
  await numbers.search({
    country_code: 'US',
    number_type: 'local',
    capabilities: ['voice', 'sms'],
    limit: 5,
  });
  await numbers.search({ country_code: 'US', number_type: 'local', capabilities: ['sms'], limit: 5, e164 });
  await numbers.search({ country_code: 'US', number_type: 'mobile', capabilities: ['sms'], limit: 5 });
  await numbers.search({ country_code: 'US', number_type: 'toll_free', capabilities: ['sms'], limit: 5 });
  const order = { reference: '019a8c1e-2b3c-7d4e-8f50-6a7b8c9d0e1f', e164, verification: null };
  const purchase = await numbers.buy(order);
  assert.ok(purchase.outcome === 'bought');
  await numbers.findPurchase(order);
  await numbers.registerInbound({ provider_number_id: purchase.provider_number_id, e164 });
  for (const from of [e164, 'Example']) {
    const text = {
      sms_id: order.reference,
      from,
      to: '+14155550123',
      body: 'Grüße & + 😀',
      messaging_service_reference: null,
    };
    const sent = await sms.send(text);
    assert.ok(sent.outcome === 'accepted', JSON.stringify(sent));
    await sms.find(text, new Date());
    await sms.outcome(sent.provider_message_id);
  }
  const call_order = {
    call_id: order.reference,
    from: e164,
    to: '+14155550123',
    ring_timeout_seconds: 30,
    max_duration_seconds: 600,
  };
  const voice = carrier.voice!;
  const placed = await voice.place(call_order);
  assert.ok(placed.outcome === 'placed', JSON.stringify(placed));
  await voice.find(call_order, { since: new Date(), isKnown: async () => false });
  const { provider_call_id } = placed;
  await voice.accept({ provider_call_id, call_id: order.reference, max_duration_seconds: 600 });
  assert.deepEqual(await voice.hangUp(provider_call_id), { outcome: 'ended' });
  await voice.decline(provider_call_id);
  await carrier.callState(provider_call_id);
  await carrier.callState(carrier.name === 'twilio' ? `CA${'0'.repeat(32)}` : 'v3:call');
  await numbers.release({ provider_number_id: purchase.provider_number_id, e164 });
}

function checker(name: string) {
  const description = JSON.parse(readFileSync(join(folder!, `${name}.json`), 'utf8')) as Description;
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
  formats.default(ajv);
  // A plus that is not encoded arrives as a space and fails here. Sender names are allowed.
  ajv.addFormat('phone-number', /^(\+\d{5,15}|[A-Za-z][A-Za-z0-9 ]{2,10})$/);
  ajv.addFormat('http-method', /^(GET|POST)$/);
  ajv.addFormat('iso-country-code', /^[A-Z]{2}$/);
  for (const loose of [
    'date-time-rfc-2822',
    'uri-map',
    'currency',
    'phone-number-capabilities',
    'url',
    'int64',
    'float',
    'endpoint',
    'twiml',
  ])
    ajv.addFormat(loose, true);
  ajv.addSchema(description as Json, name);
  const pointer = (...keys: string[]) =>
    `${name}#/${keys.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;

  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => ['get', 'post', 'patch', 'delete'].includes(method))
      .map(([method, operation]) => ({
        path,
        method,
        operation,
        parameters: [...((methods.parameters ?? []) as Parameter[]), ...(operation.parameters ?? [])].map(
          (parameter) => (parameter.$ref ? (resolve(parameter.$ref) as Parameter) : parameter),
        ),
        matches: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '([^/]+)')}$`),
        // Compile all schemas now, so that an invalid schema fails the test.
        bodies: Object.fromEntries(
          Object.keys(operation.requestBody?.content ?? {}).map((type) => [
            type,
            ajv.compile({ $ref: pointer('paths', path, method, 'requestBody', 'content', type, 'schema') }),
          ]),
        ),
      })),
  );

  function resolve(ref: string): unknown {
    return ref
      .slice(2)
      .split('/')
      .reduce<unknown>(
        (value, key) => (value as Json)[key.replaceAll('~1', '/').replaceAll('~0', '~')],
        description,
      );
  }
  const shapeOf = (schema: Schema): Schema =>
    schema.$ref ? shapeOf(resolve(schema.$ref) as Schema) : schema;

  /** Converts form and query text to the type of the schema. JSON bodies are not converted. */
  const typed = (schema: Schema | undefined, text: string): unknown => {
    const shape = schema && shapeOf(schema);
    if (shape?.type === 'integer' || shape?.type === 'number') return Number(text);
    if (shape?.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
    if (shape?.type === 'array') return text.split(',');
    return text;
  };

  const fail = (what: string, errors: unknown) => assert.fail(`${what}: ${JSON.stringify(errors, null, 1)}`);

  return (base: string, request: SeenRequest) => {
    const path = request.path.slice(base.length);
    const what = `${request.method} ${path}`;
    const found = operations.find(
      ({ method, matches }) => method === request.method.toLowerCase() && matches.test(path),
    );
    assert.ok(found, `${what} is not an operation of the carrier's API`);
    const path_names = [...found.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    const values = found.matches.exec(path)!.slice(1);
    const query: Record<string, unknown> = {};
    for (const [key, text] of request.query) {
      const [, name, inner, deeper] = /^([^[]+)(?:\[(\w+)\])?(?:\[(\w+)\])?$/.exec(key)!;
      const parameter = found.parameters.find((each) => each.in === 'query' && each.name === name);
      assert.ok(parameter, `${what}: there is no parameter ${key}`);
      if (!inner) query[name!] = typed(parameter.schema, text);
      else {
        const property = shapeOf(parameter.schema).properties?.[inner];
        assert.ok(property, `${what}: there is no parameter ${key}`);
        query[name!] ??= {};
        const object = query[name!] as Json;
        if (deeper) object[inner] = { ...(object[inner] as Json), [deeper]: text };
        else object[inner] = typed(property, text);
      }
    }
    for (const parameter of found.parameters) {
      const value =
        parameter.in === 'path'
          ? values[path_names.indexOf(parameter.name)]
          : parameter.in === 'query'
            ? query[parameter.name]
            : undefined;
      if (value === undefined) {
        assert.ok(parameter.in === 'header' || !parameter.required, `${what}: ${parameter.name} is missing`);
        continue;
      }
      const schema = JSON.parse(JSON.stringify(parameter.schema).replaceAll('"#/', `"${name}#/`));
      const validate = ajv.compile(schema);
      if (!validate(typeof value === 'string' ? typed(parameter.schema, value) : value)) {
        fail(`${what} ${parameter.name}`, validate.errors);
      }
    }
    if (request.body === '') return;
    const type = request.headers['content-type']!;
    const validate = found.bodies[type];
    assert.ok(validate, `${what}: the carrier does not read ${type}`);
    const schema = shapeOf(found.operation.requestBody!.content[type]!.schema);
    const body =
      type === 'application/json'
        ? JSON.parse(request.body)
        : Object.fromEntries(
            [...new URLSearchParams(request.body)].map(([key, text]) => [
              key,
              typed(schema.properties?.[key], text),
            ]),
          );
    // Not every schema forbids unknown fields, so misspelled ones are checked here.
    for (const key of Object.keys(body))
      assert.ok(key in schema.properties!, `${what}: there is no field ${key}`);
    if (!validate(body)) fail(what, validate.errors);
  };
}

describe('our requests match the carriers’ published API descriptions', { skip }, () => {
  test('twilio', async () => {
    const standIn = await startTwilio();
    closing.push(standIn.close);
    const carrier = twilioCarrier({
      account_sid: twilio_account,
      auth_token: twilio_token,
      base_url: standIn.url,
      callbackUrl: () => 'https://parley.example/v1/carriers/twilio/callbacks',
      voice: testVoice(),
    });
    await useEverything(carrier, '+14155550101');
    const check = checker('twilio');
    assert.ok(standIn.seen.length >= 15);
    for (const request of standIn.seen) check('', request);
    // The check can fail: a misspelled field, a missing one, an unencoded plus, an unknown parameter.
    const sent = standIn.seen.find(
      ({ method, path }) => method === 'POST' && path.endsWith('/Messages.json'),
    )!;
    for (const body of [
      `${sent.body}&Bdoy=x`,
      sent.body.replace(/Body=[^&]*&/, ''),
      sent.body.replace('%2B', '+'),
    ]) {
      assert.throws(() => check('', { ...sent, body }));
    }
    const listed = standIn.seen.find(
      ({ method, path }) => method === 'GET' && path.endsWith('/Messages.json'),
    )!;
    assert.throws(() => check('', { ...listed, query: new URLSearchParams({ Too: 'x' }) }));
  });

  test('telnyx', async () => {
    const standIn = await startTelnyx();
    closing.push(standIn.close);
    const carrier = telnyxCarrier({
      api_key: telnyx_key,
      public_key: standIn.public_key,
      messaging_profile_id: telnyx_profile,
      connection_id: telnyx_connection,
      base_url: standIn.url,
      callbackUrl: () => 'https://parley.example/v1/carriers/telnyx/callbacks',
      voice: testVoice(),
      now_ms: Date.now,
    });
    await useEverything(carrier, '+13125550101');
    const check = checker('telnyx');
    assert.ok(standIn.seen.length >= 13);
    for (const request of standIn.seen) check('/v2', request);
    const sent = standIn.seen.find(({ path }) => path === '/v2/messages')!;
    const json = JSON.parse(sent.body);
    const { to: _, ...withoutTo } = json;
    for (const body of [{ ...json, txet: 'x' }, withoutTo, { ...json, type: 'FAX' }]) {
      assert.throws(() => check('/v2', { ...sent, body: JSON.stringify(body) }));
    }
    const listed = standIn.seen.find(({ path }) => path === '/v2/available_phone_numbers')!;
    assert.throws(() => check('/v2', { ...listed, query: new URLSearchParams({ 'filter[kountry]': 'US' }) }));
    assert.throws(() =>
      check('/v2', { ...listed, query: new URLSearchParams({ 'filter[phone_number_type]': 'x' }) }),
    );
  });
});
