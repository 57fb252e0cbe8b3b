// Writes llms.txt: a short page about the API for language models.
import { operationGroups } from '@parley/contract/index';
import type { Guide } from './guides.ts';

export function llmsText(base_url: string, guides: readonly Guide[]): string {
  const sections = operationGroups.map(({ noun, description, operations }) => {
    const lines = Object.values(operations).map(
      ({ method, path, summary }) => `- \`${method} ${path}\`: ${summary}`,
    );
    return `## ${noun}\n\n${description}\n\n${lines.join('\n')}\n`;
  });
  return `# Parley

> A phone, a mailbox and a text line for AI agents behind one HTTP API at ${base_url}.

Send \`Authorization: Bearer <key>\` with every request. Bodies are JSON in snake_case. Errors are
application/problem+json with a stable \`code\` and a \`fix\` that says what to do next. Lists answer
\`{"items": [...], "next_cursor": ...}\`, newest first.

- [OpenAPI 3.1](${base_url}/openapi.json): every operation, schema, error and event
- [Reference](${base_url}/docs): the same for people
${guides.map(({ name, title }) => `- [Guide: ${title}](${base_url}/guides/${name})\n`).join('')}
${sections.join('\n')}`;
}
