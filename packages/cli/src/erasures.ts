// The commands `parley erasures export` and `parley erasures replay-file`: people who were erased stay erased after a restore.
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { commandContext, interruption, nounOf } from './command-context.ts';
import { CommandError } from './output.ts';

const max_replayed = 1000;
type Exported = { party_hashes: string[]; keep_suppression: boolean };

export function addErasureCommands(program: Command): void {
  const noun = nounOf(program, 'erasures');
  noun
    .command('export')
    .description('Print all erasures as JSON lines, to keep them beside backups; they have hashes, no people')
    .action(exportErasures);
  noun
    .command('replay-file <file>')
    .description('After a restore: erase the people of exported erasures again (- reads standard input)')
    .action(replayFile);
}

async function exportErasures(_: unknown, command: Command): Promise<void> {
  const { parley } = commandContext(command);
  const signal = interruption();
  for await (const { id, party_hashes, keep_suppression, created_at } of parley.erasures.list(
    { limit: 200 },
    { signal },
  ))
    process.stdout.write(`${JSON.stringify({ id, party_hashes, keep_suppression, created_at })}\n`);
}

async function replayFile(file: string, _: unknown, command: Command): Promise<void> {
  const { parley, output } = commandContext(command);
  const erasures = parseLines(file === '-' ? await text(process.stdin) : readFile(file));
  for (let start = 0; start < erasures.length; start += max_replayed) {
    const { items } = await parley.erasures.replay({ erasures: erasures.slice(start, start + max_replayed) });
    for (const erasure of items) output.record(erasure);
  }
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandError('file_not_readable', (error as Error).message, 'Check the path of the file.');
  }
}

/** Also the lines of events: the data of `erasure.completed` has the same fields. */
const parseLines = (lines: string): Exported[] =>
  lines.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const parsed = parseLine(line);
    if (!parsed || !Array.isArray(parsed.party_hashes))
      throw new CommandError(
        'not_an_erasure',
        `Line ${index + 1} is not an erasure.`,
        'Use the output of parley erasures export: one JSON object with party_hashes on each line.',
      );
    const { party_hashes, keep_suppression = true } = parsed;
    return [{ party_hashes, keep_suppression }];
  });

function parseLine(line: string): Partial<Exported> | null {
  try {
    return JSON.parse(line) as Partial<Exported>;
  } catch {
    return null;
  }
}
