// Converts a schema to the form that strict structured output accepts: every property is required, optional ones may be null
// instead, and limits that vendors refuse become part of the description.
import type { SchemaNode } from '@parley/contract/schema/subset/schema-subset';

/** Keywords that only some vendors accept. The caller validates the reply against the original schema. */
const described = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'format'] as const;

export const strictSchema = (schema: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  strictNode(schema as SchemaNode);

function strictNode(node: SchemaNode, is_optional = false): Record<string, unknown> {
  const { properties, required = [], items, title: _, ...rest } = node;
  const result: Record<string, unknown> = { ...rest };
  const rules = described.filter((name) => name in rest).map((name) => `${name}: ${rest[name]}`);
  for (const name of described) delete result[name];
  if (rules.length > 0) result.description = [node.description, rules.join(', ')].filter(Boolean).join(' - ');
  if (items) result.items = strictNode(items);
  if (properties || [node.type].flat().includes('object')) {
    const all = Object.entries(properties ?? {});
    result.properties = Object.fromEntries(
      all.map(([name, below]) => [name, strictNode(below, !required.includes(name))]),
    );
    result.required = all.map(([name]) => name);
    result.additionalProperties = false;
  }
  return is_optional ? nullable(result) : result;
}

function nullable(node: Record<string, unknown>): Record<string, unknown> {
  const { type } = node;
  if (typeof type === 'string' && type !== 'null' && !('enum' in node) && !('const' in node)) {
    return { ...node, type: [type, 'null'] };
  }
  return Array.isArray(type) || type === 'null' ? node : { anyOf: [node, { type: 'null' }] };
}
