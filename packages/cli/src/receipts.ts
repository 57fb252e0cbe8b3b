// The commands `parley receipts export` and `parley receipts verify`; the second one works without a server.
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { type ReceiptKeySet, type ReceiptToVerify, verifyReceipts } from '@parley/sdk';
import type { Command } from 'commander';
import { commandContext, interruption, nounOf } from './command-context.ts';
import { CommandError, exit } from './output.ts';
import { plain } from './tables.ts';

const key_set_path = '/.well-known/parley-receipts.json';

export function addReceiptCommands(program: Command): void {
  const noun = nounOf(program, 'receipts');
  noun
    .command('export')
    .description('Print all receipts as JSON lines, newest first, to keep them elsewhere')
    .option('--since-seq <number>', 'Only receipts after this number', Number)
    .action(exportReceipts);
  noun
    .command('verify <file>')
    .description(
      'Verify exported receipts (- reads standard input): signatures, gaps, and who they are about',
    )
    .option('--jwks <file_or_url>', 'The key set; default: that of the server')
    .option('--party <party>', 'Count the receipts about this address or number')
    .action(verify);
}

async function exportReceipts(options: { sinceSeq?: number }, command: Command): Promise<void> {
  const { parley } = commandContext(command);
  const signal = interruption();
  for await (const receipt of parley.receipts.list({ limit: 200 }, { signal })) {
    if (receipt.seq <= (options.sinceSeq ?? 0)) break;
    process.stdout.write(`${JSON.stringify(receipt)}\n`);
  }
}

async function verify(
  file: string,
  options: { jwks?: string; party?: string },
  command: Command,
): Promise<void> {
  const { output, base_url } = commandContext(command);
  const receipts = parseLines(file === '-' ? await text(process.stdin) : readFile(file));
  const keys = await readKeys(options.jwks ?? `${base_url}${key_set_path}`);
  const verification = await verifyReceipts(receipts, keys, options);
  const { valid, missing } = verification;
  const problems = verification.receipts.flatMap(({ seq, problems }) =>
    problems.map((problem) => ({ seq, problem })),
  );
  const about_party = verification.receipts.filter(({ is_about_party }) => is_about_party).length;
  if (output.is_json)
    output.record({
      valid,
      count: receipts.length,
      missing,
      problems,
      ...(options.party ? { about_party } : {}),
    });
  for (const { seq, problem } of problems) output.text(plain(`Receipt ${seq ?? '?'}: ${problem}`));
  if (missing.length > 0) output.text(`Missing: ${missing.join(', ')}`);
  if (options.party) output.text(`${about_party} of ${receipts.length} are about ${plain(options.party)}.`);
  output.text(valid ? `All ${receipts.length} receipts are genuine.` : 'Not all receipts are genuine.');
  if (!valid) process.exitCode = exit.failed;
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandError('file_not_readable', (error as Error).message, 'Check the path of the file.');
  }
}

function parseLines(lines: string): ReceiptToVerify[] {
  return lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, index) => {
      try {
        const receipt = JSON.parse(line);
        if (typeof receipt.jws === 'string') return receipt;
      } catch {
        // Reported below.
      }
      throw new CommandError(
        'not_a_receipt',
        `Line ${index + 1} is not a receipt.`,
        'Use the output of parley receipts export: one JSON object with jws on each line.',
      );
    });
}

async function readKeys(file_or_url: string): Promise<ReceiptKeySet> {
  if (!/^https?:\/\//.test(file_or_url)) return JSON.parse(readFile(file_or_url));
  const response = await fetch(file_or_url).catch(() => null);
  if (!response?.ok)
    throw new CommandError(
      'keys_not_available',
      `The key set could not be read from ${file_or_url}.`,
      `Save ${key_set_path} of the server to a file and pass it with --jwks.`,
    );
  return (await response.json()) as ReceiptKeySet;
}
