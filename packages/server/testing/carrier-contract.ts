// Checks recorded requests and simulated responses of carriers against the API descriptions that the carriers publish.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { multipartParts } from './carriers/multipart-parts.ts';
import type { Reply, SeenRequest } from './carriers/stand-in.ts';

type Json = { [key: string]: unknown };
type Schema = Json & { type?: string; properties?: Record<string, Schema>; items?: Schema; $ref?: string };
type Content = Record<string, { schema: Schema }>;
type Parameter = { $ref?: string; name: string; in: string; required?: boolean; schema: Schema };
type OperationText = {
  parameters?: Parameter[];
  requestBody?: { content: Content; required?: boolean };
  responses?: Record<string, { content?: Content }>;
};
type Description = {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, OperationText>>;
};

type Operation = {
  what: string;
  method: string;
  matches: RegExp;
  path_names: string[];
  text: OperationText;
  parameters: { parameter: Parameter; validate: ValidateFunction }[];
  bodies: Record<string, ValidateFunction>;
  /** Null where the description says nothing about this status. */
  response(status: number): ValidateFunction | null;
  shapeOf(schema: Schema): Schema;
};

/** The name of a description: a file of the folder without its ending. */
export type ContractName =
  | 'twilio'
  | 'twilio-addresses'
  | 'twilio-messaging'
  | 'twilio-numbers'
  | 'twilio-numbers-upload'
  | 'twilio-trusthub'
  | 'telnyx'
  | 'telnyx-registration';

export const twilio_contracts = [
  'twilio',
  'twilio-addresses',
  'twilio-messaging',
  'twilio-numbers',
  'twilio-numbers-upload',
  'twilio-trusthub',
] as const satisfies ContractName[];
export const telnyx_contracts = ['telnyx', 'telnyx-registration'] as const satisfies ContractName[];

// The descriptions belong to the carriers and are not part of this project. Without them nothing is checked.
const folder = [process.env.CARRIER_CONTRACTS_DIR, '../shared/contracts', '../../shared/contracts']
  .filter((path) => path !== undefined)
  .find((path) => existsSync(join(path, 'twilio.json')));

/** For the `skip` option of a test that only checks requests. */
export const skip_without_contracts =
  folder === undefined && 'the carriers’ API descriptions are not available';

export type CarrierContract = {
  /** Throws when the carrier would not understand the request. */
  checkRequest(request: SeenRequest): void;
  /** Throws when the carrier would not send this response. Responses that the description does not know, such as errors, pass. */
  checkResponse(request: SeenRequest, reply: Reply): void;
};

/**
 * A carrier with several hosts has several descriptions. A stand-in serves all hosts, so the operation is found by its method and
 * path, and by the content type where one path exists twice. Checks nothing where the descriptions are not available.
 */
export function carrierContract(...names: readonly ContractName[]): CarrierContract {
  if (folder === undefined) return { checkRequest: () => {}, checkResponse: () => {} };
  const operations = names.flatMap((name) => operationsOf(folder, name));
  const operationFor = (request: SeenRequest) => operationOf(operations, request);
  return {
    checkRequest: (request) => checkRequest(operationFor(request), request),
    checkResponse(request, { status, json }) {
      const operation = operationFor(request);
      const validate = operation.response(status);
      if (validate && !validate(json)) fail(`the response to ${operation.what}`, validate.errors);
    },
  };
}

const fail = (what: string, errors: unknown) => assert.fail(`${what}: ${JSON.stringify(errors, null, 1)}`);

function newAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
  formats.default(ajv);
  // A plus that is not encoded arrives as a space and fails here. Sender names are allowed.
  ajv.addFormat('phone-number', /^(\+\d{5,15}|[A-Za-z][A-Za-z0-9 ]{2,10})$/);
  ajv.addFormat('http-method', /^(GET|POST)$/);
  ajv.addFormat('iso-country-code', /^[A-Z]{2}$/);
  const loose = ['date-time-rfc-2822', 'uri-map', 'currency', 'phone-number-capabilities', 'url'];
  for (const name of [...loose, 'int64', 'float', 'integer', 'endpoint', 'twiml']) ajv.addFormat(name, true);
  return ajv;
}

