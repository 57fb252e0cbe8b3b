// Writes the SDK's types and its table of operations from the OpenAPI document.
import { type Document, isList, type Json, type Operation, type Parameter } from './openapi-document.ts';

const camel = (name: string) => name.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
const quoted = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`);
const comment = (text: unknown, indent = '') =>
  text ? `${indent}/** ${String(text).replaceAll('*/', '* /').replaceAll('\n', ' ')} */\n` : '';

/** A JSON Schema as a TypeScript type. */
function typeOf(schema: Json, indent = ''): string {
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1)!;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  for (const union of ['anyOf', 'oneOf']) {
    if (Array.isArray(schema[union]))
      return [...new Set((schema[union] as Json[]).map((part) => typeOf(part, indent)))].join(' | ');
  }
  if (Array.isArray(schema.allOf))
    return (schema.allOf as Json[]).map((part) => typeOf(part, indent)).join(' & ');
  if (Array.isArray(schema.type))
    return schema.type.map((type) => typeOf({ ...schema, type }, indent)).join(' | ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return schema.items ? `Array<${typeOf(schema.items as Json, indent)}>` : 'unknown[]';
    case 'object': {
      if (!schema.properties) {
        const values = schema.additionalProperties;
        return `Record<string, ${values && typeof values === 'object' && Object.keys(values).length > 0 ? typeOf(values as Json, indent) : 'unknown'}>`;
      }
      return objectOf(schema.properties as Record<string, Json>, (schema.required ?? []) as string[], indent);
    }
    default:
      return 'unknown';
  }
}

function objectOf(properties: Record<string, Json>, required: string[], indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(
    ([name, schema]) =>
      `${comment(schema.description, inner)}${inner}${quoted(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema, inner)};\n`,
  );
  return lines.length === 0 ? 'Record<string, never>' : `{\n${lines.join('')}${indent}}`;
}

/** The parameters of a method: path parameters in order, then the body or the query, then the options. */
function signatureOf(document: Document, operation: Operation): string {
  const of = (place: Parameter['in']) => operation.parameters.filter((parameter) => parameter.in === place);
  const parts = of('path').map(({ name }) => `${name}: string`);
  const query = of('query');
  const body = operation.requestBody?.content;
  if (body) {
    parts.push(
      body['application/json']
        ? `body: ${typeOf(body['application/json'].schema, '    ')}`
        : 'form: FormData',
    );
  } else if (query.length > 0) {
    const required = query.filter((parameter) => parameter.required).map(({ name }) => name);
    const properties = Object.fromEntries(
      query.map(({ name, schema, description }) => [name, { ...schema, description }]),
    );
    parts.push(`query${required.length > 0 ? '' : '?'}: ${objectOf(properties, required, '    ')}`);
  }
  parts.push('options?: RequestOptions');
  return `(${parts.join(', ')}): ${answerOf(document, operation)}`;
}

function answerOf(document: Document, operation: Operation): string {
  const { responses, operationId } = operation;
  const [status, response] = Object.entries(responses).find(([code]) => Number(code) < 400)!;
  if (status === '204') return 'Promise<undefined>';
  if (status === '302') return 'Promise<{ location: string }>';
  const schema = response.content?.['application/json']?.schema;
  if (!schema) return `Promise<never> /* ${operationId} streams */`;
  return isList(document, operation)
    ? `List<${typeOf(schema)}['items'][number]>`
    : `Promise<${typeOf(schema)}>`;
}

export function sdkApi(openapi: unknown): string {
  const document = openapi as Document;
  const groups = new Map<string, string[]>();
  const table: string[] = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const isStream = Object.values(operation.responses).some(
        ({ content }) => content?.['text/event-stream'],
      );
      const [noun, name] = operation.operationId.split('.') as [string, string];
      const idempotent = operation.parameters.some((parameter) => parameter.name === 'Idempotency-Key');
      const input =
        operation.requestBody !== undefined ||
        operation.parameters.some((parameter) => parameter.in === 'query');
      const flags = `${input ? ', input: true' : ''}${idempotent ? ', idempotent: true' : ''}${isList(document, operation) ? ', list: true' : ''}${isStream ? ', stream: true' : ''}${'302' in operation.responses ? ', redirects: true' : ''}`;
      table.push(
        `  '${camel(noun)}.${camel(name)}': { method: '${method.toUpperCase()}', path: '${path}'${flags} },\n`,
      );
      if (isStream) continue;
      const line = `${comment([operation.summary, operation.description].filter(Boolean).join('. '), '    ')}    ${camel(name)}${signatureOf(document, operation)};\n`;
      groups.set(noun, [...(groups.get(noun) ?? []), line]);
    }
  }
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => `${comment(schema.description)}export type ${name} = ${typeOf(schema)};\n`,
  );
  const events = Object.entries(document.webhooks).map(([type, { post }]) => {
    const { properties } = post.requestBody.content['application/json'].schema.allOf[1] as {
      properties: { data: Json };
    };
    return `${comment(post.summary, '  ')}  '${type}': ${typeOf(properties.data, '  ')};\n`;
  });
  const described = new Map(document.tags.map(({ name, description }) => [name, description]));
  return `// The shapes and operations of the API. Generated by \`npm run generate\`; edits are lost.
import type { List } from './page.ts';
import type { RequestOptions } from './transport.ts';

${schemas.join('\n')}
/** The data of each event type. */
export type EventData = {
${events.join('')}};

export type EventType = keyof EventData;

/** An event as it is delivered; narrow it by \`type\`. */
export type AnyEvent = { [Type in EventType]: Omit<Event, 'type' | 'data'> & { type: Type; data: EventData[Type] } }[EventType];

export type Api = {
${[...groups].map(([noun, lines]) => `${comment(described.get(noun), '  ')}  ${camel(noun)}: {\n${lines.join('')}  };\n`).join('')}};

export const operations = {
${table.join('')}} as const;
`;
}
