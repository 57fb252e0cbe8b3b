// Writes the methods of the Python client: one module per noun, with a class for each of the two clients.
import {
  type Document,
  isList,
  type Json,
  type Operation,
  type Parameter,
  referredName,
  resolved,
} from '../openapi-document.ts';
import { docstring, generated_note, parameterName, pascal, snake, wrapped } from './python-text.ts';
import type { RecordWriter } from './records.ts';

/** Methods that are written by hand, in `clients/python/src/parley/_extras.py`. */
const extras: Record<string, string> = {
  calls: 'CallExtras',
  events: 'EventExtras',
  waits: 'WaitExtras',
  webhooks: 'WebhookExtras',
};

type Argument = { name: string; wire: string; type: string; doc: string; required: boolean };

type Result =
  | { kind: 'record'; type: string }
  | { kind: 'list'; type: string }
  | { kind: 'none' }
  | { kind: 'location' };

type Method = {
  name: string;
  http: string;
  path: string;
  doc: string[];
  path_arguments: Argument[];
  arguments: Argument[];
  input: 'body' | 'query' | 'file' | null;
  is_idempotent: boolean;
  result: Result;
};

export const resourceClass = (noun: string): string => `${pascal(noun)}Resource`;

/** The methods of every noun, in the order of the document. */
export function methodsOf(document: Document, writer: RecordWriter): Map<string, Method[]> {
  const nouns = new Map<string, Method[]>();
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [http, operation] of Object.entries(operations)) {
      const [noun, name] = operation.operationId.split('.') as [string, string];
      const method = methodOf(document, writer, { http, path, noun, name: snake(name), operation });
      nouns.set(noun, [...(nouns.get(noun) ?? []), ...(method === null ? [] : [method])]);
    }
  }
  return nouns;
}

type Found = { http: string; path: string; noun: string; name: string; operation: Operation };

/** Returns null for a stream: its method is written by hand. */
function methodOf(document: Document, writer: RecordWriter, found: Found): Method | null {
  const { operation, path } = found;
  const parameters = operation.parameters.map((parameter) => resolved(document, parameter));
  const result = resultOf(document, writer, operation, parameters);
  if (result === null) return null;
  const owner = pascal(found.noun) + pascal(found.name);
  const content = operation.requestBody && resolved(document, operation.requestBody).content;
  const body = content?.['application/json']?.schema;
  const query = parameters.filter(({ in: place }) => place === 'query');
  const form = content?.['multipart/form-data']?.schema;
  const input = body ? 'body' : content ? 'file' : query.length > 0 ? 'query' : null;
  return {
    name: found.name,
    http: found.http.toUpperCase(),
    path,
    doc: [`${operation.summary}.`, ...(operation.description ? [operation.description] : [])],
    path_arguments: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      ...argumentOf(writer, owner, name!, { type: 'string' }, true),
      doc: '',
    })),
    arguments: body
      ? bodyArguments(document, writer, body, owner)
      : form
        ? bodyArguments(document, writer, form, owner).filter(({ wire }) => wire !== 'file')
        : query.map(({ name, schema, description, required }) =>
            argumentOf(writer, owner, name, { ...schema, description }, required === true),
          ),
    input,
    is_idempotent: parameters.some(({ name }) => name === 'Idempotency-Key'),
    result,
  };
}

function argumentOf(
  writer: RecordWriter,
  owner: string,
  wire: string,
  schema: Json,
  required: boolean,
): Argument {
  return {
    name: parameterName(wire),
    wire,
    type: writer.typeOf(schema, owner + pascal(wire), 'parameter'),
    doc: typeof schema.description === 'string' ? schema.description : '',
    required,
  };
}

function bodyArguments(document: Document, writer: RecordWriter, body: Json, owner: string): Argument[] {
  const schema = resolved(document, body);
  const required = new Set((schema.required ?? []) as string[]);
  const name = referredName(body) ?? owner;
  const all = Object.entries((schema.properties ?? {}) as Record<string, Json>).map(([field, value]) =>
    argumentOf(writer, name, field, value, required.has(field)),
  );
  return [...all.filter((each) => each.required), ...all.filter((each) => !each.required)];
}

function resultOf(
  document: Document,
  writer: RecordWriter,
  operation: Operation,
  parameters: Parameter[],
): Result | null {
  const [status, answer] = Object.entries(operation.responses).find(([code]) => Number(code) < 400)!;
  const { content } = resolved(document, answer);
  if (status === '204') return { kind: 'none' };
  if (status === '302') return { kind: 'location' };
  const schema = content?.['application/json']?.schema;
  if (!schema) return null;
  const name = pascal(operation.operationId);
  if (!isList(document, { ...operation, parameters }))
    return { kind: 'record', type: writer.typeOf(schema, name, 'record') };
  const { items } = resolved(document, schema).properties as { items: { items: Json } };
  return { kind: 'list', type: writer.typeOf(items.items, `${name}Item`, 'record') };
}

/** A name that is used twice would hide an argument. */
function checkNames({ name, path_arguments, arguments: rest }: Method): void {
  const names = ['self', 'options', ...[...path_arguments, ...rest].map((each) => each.name)];
  if (new Set(names).size !== names.length) throw new Error(`${name}: two arguments have the same name`);
}

