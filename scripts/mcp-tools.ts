// Writes the tools of the MCP server from the OpenAPI document and the table of names.

import { recordTreatment, untrusted_field } from '../packages/mcp/src/record-treatment.ts';
import type { ToolEntry } from '../packages/mcp/src/tool-entry.ts';
import type { CompiledTool, Plan } from '../packages/mcp/src/tool-set.ts';
import { defaultTools, namedTools, people_only } from '../packages/mcp/src/tool-table.ts';
import type { Document, Json, Operation } from './openapi-document.ts';

type Located = Operation & { method: string; path: string };

const wait_max_seconds = 50;
const wait = {
  type: 'integer',
  minimum: 1,
  maximum: wait_max_seconds,
  default: wait_max_seconds,
  description: 'Maximum time to wait.',
};
const key = {
  type: 'string',
  description:
    'The same key never runs the call twice. By default, repeated calls within minutes count as one.',
};

export function mcpTools(openapi: unknown): string {
  const document = openapi as Document;
  const located = new Map<string, Located>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods))
      located.set(operation.operationId, { ...operation, method: method.toUpperCase(), path });
  }
  const nameOf = (schema: Json) => (typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1)! : null);
  const resolve = (schema: Json): Json => {
    const name = nameOf(schema);
    return name === null ? schema : resolve(document.components.schemas[name]!);
  };

  /** Simplifies an input schema for models: no null (a missing field means the same), no patterns, no schema names. */
  const inputShape = (schema: Json): Json => {
    const real: Json = {
      ...resolve(schema),
      ...(schema.description ? { description: schema.description } : {}),
    };
    const options = (real.anyOf ?? real.oneOf) as Json[] | undefined;
    if (options) {
      const solid = options.filter((option) => resolve(option).type !== 'null').map(inputShape);
      const description = real.description ?? solid[0]?.description;
      const note = description === undefined ? {} : { description };
      return solid.length === 1 ? { ...solid[0], ...note } : { anyOf: solid, ...note };
    }
    const type = Array.isArray(real.type) ? real.type.find((each) => each !== 'null') : real.type;
    const kept = Object.fromEntries(
      ['const', 'minimum', 'maximum', 'minItems', 'maxItems', 'default', 'description']
        .filter((field) => real[field] !== undefined && real[field] !== 'A UUID.')
        .map((field) => [field, real[field]]),
    );
    return {
      ...(type === undefined ? {} : { type }),
      ...(Array.isArray(real.enum) ? { enum: real.enum.filter((each) => each !== null) } : {}),
      ...kept,
      ...(real.items ? { items: withoutDescription(inputShape(real.items as Json)) } : {}),
      ...(real.properties
        ? {
            properties: mapValues(real.properties as Record<string, Json>, inputShape),
            ...(Array.isArray(real.required) ? { required: real.required } : {}),
          }
        : {}),
    };
  };

  /** Only the types of an output: descriptions are in the inputs, and the names explain the rest. */
  const outputShape = (schema: Json, returns?: readonly string[]): { shape: Json; plan: Plan | null } => {
    const name = nameOf(schema);
    const real = resolve(schema);
    const options = (real.anyOf ?? real.oneOf) as Json[] | undefined;
    if (options) {
      const solid = options.filter((option) => resolve(option).type !== 'null');
      const made = solid.map((option) => outputShape(option));
      const is_nullable = solid.length < options.length;
      if (made.length === 1 && is_nullable && typeof made[0]!.shape.type === 'string')
        return { shape: orNull(made[0]!.shape), plan: made[0]!.plan };
      return { shape: {}, plan: null };
    }
    if (Array.isArray(real.enum) && real.type === undefined) return { shape: { type: 'string' }, plan: null };
    const type = 'const' in real && real.type === undefined ? typeof real.const : real.type;
    if (Array.isArray(type))
      return { shape: orNull({ type: type.find((each) => each !== 'null') }), plan: null };
    if (type === 'array') {
      const items = outputShape((real.items ?? {}) as Json);
      return { shape: { type: 'array', items: items.shape }, plan: items.plan };
    }
    if (name && recordTreatment[name]?.is_unlisted) return { shape: { type: 'object' }, plan: null };
    if (!real.properties) return { shape: type === undefined ? {} : { type }, plan: null };
    const {
      untrusted = [],
      untrusted_unless_phone = [],
      hidden: always = [],
    } = (name && recordTreatment[name]) || {};
    const hidden = returns
      ? Object.keys(real.properties).filter((field) => !returns.includes(field))
      : always;
    const properties: Json = {};
    const labelled: Json = {};
    const inside: Record<string, Plan> = {};
    for (const [field, inner] of Object.entries(real.properties as Record<string, Json>)) {
      if (hidden.includes(field)) continue;
      const made = outputShape(inner);
      if (made.plan) inside[field] = made.plan;
      (untrusted.includes(field) ? labelled : properties)[field] = made.shape;
    }
    const label = Object.keys(labelled);
    const label_unless_phone = untrusted_unless_phone.filter((field) => field in properties);
    for (const field of label_unless_phone) labelled[field] = properties[field];
    if (Object.keys(labelled).length > 0)
      properties[untrusted_field] = { type: 'object', properties: labelled };
    const plan: Plan = {
      ...(hidden.length > 0 ? { hide: [...hidden] } : {}),
      ...(label.length > 0 ? { label } : {}),
      ...(label_unless_phone.length > 0 ? { label_unless_phone } : {}),
      ...(Object.keys(inside).length > 0 ? { inside } : {}),
    };
    return { shape: { type: 'object', properties }, plan: Object.keys(plan).length > 0 ? plan : null };
  };

  const successOf = (operation: Located) => {
    const [status, response] = Object.entries(operation.responses).find(([code]) => Number(code) < 400)!;
    return { status, schema: response.content?.['application/json']?.schema ?? null };
  };

  const compile = (name: string, toolset: string, entry: ToolEntry, operation: Located): CompiledTool => {
    const content = operation.requestBody?.content;
    const is_upload = content !== undefined && !content['application/json'];
    const body = content?.['application/json'] && resolve(content['application/json'].schema);
    const properties: Record<string, Json> = {};
    const required: string[] = [];
    const params = operation.parameters.filter((parameter) => parameter.in === 'path');
    const query = operation.parameters.filter((parameter) => parameter.in === 'query');
    for (const { name: field, schema, description, required: is_required } of [...params, ...query]) {
      properties[field] = inputShape({ ...schema, ...(description ? { description } : {}) });
      if (is_required) required.push(field);
    }
    if (body) {
      for (const [field, schema] of Object.entries((body.properties ?? {}) as Record<string, Json>))
        properties[field] = inputShape(schema);
      required.push(...((body.required ?? []) as string[]));
    }
    if (is_upload) Object.assign(properties, upload_properties);
    if (is_upload) required.push('filename', 'content_base64');
    for (const field of entry.without ?? []) delete properties[field];
    for (const [field, value] of Object.entries(entry.defaults ?? {}))
      if (properties[field]) properties[field].default = value;
    const is_idempotent = operation.parameters.some((parameter) => parameter.name === 'Idempotency-Key');
    // A wait has no effect that must not be repeated.
    const has_key = is_idempotent && !entry.waits_for;
    if (has_key) properties.idempotency_key = key;
    if (entry.waits_for) properties.timeout_seconds = wait;
    if (entry.waits_for === 'anything') Object.assign(properties, waitInputs(properties.any_of!));
    if ('limit' in properties) properties.limit!.maximum = 50;

    const { schema } = successOf(operation);
    const made = schema
      ? outputShape(schema, entry.returns)
      : { shape: { type: 'object', properties: { done: { type: 'boolean' } } }, plan: null };
    const { shape, plan } = waitResult(entry, made);
    const { method } = operation;
    const read_only = method === 'GET';
    const description = entry.description ?? ownWords(operation, shape);
    return {
      toolset,
      definition: {
        name,
        title: entry.title,
        description,
        inputSchema: {
          type: 'object',
          properties,
          ...(required.length > 0 && entry.waits_for !== 'anything' ? { required } : {}),
          additionalProperties: false,
        },
        outputSchema: shape,
        annotations: {
          readOnlyHint: read_only,
          ...(read_only
            ? {}
            : {
                destructiveHint:
                  method === 'DELETE' || has_key || name === 'cancel_call' || name === 'cancel_sms',
                idempotentHint: method === 'PATCH' || method === 'PUT' || method === 'DELETE',
              }),
          // Operations that send to people, or return text that people wrote.
          openWorldHint: is_idempotent || /"untrusted_content"/.test(JSON.stringify(shape)),
        },
      },
      call: {
        method,
        path: operation.path,
        params: params.map((parameter) => parameter.name),
        input: body ? 'body' : query.length > 0 ? 'query' : is_upload ? 'upload' : null,
        ...(has_key ? { idempotent: true as const } : {}),
        ...('recipient_consent' in properties ? { consent: true as const } : {}),
        ...(entry.waits_for ? { waits_for: entry.waits_for } : {}),
        ...(entry.waits_for === 'anything' ? { record_plans: recordPlans() } : {}),
        ...(entry.defaults ? { defaults: entry.defaults } : {}),
        ...(plan ? { plan } : {}),
      },
    };
  };

  const recordPlans = (): Record<string, Plan> =>
    Object.fromEntries(
      ['Email', 'Sms', 'Call', 'Approval'].map((name) => {
        const { plan } = outputShape({ $ref: `#/components/schemas/${name}` });
        return [name.toLowerCase(), plan ?? {}];
      }),
    );

  const tool_names = toolNames(located);
  /** Models know tools, not paths: a request in a description is replaced by the tool that sends it. */
  const inToolWords = (text: string): string =>
    text.replaceAll(/\b(GET|POST|PUT|PATCH|DELETE) (\/v1\/[\w/{}-]*)(\?\S*)?/g, (_, method, path) => {
      const found = [...located].find(([, each]) => each.method === method && each.path === path);
      return (found && tool_names.get(found[0])) ?? 'the API';
    });

  // A misspelled name would offer the operation to models.
  for (const id of people_only)
    if (!located.has(id)) throw new Error(`people_only names ${id}, which is no operation`);
  const tools = Object.entries(defaultTools).flatMap(([name, entry]) => {
    const operation = located.get(entry.operation);
    return operation ? [compile(name, 'default', entry, operation)] : [];
  });
  const named = Map.groupBy(Object.entries(namedTools), ([, { operation }]) => operation);
  const taken = new Set(Object.values(defaultTools).map(({ operation }) => operation));
  for (const [id, operation] of located) {
    const { status, schema } = successOf(operation);
    // Streams, redirects and uploads are for programs.
    if (status === '302' || (status !== '204' && !schema)) continue;
    if (operation.requestBody && !operation.requestBody.content['application/json']) continue;
    if (people_only.has(id)) continue;
    const [noun] = id.split('.') as [string];
    const own = named.get(id) ?? [];
    for (const [name, entry] of own) tools.push(compile(name, noun, entry, operation));
    // A tool that waits for a change of a record does not replace the one that reads it.
    const has_own = own.some(([, { waits_for }]) => waits_for !== 'call' && waits_for !== 'approval');
    if (taken.has(id) || has_own) continue;
    const derived = { operation: id, title: operation.summary };
    tools.push(compile(derivedName(id), noun, derived, operation));
  }
  const worded = tools.map((tool) => ({
    ...tool,
    definition: JSON.parse(inToolWords(JSON.stringify(tool.definition))),
  }));
  return `${JSON.stringify(worded, null, 1)}\n`;
}