/** OpenAPI 3.0 has `nullable`, which JSON Schema does not know. In 3.1 null is a type. */
function withNullTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNullTypes);
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withNullTypes(inner)]),
  );
  if (nullable === undefined) return rest;
  if (typeof nullable !== 'boolean') return { ...rest, nullable };
  if (!nullable) return rest;
  if (rest.$ref !== undefined) return { anyOf: [rest, { type: 'null' }] };
  if (typeof rest.type !== 'string') return rest;
  return {
    ...rest,
    type: [rest.type, 'null'],
    ...(Array.isArray(rest.enum) && { enum: [...rest.enum, null] }),
  };
}

function readDescription(folder: string, name: ContractName): Description {
  const description = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Description;
  return description.openapi.startsWith('3.0') ? (withNullTypes(description) as Description) : description;
}

const unescaped = (key: string) => key.replaceAll('~1', '/').replaceAll('~0', '~');
const resolverFor = (description: Description) => (ref: string) =>
  ref
    .slice(2)
    .split('/')
    .reduce<unknown>((value, key) => (value as Json)[unescaped(decodeURIComponent(key))], description);

function operationsOf(folder: string, name: ContractName): Operation[] {
  const description = readDescription(folder, name);
  const ajv = newAjv();
  ajv.addSchema(description as unknown as Json, name);
  const resolve = resolverFor(description);
  const shapeOf = (schema: Schema): Schema =>
    schema.$ref ? shapeOf(resolve(schema.$ref) as Schema) : schema;
  const compileAt = (...keys: string[]) => {
    const path = keys.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1')));
    return ajv.compile({ $ref: `${name}#/${path.join('/')}` });
  };
  const compile = (schema: Schema) =>
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', `"${name}#/`)));
  const base = new URL(description.servers[0]!.url).pathname.replace(/\/$/, '');
  return Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
      .map(([method, text]): Operation => {
        const shared = (methods.parameters ?? []) as unknown as Parameter[];
        const own = [...shared, ...(text.parameters ?? [])];
        const pattern = (base + path).replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '([^/]+)');
        return {
          what: `${method.toUpperCase()} ${path}`,
          method,
          matches: new RegExp(`^${pattern}$`),
          path_names: [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1]!),
          text,
          // All schemas of requests are compiled now, so that an invalid schema fails every test.
          parameters: own
            .map((parameter) => (parameter.$ref ? (resolve(parameter.$ref) as Parameter) : parameter))
            .map((parameter) => ({ parameter, validate: compile(parameter.schema) })),
          bodies: Object.fromEntries(
            Object.keys(text.requestBody?.content ?? {}).map((type) => [
              type,
              compileAt('paths', path, method, 'requestBody', 'content', type, 'schema'),
            ]),
          ),
          response: responseReader(text, (status) =>
            compileAt('paths', path, method, 'responses', status, 'content', 'application/json', 'schema'),
          ),
          shapeOf,
        };
      }),
  );
}

/** Most responses are never checked, so each is compiled when it is needed first. */
function responseReader({ responses }: OperationText, compile: (status: string) => ValidateFunction) {
  const compiled = new Map<number, ValidateFunction>();
  return (status: number): ValidateFunction | null => {
    if (!responses?.[status]?.content?.['application/json']) return null;
    const validate = compiled.get(status) ?? compile(String(status));
    compiled.set(status, validate);
    return validate;
  };
}

const contentType = (request: SeenRequest) => (request.headers['content-type'] ?? '').split(';')[0]!.trim();

function operationOf(operations: Operation[], request: SeenRequest): Operation {
  const found = operations.filter(
    ({ method, matches }) => method === request.method.toLowerCase() && matches.test(request.path),
  );
  // A fixed path such as `/usecases` comes before a template such as `/{id}`.
  found.sort((a, b) => a.path_names.length - b.path_names.length);
  const operation = found.find(({ bodies }) => bodies[contentType(request)]) ?? found[0];
  return (
    operation ?? assert.fail(`${request.method} ${request.path} is not an operation of the carrier's API`)
  );
}

