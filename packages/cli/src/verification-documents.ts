// Uploads a document of a verification, and shows a verification as a checklist.
import { openAsBlob } from 'node:fs';
import { styleText } from 'node:util';
import { ParleyError } from '@parley/sdk';
import type { Command } from 'commander';
import { commandContext, nounOf } from './command-context.ts';
import type { Output } from './output.ts';
import type { Row } from './tables.ts';
import { plain } from './tables.ts';

type Item = { label: string; required: boolean; status: string; problem: { message: string } | null };
type UploadOptions = { requirement: string; documentType: string; fields?: string };

const ticks: Record<string, { mark: string; color: 'green' | 'red' | 'yellow' }> = {
  given: { mark: '✔', color: 'green' },
  handed_over: { mark: '✔', color: 'green' },
  accepted: { mark: '✔', color: 'green' },
  rejected: { mark: '✘', color: 'red' },
  missing: { mark: '✘', color: 'red' },
};

/** The record without its lists, then one line for each item of the checklist. */
export function verificationView(record: Row, output: Output): void {
  const { requirements, documents: _, ...rest } = record;
  output.record(rest);
  const items = Array.isArray(requirements) ? (requirements as Item[]) : [];
  if (items.length > 0) output.text(`\n${items.map(itemLine).join('\n')}`);
}

function itemLine({ label, required, status, problem }: Item): string {
  const is_optional = status === 'missing' && !required;
  const { mark, color } = is_optional
    ? { mark: '·', color: 'yellow' as const }
    : (ticks[status] ?? { mark: '?', color: 'yellow' as const });
  const note = is_optional ? 'optional' : (problem?.message ?? status.replaceAll('_', ' '));
  const stream = process.stdout;
  return `${styleText(color, mark, { stream })} ${plain(label)}  ${styleText('dim', plain(note), { stream })}`;
}

export function addVerificationCommands(program: Command): void {
  nounOf(program, 'verifications')
    .command('upload-document <verification_id> <file>')
    .description('Upload a document: PDF, JPEG or PNG, at most 5 MiB')
    .requiredOption('--requirement <key>', 'The key of the requirement.')
    .requiredOption('--document-type <type>', 'One of its accepted documents.')
    .option('--fields <json>', 'What the carrier wants to know about the document.')
    .action(async (id: string, path: string, options: UploadOptions, command: Command) => {
      const { parley, output } = commandContext(command);
      const form = new FormData();
      form.append('requirement', options.requirement);
      form.append('document_type', options.documentType);
      if (options.fields !== undefined) form.append('fields', options.fields);
      let content: Blob;
      try {
        content = await openAsBlob(path);
      } catch {
        throw new ParleyError(`Cannot read ${path}`);
      }
      form.append('file', content, 'document');
      output.record({ ...(await parley.verifications.uploadDocument(id, form)) });
    });
}