const derivedName = (id: string): string =>
  id.replace('.', '_').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The tool of each operation; if there are several, the first of the default set. */
function toolNames(located: ReadonlyMap<string, Located>): ReadonlyMap<string, string> {
  const names = new Map([...located.keys()].map((id) => [id, derivedName(id)]));
  for (const [name, { operation }] of Object.entries({ ...namedTools, ...defaultTools }).toReversed())
    names.set(operation, name);
  return names;
}

/** The default description: the summary of the operation and the fields of its result. */
function ownWords(operation: Located, shape: Json): string {
  const fields = Object.keys((shape.properties ?? {}) as Json);
  const returns = fields.includes('next_cursor')
    ? 'Returns a page of items and next_cursor; pass that as cursor to get the next page.'
    : fields.includes('done')
      ? 'Returns done: true.'
      : `Returns ${fields.slice(0, 4).join(', ')}${fields.length > 4 ? ' and more' : ''}.`;
  return [operation.summary, operation.description, returns]
    .filter(Boolean)
    .map((sentence) => sentence!.replace(/\.?$/, '.'))
    .join(' ');
}

/** Two branches instead of a list of types: some model vendors accept only single types. */
const orNull = (shape: Json): Json => ({ anyOf: [shape, { type: 'null' }] });

const withoutDescription = ({ description: _, ...rest }: Json): Json => rest;

