// Writes the records and events of the API as Python TypedDicts.
import { type Document, type Json, referredName } from '../openapi-document.ts';
import { docstring, generated_note, isKeyword, literal, pascal } from './python-text.ts';

/** Lists of a record can be changed; a parameter accepts any sequence. */
export type Place = 'record' | 'parameter';

export type RecordWriter = {
  /** The Python type of a schema. `name` is used for an object without a name of its own. */
  typeOf(schema: Json, name: string, place: Place): string;
  /** The classes of every record that was mentioned. */
  text(): string;
  names(): string[];
};

export function recordWriter(document: Document): RecordWriter {
  const schemas = document.components.schemas;
  const classes = new Map<string, string>();
  const aliases = new Map<string, string>();

  const typeOf = (schema: Json, name: string, place: Place): string => {
    const referred = referredName(schema);
    if (referred !== null) {
      define(referred, schemas[referred]!);
      return referred;
    }
    if ('const' in schema) return `Literal[${literal(schema.const)}]`;
    if (Array.isArray(schema.enum)) return `Literal[${schema.enum.map(literal).join(', ')}]`;
    const union = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
    if (union) return unionOf(union, name, place);
    if (Array.isArray(schema.type))
      return unionOf(
        schema.type.map((type) => ({ ...schema, type })),
        name,
        place,
      );
    switch (schema.type) {
      case 'string':
        return 'str';
      case 'boolean':
        return 'bool';
      case 'null':
        return 'None';
      case 'integer':
        return 'int';
      case 'number':
        return 'float';
      case 'array':
        return `${place === 'record' ? 'list' : 'Sequence'}[${schema.items ? typeOf(schema.items as Json, name, place) : 'Any'}]`;
      case 'object':
        return objectOf(schema, name, place);
      default:
        return 'Any';
    }
  };

  /** Parts without a name are named by the field that tells them apart, such as `do: "say"`. */
  const unionOf = (parts: Json[], name: string, place: Place): string => {
    const objects = parts.filter((part) => part.type === 'object' && part.properties).length;
    const nameOf = (part: Json, index: number) => {
      if (objects < 2) return name;
      const mark = Object.values((part.properties ?? {}) as Record<string, Json>).find(
        (field) => typeof field.const === 'string',
      );
      return name + (mark ? pascal(String(mark.const)) : String(index + 1));
    };
    const types = parts.map((part, index) => typeOf(part, nameOf(part, index), place));
    return [...new Set(types)].join(' | ');
  };

  const objectOf = (schema: Json, name: string, place: Place): string => {
    if (!schema.properties) {
      const values = schema.additionalProperties as Json | undefined;
      const value =
        values && typeof values === 'object' && Object.keys(values).length > 0
          ? typeOf(values, name, place)
          : 'Any';
      return `${place === 'record' ? 'dict' : 'Mapping'}[str, ${value}]`;
    }
    define(name, schema);
    return name;
  };

  /** Does nothing if the name is defined: a record can contain itself. */
  const define = (name: string, schema: Json): void => {
    if (classes.has(name) || aliases.has(name)) return;
    if (schema.type === 'object' && schema.properties) {
      classes.set(name, '');
      classes.set(name, classText(name, schema));
      return;
    }
    aliases.set(name, '');
    aliases.set(name, `${name}: TypeAlias = ${quotedUnion(typeOf(schema, name, 'record'))}\n`);
  };

  const classText = (name: string, schema: Json): string => {
    const required = new Set((schema.required ?? []) as string[]);
    const fields = Object.entries(schema.properties as Record<string, Json>).map(([field, value]) => ({
      field,
      type: typeOf(value, name + pascal(field), 'record'),
      doc: value.description === undefined ? '' : String(value.description),
      optional: !required.has(field),
    }));
    return typedDict(name, fields, schema.description === undefined ? '' : String(schema.description));
  };

  return {
    typeOf,
    names: () => [...classes.keys(), ...aliases.keys()],
    text: () => [...sorted(classes), ...sorted(aliases)].join('\n\n'),
  };
}

const sorted = (texts: Map<string, string>): string[] =>
  [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);

/** An alias is evaluated when the module is loaded, so `None` and names must be usable there. */
function quotedUnion(type: string): string {
  const members = splitOutside(type, ' | ').map(quotedArguments);
  return members.length === 1 ? members[0]! : `Union[${members.join(', ')}]`;
}

