// Writes the index of docs/decisions from the head of each page: title, date and status.
import { readdirSync, readFileSync } from 'node:fs';

const folder = 'docs/decisions';
const head =
  /^# (\d+)\. (.+)\n\nDate: (\d{4}-\d{2}-\d{2}) · Status: (accepted|superseded by \d+|withdrawn)\n/;

export function decisionsIndex(): string {
  const rows = readdirSync(folder)
    .filter((name) => name !== 'README.md')
    .sort()
    .map((name) => {
      const found = head.exec(readFileSync(`${folder}/${name}`, 'utf8'));
      if (!found) throw new Error(`${folder}/${name} does not begin with title, date and status`);
      const [, number, title, date, status] = found;
      if (!name.startsWith(number!.padStart(4, '0')))
        throw new Error(`${folder}/${name} has the number ${number}`);
      return `| ${number} | [${title}](${name}) | ${date} | ${status} |`;
    });
  return `# Decisions

One page per decision: the question, the decision, and what follows from it. A page begins with its number and title,
then a line with date and status (\`accepted\`, \`superseded by <number>\` or \`withdrawn\`). A decision that no longer
holds keeps its page and names its successor.

| number | title | date | status |
|---|---|---|---|
${rows.join('\n')}
`;
}
