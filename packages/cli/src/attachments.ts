// Uploads files to attach to emails.
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { type Parley, ParleyError } from '@parley/sdk';
import type { Command } from 'commander';
import { commandContext, nounOf } from './command-context.ts';

export type Uploaded = { id: string; filename: string; size_bytes: number };

const mediaTypes: Record<string, string> = {
  pdf: 'application/pdf',
  txt: 'text/plain',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  zip: 'application/zip',
  ics: 'text/calendar',
};

export async function uploadFiles(parley: Parley, paths: readonly string[]): Promise<Uploaded[]> {
  const form = new FormData();
  for (const path of paths) {
    const type = mediaTypes[path.split('.').at(-1)!.toLowerCase()] ?? 'application/octet-stream';
    let content: Blob;
    try {
      content = await openAsBlob(path, { type });
    } catch {
      throw new ParleyError(`Cannot read ${path}`);
    }
    form.append('file', content, basename(path));
  }
  const response = await parley.request('POST', '/v1/email-attachments', form);
  const { attachments } = (await response.json()) as { attachments: Uploaded[] };
  return attachments;
}

export function addAttachmentCommands(program: Command): void {
  nounOf(program, 'attachments')
    .command('upload <files...>')
    .description('Upload files to attach to emails')
    .action(async (files: string[], _, command: Command) => {
      const { parley, output } = commandContext(command);
      await output.list('attachments upload', await uploadFiles(parley, files), null);
    });
}
