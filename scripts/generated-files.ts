// The committed files that are made from code: what each must contain right now.
import { readFileSync } from 'node:fs';
import { client_variables } from '../packages/contract/src/client-environment.ts';
import { errors, problemCodes } from '../packages/contract/src/errors.ts';
import type { EventDefinition } from '../packages/contract/src/event.ts';
import { events, lifecycles, operationGroups, streamEvents } from '../packages/contract/src/index.ts';
import { finalStates } from '../packages/contract/src/lifecycle.ts';
import { buildOpenApi } from '../packages/contract/src/openapi.ts';
import { migrations_folder } from '../packages/server/src/app/app.ts';
import { settings } from '../packages/server/src/config/config.ts';
import { openDatabase } from '../packages/server/src/platform/db/database.ts';
import { migrate, readMigrations } from '../packages/server/src/platform/db/migrate.ts';
import { dumpSchema } from '../packages/server/src/platform/db/schema-dump.ts';
import { envExample, settingsPage } from '../packages/server/src/platform/settings.ts';

import { cliCommands } from './cli-commands.ts';
import { decisionsIndex } from './decisions-index.ts';
import { mcpTools } from './mcp-tools.ts';
import { pythonClient } from './python-client/python-client.ts';
import { sdkApi } from './sdk-api.ts';

const project_version: string = JSON.parse(readFileSync('package.json', 'utf8')).version;
const made = '<!-- Made by `npm run generate`; edits are lost. -->\n';

/** `database_url` names an empty database, which is migrated to learn the schema. */
export async function generatedFiles(database_url: string): Promise<Record<string, string>> {
  const openapi = buildOpenApi('http://127.0.0.1:8080');
  return {
    '.env.example': envExample(settings),
    'packages/contract/openapi.json': `${JSON.stringify(openapi, null, 2)}\n`,
    'packages/sdk/src/api.ts': sdkApi(openapi),
    'packages/cli/src/commands.json': cliCommands(openapi),
    'packages/mcp/mcp-tools.json': mcpTools(openapi),
    ...pythonClient(openapi, project_version),
    'packages/server/schema.sql': await schema(database_url),
    'docs/decisions/README.md': made + decisionsIndex(),
    'docs/reference/settings.md': made + settingsPage(settings, client_variables),
    'docs/reference/errors.md': made + errorsPage(),
    'docs/reference/operations.md': made + operationsPage(),
    'docs/reference/events.md': made + eventsPage(),
    'docs/reference/lifecycles.md': made + lifecyclesPage(),
  };
}

async function schema(database_url: string): Promise<string> {
  const db = openDatabase({ url: database_url, max_connections: 2 });
  try {
    await migrate(db, await readMigrations(migrations_folder));
    return `-- Made by \`npm run generate\` from the migrations; read it, do not run it.\n\n${await dumpSchema(db)}`;
  } finally {
    await db.close();
  }
}

const errorsPage = () =>
  `# Errors

Every error is \`application/problem+json\` (RFC 9457) with \`type\`, \`title\`, \`status\`, \`detail\`, a stable \`code\`, a
\`fix\` that says what to do next, and the \`request_id\`.

| code | status | when | fix |
|---|---|---|---|
${Object.entries(errors)
  .sort(([, a], [, b]) => a.status - b.status)
  .map(([code, { status, when, fix }]) => `| \`${code}\` | ${status} | ${when} | ${fix} |`)
  .join('\n')}

## Entries of \`errors\` in a 422

| code | meaning |
|---|---|
${Object.entries(problemCodes)
  .map(([code, meaning]) => `| \`${code}\` | ${meaning} |`)
  .join('\n')}
`;

const operationsPage = () =>
  `# Operations

The exact schemas are in \`/openapi.json\` and, for reading, at \`/docs\` of a running server.

${operationGroups
  .map(
    ({ noun, description, operations }) => `## ${noun}

${description}

| operation | method and path | what it does |
|---|---|---|
${Object.entries(operations)
  .map(([name, { method, path, summary }]) => `| \`${noun}.${name}\` | \`${method} ${path}\` | ${summary} |`)
  .join('\n')}
`,
  )
  .join('\n')}`;

const eventList = (table: Record<string, EventDefinition>) =>
  Object.entries(table)
    .map(
      ([type, event]) =>
        `## ${type}\n\n${event.meaning}\n\n\`\`\`json\n${JSON.stringify(event.example, null, 2)}\n\`\`\`\n`,
    )
    .join('\n');

const eventsPage = () =>
  `# Events

${eventList(events)}
# Only on the stream

Told by \`GET /v1/events/stream\`; neither listed nor sent to webhooks.

${eventList(streamEvents)}`;

const lifecyclesPage = () =>
  `# Lifecycles

A record changes its status only by these moves. A trigger that does not apply changes nothing.

${lifecycles
  .map(
    (lifecycle) => `## ${lifecycle.subject}

Begins as \`${lifecycle.initial}\`. Ends as ${finalStates(lifecycle)
      .map((state) => `\`${state}\``)
      .join(', ')}.

| trigger | from | to | event |
|---|---|---|---|
${Object.entries<{ from: readonly string[]; to: string; emits?: string }>(lifecycle.moves)
  .map(
    ([trigger, { from, to, emits }]) =>
      `| ${trigger} | ${from.join(', ')} | ${to} | ${emits ? `\`${emits}\`` : ''} |`,
  )
  .join('\n')}
`,
  )
  .join('\n')}`;