/** Converts form and query text to the type of the schema. JSON bodies are not converted. */
function typed(operation: Operation, schema: Schema | undefined, texts: string[]): unknown {
  const shape = schema && operation.shapeOf(schema);
  const type = Array.isArray(shape?.type) ? shape.type.find((each) => each !== 'null') : shape?.type;
  if (type === 'array') return texts.map((text) => typed(operation, shape!.items, [text]));
  // The carrier would read one of several values of a key that is no list: a mistake of ours.
  if (texts.length !== 1) return texts;
  const text = texts[0]!;
  if (type === 'integer' || type === 'number') return text === '' ? text : Number(text);
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}

const grouped = (entries: Iterable<readonly [string, string]>): Map<string, string[]> => {
  const groups = new Map<string, string[]>();
  for (const [key, text] of entries) groups.set(key, [...(groups.get(key) ?? []), text]);
  return groups;
};

/** The query by the names of the parameters: `filter[a][b]` is part of `filter`, unless a parameter has exactly that name. */
function queryOf(operation: Operation, request: SeenRequest): Json {
  const query: Json = {};
  const named = (name: string) =>
    operation.parameters.find(({ parameter }) => parameter.in === 'query' && parameter.name === name)
      ?.parameter;
  for (const [key, texts] of grouped(request.query)) {
    const exact = named(key);
    if (exact) {
      query[key] = typed(operation, exact.schema, texts);
      continue;
    }
    const [, name = '', inner = '', deeper] = /^([^[]+)\[(\w+)\](?:\[(\w+)\])?$/.exec(key) ?? [];
    const parameter = named(name);
    const property = parameter && operation.shapeOf(parameter.schema).properties?.[inner];
    assert.ok(property, `${operation.what}: there is no parameter ${key}`);
    const object = ((query[name] as Json | undefined) ?? {}) as Json;
    query[name] = object;
    // A list inside an object is one text with commas.
    const is_list = operation.shapeOf(property).type === 'array';
    if (deeper) object[inner] = { ...(object[inner] as Json), [deeper]: texts[0] };
    else
      object[inner] = typed(operation, property, is_list ? texts.flatMap((each) => each.split(',')) : texts);
  }
  return query;
}

function bodyOf(operation: Operation, request: SeenRequest, schema: Schema): Json {
  const type = contentType(request);
  if (type === 'application/json') return JSON.parse(request.body);
  const entries =
    type === 'multipart/form-data'
      ? multipartParts(request).map(({ name, text }) => [name, text] as const)
      : new URLSearchParams(request.body);
  return Object.fromEntries(
    [...grouped(entries)].map(([key, texts]) => [key, typed(operation, schema.properties?.[key], texts)]),
  );
}

function checkRequest(operation: Operation, request: SeenRequest): void {
  const { what } = operation;
  const values = operation.matches.exec(request.path)!.slice(1).map(decodeURIComponent);
  const query = queryOf(operation, request);
  for (const { parameter, validate } of operation.parameters) {
    const { name } = parameter;
    const in_path = values[operation.path_names.indexOf(name)];
    const value =
      parameter.in === 'path'
        ? in_path !== undefined && typed(operation, parameter.schema, [in_path])
        : parameter.in === 'query'
          ? query[name]
          : undefined;
    if (value === undefined)
      assert.ok(parameter.in === 'header' || !parameter.required, `${what}: ${name} is missing`);
    else if (!validate(value)) fail(`${what} ${name}`, validate.errors);
  }
  if (request.body === '') {
    const content = Object.values(operation.text.requestBody?.content ?? {})[0];
    const required = content ? operation.shapeOf(content.schema).required : undefined;
    assert.ok(!(required as unknown[] | undefined)?.length, `${what}: the body is missing`);
    return;
  }
  const type = contentType(request);
  const validate = operation.bodies[type];
  assert.ok(validate, `${what}: the carrier does not read ${type}`);
  const schema = operation.shapeOf(operation.text.requestBody!.content[type]!.schema);
  const body = bodyOf(operation, request, schema);
  // Not every schema forbids unknown fields, so misspelled ones are checked here.
  if (schema.properties)
    for (const key of Object.keys(body))
      assert.ok(key in schema.properties, `${what}: there is no field ${key}`);
  if (!validate(body)) fail(what, validate.errors);
}