const mapValues = (object: Record<string, Json>, change: (value: Json) => Json) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));

const upload_properties: Record<string, Json> = {
  filename: { type: 'string' },
  content_base64: { type: 'string', description: 'The file, in base64; at most 6 MiB.' },
  content_type: { type: 'string', description: 'For example application/pdf.' },
};

/** The result of a wait: whether a record was found, and the record. */
function waitResult(
  entry: ToolEntry,
  made: { shape: Json; plan: Plan | null },
): { shape: Json; plan: Plan | null } {
  if (entry.waits_for === 'call')
    return {
      shape: { type: 'object', properties: { is_over: { type: 'boolean' }, call: made.shape } },
      plan: made.plan && { inside: { call: made.plan } },
    };
  if (entry.waits_for === 'anything')
    return {
      shape: {
        type: 'object',
        properties: {
          wait_id: { type: 'string' },
          status: { type: 'string' },
          matched: orNull({ type: 'object' }),
        },
      },
      plan: null,
    };
  return made;
}

/** The conditions as one flat object: seven branches would take three times as many tokens. */
function waitInputs(any_of: Json): Record<string, Json> {
  const { anyOf } = any_of.items as { anyOf: { properties: Record<string, Json> }[] };
  const kinds = anyOf.map(({ properties }) => {
    const { kind, ...fields } = properties;
    return { kind: String(kind!.const), fields: mapValues(fields, withoutDescription) };
  });
  const { channel, ...rest } = Object.assign({}, ...kinds.toReversed().map(({ fields }) => fields));
  const description = kinds
    .map(({ kind, fields }) => `${kind} (${Object.keys(fields).join(', ')})`)
    .join('; ');
  const kind = { type: 'string', enum: kinds.map((each) => each.kind), description };
  const items = { type: 'object', properties: { kind, channel, ...rest }, required: ['kind'] };
  return { any_of: { ...any_of, items }, wait_id: { type: 'string' } };
}