function signature(method: Method, is_async: boolean): string {
  checkNames(method);
  const { result, input, path_arguments } = method;
  const lines = path_arguments.map(({ name }) => `${name}: str,`);
  if (input === 'file') lines.push('file: FileContent,');
  lines.push('*,');
  if (input === 'file') lines.push('filename: str,', 'content_type: str = "application/octet-stream",');
  for (const { name, type, required } of method.arguments)
    lines.push(required ? `${name}: ${type},` : `${name}: ${orUnset(type)} = UNSET,`);
  lines.push('options: RequestOptions | None = None,');
  const is_list = result.kind === 'list';
  const heading = `    ${is_async && !is_list ? 'async ' : ''}def ${method.name}(\n        self,\n`;
  return `${heading}${lines.map((line) => `        ${line}\n`).join('')}    ) -> ${returned(result, is_async)}:\n`;
}

/** `None` comes last, as linters of Python expect. */
const orUnset = (type: string): string =>
  type.endsWith(' | None') ? `${type.slice(0, -' | None'.length)} | Unset | None` : `${type} | Unset`;

function returned(result: Result, is_async: boolean): string {
  switch (result.kind) {
    case 'none':
      return 'None';
    case 'location':
      return 'Location';
    case 'list':
      return `${is_async ? 'AsyncList' : 'Page'}[${result.type}]`;
    case 'record':
      return result.type;
  }
}

const pathText = ({ path, path_arguments }: Method): string =>
  path_arguments.length === 0 ? `"${path}"` : `f"${path.replaceAll(/\{(\w+)\}/g, '{segment($1)}')}"`;

function documentation(method: Method): string {
  const described = method.arguments.filter(({ doc }) => doc !== '');
  const lines = described.flatMap(({ name, doc }) => {
    const [first, ...more] = wrapped(`${name}: ${doc}`, '            ');
    return [`    ${first}`, ...more.map((line) => `        ${line}`)];
  });
  const paragraphs = lines.length > 0 ? [...method.doc, `Args:\n${lines.join('\n')}`] : method.doc;
  return docstring(paragraphs, '        ');
}

function call(method: Method, is_async: boolean): string {
  const { http, result, input } = method;
  const fields = method.arguments.map(({ name, wire }) => `                "${wire}": ${name},\n`).join('');
  const input_line = {
    body: `            body={\n${fields}            },\n`,
    query: `            query={\n${fields}            },\n`,
    file:
      method.arguments.length === 0
        ? '            files={"file": (filename, read_file(file), content_type)},\n'
        : `            files={\n                **text_parts({\n${fields.replaceAll(/^/gm, '    ').trimEnd()}\n                }),\n                "file": (filename, read_file(file), content_type),\n            },\n`,
  };
  const inner = `${input === null ? '' : input_line[input]}${method.is_idempotent ? '            is_idempotent=True,\n' : ''}            options=options,\n`;
  if (result.kind === 'list') {
    const target = is_async ? 'AsyncList' : 'Page.first';
    return `        return ${target}(\n            self._transport,\n            ${pathText(method)},\n${inner}        )\n`;
  }
  const request = `${is_async ? 'await ' : ''}self._transport.json(\n            "${http}",\n            ${pathText(method)},\n${inner}        )`;
  if (result.kind === 'none') return `        ${request}\n`;
  const local = method.arguments.some(({ name }) => name === 'result') ? 'answer' : 'result';
  return `        ${local}: ${returned(result, is_async)} = ${request}\n        return ${local}\n`;
}

const classText = (noun: string, methods: Method[], is_async: boolean, doc: string): string => {
  const prefix = is_async ? 'Async' : '';
  const base = extras[noun] ? `(${prefix}${extras[noun]})` : '';
  const init = `    def __init__(self, transport: ${prefix}Transport) -> None:\n        self._transport = transport\n`;
  const bodies = methods.map(
    (method) => `\n${signature(method, is_async)}${documentation(method)}${call(method, is_async)}`,
  );
  return `class ${prefix}${resourceClass(noun)}${base}:\n${docstring([doc], '    ')}\n${init}${bodies.join('')}`;
};

const importLine = (module: string, names: string[]): string =>
  names.length === 0 ? '' : `from ${module} import ${[...new Set(names)].sort().join(', ')}\n`;

/** Names that occur in the text as whole words. */
const usedIn = (text: string, names: readonly string[]): string[] =>
  names.filter((name) => new RegExp(`\\b${name}\\b`).test(text));

export function resourceModule(noun: string, methods: Method[], doc: string, records: string[]): string {
  const classes = `${classText(noun, methods, false, doc)}\n\n${classText(noun, methods, true, doc)}`;
  const extra = extras[noun];
  // The text of docstrings must not decide what is imported.
  const code = classes
    .replaceAll(/"""[\s\S]*?"""/g, '')
    .replaceAll(/"[^"\n]*"/g, (text) => (text.includes('{') ? text : ''));
  return `${generated_note}"""The operations on \`${noun}\`."""

from __future__ import annotations

${importLine('collections.abc', usedIn(code, ['Mapping', 'Sequence']))}${importLine('typing', usedIn(code, ['Any', 'Literal']))}
${extra ? importLine('parley._extras', [extra, `Async${extra}`]) : ''}${importLine('parley._page', usedIn(code, ['AsyncList', 'Page']))}${importLine('parley._request', usedIn(code, ['FileContent', 'RequestOptions', 'UNSET', 'Unset', 'read_file', 'segment', 'text_parts']))}${importLine('parley._transport', ['AsyncTransport', 'Transport'])}${importLine('parley.records', usedIn(code, ['Location', ...records]))}

${classes}`;
}
