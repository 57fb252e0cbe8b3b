// Writes a request as curl, as a command and as TypeScript.

import { commands } from 'virtual:contract/commands';
import { operations } from '@parley/sdk/operations';
import { facts } from '../session/facts.ts';
import type { Action } from '../session/last-action.ts';

export type Snippets = { curl: string; cli: string | null; typescript: string | null };

const quoted = (text: string) =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** JSON in the style of handwritten code. */
function literal(value: unknown, indent = ''): string {
  const deeper = `${indent}  `;
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, deeper)).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(
      ([name, each]) =>
        `${deeper}${/^\w+$/.test(name) ? name : JSON.stringify(name)}: ${literal(each, deeper)},`,
    );
    return fields.length === 0 ? '{}' : `{\n${fields.join('\n')}\n${indent}}`;
  }
  return JSON.stringify(value);
}

function operationOf(method: string, pathname: string) {
  for (const [id, operation] of Object.entries(operations)) {
    if (operation.method !== method) continue;
    const pattern = new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`);
    const match = pattern.exec(pathname);
    // A literal path has priority over one with a parameter in the same position.
    if (match && !(match.length > 1 && pathname in literal_paths)) return { id, params: match.slice(1) };
  }
  return null;
}
const literal_paths: Record<string, true> = Object.fromEntries(
  Object.values(operations).map(({ path }) => [path, true as const]),
);

const flagsOf = (input: Record<string, unknown>) =>
  Object.entries(input).flatMap(([name, value]) => {
    const flag = `--${name.replaceAll('_', '-')}`;
    if (value === true) return [flag];
    const simple = Array.isArray(value) && value.every((each) => typeof each === 'string');
    if (simple) return (value as string[]).map((each) => `${flag} ${quoted(each)}`);
    return [`${flag} ${quoted(typeof value === 'string' ? value : JSON.stringify(value))}`];
  });

export function snippetsOf({ method, path, body }: Action): Snippets {
  const url = new URL(path, facts.base_url);
  const curl = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(facts.base_url + path)}`,
    `  -H "Authorization: Bearer $PARLEY_API_KEY"`,
    ...(body === undefined
      ? []
      : [`  -H 'Content-Type: application/json'`, `  -d ${quoted(JSON.stringify(body))}`]),
  ].join(' \\\n');
  const operation = operationOf(method, url.pathname);
  if (!operation) return { curl, cli: null, typescript: null };
  const query = Object.fromEntries(url.searchParams);
  const input = body ?? (Object.keys(query).length > 0 ? query : undefined);
  const args = [
    ...operation.params.map((param) => JSON.stringify(decodeURIComponent(param))),
    ...(input === undefined ? [] : [literal(input)]),
  ];
  const command = commands[operation.id];
  return {
    curl,
    cli: command
      ? [
          facts.command,
          command,
          ...operation.params,
          ...(input ? flagsOf(input as Record<string, unknown>) : []),
        ].join(' ')
      : null,
    typescript: `import { createParley } from '@parley/sdk';\n\nconst parley = createParley();\nawait parley.${operation.id}(${args.join(', ')});`,
  };
}