/** The unions inside of brackets, such as those of `dict[str, str | float]`. */
function quotedArguments(type: string): string {
  const [, name, inner] = /^(\w+)\[(.*)\]$/.exec(type) ?? [];
  if (name === undefined || name === 'Literal') return type;
  return `${name}[${splitOutside(inner!, ', ').map(quotedUnion).join(', ')}]`;
}

/** Splits where no bracket is open. */
function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = [];
  let [depth, from] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '[') depth++;
    if (text[at] === ']') depth--;
    if (depth > 0 || !text.startsWith(separator, at)) continue;
    parts.push(text.slice(from, at));
    from = at + separator.length;
  }
  return [...parts, text.slice(from)];
}

type Field = { field: string; type: string; doc: string; optional: boolean };

const fieldLines = (fields: readonly Field[]): string =>
  fields
    .map(({ field, type, doc }) => `    ${field}: ${type}\n${doc === '' ? '' : docstring([doc], '    ')}`)
    .join('');

/**
 * `NotRequired` is missing in Python 3.10, so optional fields are in a class with `total=False`; a field with the name of
 * a keyword, such as `from`, needs the functional form.
 */
export function typedDict(name: string, fields: readonly Field[], doc: string): string {
  const bases: string[] = [];
  let text = '';
  for (const optional of [false, true]) {
    const reserved = fields.filter((each) => isKeyword(each.field) && each.optional === optional);
    if (reserved.length === 0) continue;
    const base = `_${name}${optional ? 'Optional' : ''}Reserved`;
    const entries = reserved.map(({ field, type }) => `"${field}": ${JSON.stringify(type)}`).join(', ');
    text += `${base} = TypedDict("${base}", {${entries}}${optional ? ', total=False' : ''})\n\n\n`;
    bases.push(base);
  }
  const plain = fields.filter(({ field }) => !isKeyword(field));
  const required = plain.filter(({ optional }) => !optional);
  const optional = plain.filter((each) => each.optional);
  if (required.length > 0 && optional.length > 0) {
    text += `class _${name}Required(TypedDict):\n${fieldLines(required)}\n\n`;
    bases.push(`_${name}Required`);
  }
  const own = optional.length > 0 ? optional : required;
  const heading = `${bases.length > 0 ? bases.join(', ') : 'TypedDict'}${optional.length > 0 ? ', total=False' : ''}`;
  const body = (doc === '' ? '' : `${docstring([doc], '    ')}\n`) + fieldLines(own);
  return `${text}class ${name}(${heading}):\n${body === '' ? '    pass\n' : body}`;
}

/** The module of all records; call it when every resource has been written. */
export const recordsModule = (writer: RecordWriter): string => `${generated_note}"""The records of the API."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict, Union


class Location(TypedDict):
    """Where a file can be downloaded for a short time."""

    location: str


${writer.text()}`;

/** One class per type of event, and their union, which type checkers narrow by `type`. */
export function eventsModule(document: Document, writer: RecordWriter): string {
  const envelope = document.components.schemas.Event!;
  const classes: { name: string; type: string; text: string }[] = [];
  const used = new Set<string>();
  for (const [type, { post }] of Object.entries(document.webhooks)) {
    const { properties } = post.requestBody.content['application/json'].schema.allOf[1] as {
      properties: { data: Json };
    };
    const name = `${pascal(type)}Event`;
    const data = writer.typeOf(properties.data, `${name}Data`, 'record');
    used.add(data);
    const fields = Object.entries(envelope.properties as Record<string, Json>).map(([field, schema]) => ({
      field,
      type:
        field === 'type'
          ? `Literal[${literal(type)}]`
          : field === 'data'
            ? data
            : writer.typeOf(schema, name, 'record'),
      doc: schema.description === undefined || field === 'type' ? '' : String(schema.description),
      optional: false,
    }));
    classes.push({ name, type, text: typedDict(name, fields, post.summary) });
  }
  return `${generated_note}"""The events that webhooks and the event stream deliver."""

from __future__ import annotations

from typing import Literal, TypeAlias, TypedDict, Union

from parley.records import (
${[...used]
  .sort()
  .map((name) => `    ${name},\n`)
  .join('')})

${classes.map(({ text }) => `\n${text}`).join('\n')}

EventType: TypeAlias = Literal[
${classes.map(({ type }) => `    ${literal(type)},\n`).join('')}]

AnyEvent: TypeAlias = Union[
${classes.map(({ name }) => `    ${name},\n`).join('')}]
"""Narrow it by its key \`type\`."""
`;
}
