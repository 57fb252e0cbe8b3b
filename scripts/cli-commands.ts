// Writes the table of the CLI's commands from the OpenAPI document.
import { isList } from './openapi-document.ts';

type Json = { [key: string]: unknown };
type Parameter = { name: string; in: string; required: boolean; description?: string; schema: Json };
type Operation = {
  operationId: string;
  summary: string;
  parameters: Parameter[];
  requestBody?: { content: Record<string, { schema: Json }> };
  responses: Record<string, { content?: Json }>;
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> };
};

/** Verbs that differ from the name of the operation. */
const verbs: Record<string, string> = { 'emails.create': 'send', 'sms.create': 'send' };

const nouns: Record<string, string> = { email_domains: 'domains', email_attachments: 'attachments' };

const camel = (name: string) => name.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());

const kebab = (name: string) =>
  name.replaceAll('_', '-').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export function cliCommands(openapi: unknown): string {
  const document = openapi as Document;
  const resolve = (schema: Json): Json =>
    typeof schema.$ref === 'string'
      ? resolve(document.components.schemas[schema.$ref.split('/').at(-1)!]!)
      : schema;

  /** The shape behind "or null". */
  const bare = (schema: Json): Json => {
    const real = resolve(schema);
    const options = (real.anyOf ?? real.oneOf) as Json[] | undefined;
    const solid = options?.filter((option) => option.type !== 'null');
    return solid?.length === 1
      ? { ...bare(solid[0]!), description: real.description ?? solid[0]!.description }
      : real;
  };

  const kindOf = (schema: Json) => {
    const type = Array.isArray(schema.type) ? schema.type.find((each) => each !== 'null') : schema.type;
    if (type === 'string' || Array.isArray(schema.enum)) return 'text';
    if (type === 'integer' || type === 'number') return 'number';
    if (type === 'boolean' || typeof schema.const === 'boolean') return 'boolean';
    if (type === 'array' && bare((schema.items ?? {}) as Json).type === 'string') return 'texts';
    return 'json';
  };

  const flagOf = (name: string, schema: Json, required: boolean, description?: string) => {
    const shape = bare(schema);
    const choices = Array.isArray(shape.enum) ? shape.enum.filter((each) => typeof each === 'string') : [];
    return {
      name,
      kind: kindOf(shape),
      required,
      // The client encodes what a URL needs.
      description: (description ?? (shape.description as string | undefined) ?? '').replace(
        /[;,] (write|encode) \+ as %2B/,
        '',
      ),
      ...(choices.length > 0 ? { choices } : {}),
    };
  };

  const commands = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).flatMap((operation) => {
      const [noun, name] = operation.operationId.split('.') as [string, string];
      const content = operation.requestBody?.content;
      // Streams and file uploads have hand-written commands.
      if (Object.values(operation.responses).some((response) => response.content?.['text/event-stream']))
        return [];
      if (content && !content['application/json']) return [];
      const body = content && resolve(content['application/json']!.schema);
      const query = operation.parameters.filter((parameter) => parameter.in === 'query');
      return [
        {
          noun: nouns[noun] ?? noun.replaceAll('_', '-'),
          group: camel(noun),
          verb: verbs[operation.operationId] ?? kebab(name),
          method_name: camel(name),
          summary: operation.summary,
          params: operation.parameters
            .filter((parameter) => parameter.in === 'path')
            .map((parameter) => parameter.name),
          flags: body
            ? Object.entries((body.properties ?? {}) as Record<string, Json>).map(
                (
                  [field, schema], // Never mandatory here: --input may bring it, and the server names what is missing.
                ) => flagOf(field, schema, false),
              )
            : query.map((parameter) =>
                flagOf(parameter.name, parameter.schema, parameter.required, parameter.description),
              ),
          input: body ? 'body' : query.length > 0 ? 'query' : null,
          list: isList(document, operation as Parameters<typeof isList>[1]),
        },
      ];
    }),
  );
  return `${JSON.stringify(commands, null, 1)}\n`;
}
