// Writes the index of docs/decisions from the head of each page: title, date, status and wing.
import { readdirSync, readFileSync } from 'node:fs';

const folder = 'docs/decisions';
/** The wings of features, and two groups for the rest: what all wings stand on, and the programs that use the API. */
const wings = ['access', 'inbox', 'rules', 'agents', 'channels', 'operations', 'platform', 'clients'];
const head = new RegExp(
  '^# (\\d+)\\. (.+)\\n\\nDate: (\\d{4}-\\d{2}-\\d{2}) · Status: (accepted|superseded by \\d+|withdrawn) · ' +
    `Wing: (${wings.join('|')})\\n`,
);

type Decision = { wing: string; row: string };

function readDecision(name: string): Decision {
  const parts = head.exec(readFileSync(`${folder}/${name}`, 'utf8'));
  if (!parts)
    throw new Error(
      `${folder}/${name} does not begin with its title and a line such as ` +
        `"Date: 2026-11-20 · Status: accepted · Wing: channels" (${wings.join(', ')})`,
    );
  const [, number, title, date, status, wing] = parts;
  if (!name.startsWith(number!.padStart(4, '0')))
    throw new Error(`${folder}/${name} has the number ${number}`);
  return { wing: wing!, row: `| ${number} | [${title}](${name}) | ${date} | ${status} |` };
}

const section = (wing: string, decisions: readonly Decision[]) => `## ${wing}

| number | title | date | status |
|---|---|---|---|
${decisions
  .filter((decision) => decision.wing === wing)
  .map(({ row }) => row)
  .join('\n')}
`;

export function decisionsIndex(): string {
  const names = readdirSync(folder).filter((name) => name !== 'README.md');
  const decisions = names.sort().map(readDecision);
  return `# Decisions

One page per decision: the question, the decision, and what follows from it. A page begins with its number and title,
then a line with date, status (\`accepted\`, \`superseded by <number>\` or \`withdrawn\`) and wing. A decision that no
longer holds keeps its page and names its successor.

${wings.map((wing) => section(wing, decisions)).join('\n')}`;
}
