// Commands that return a file: they save it, or write it to standard output.
import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Parley, ParleyError } from '@parley/sdk';
import type { Command } from 'commander';
import { commandContext, nounOf } from './command-context.ts';
import type { CommandInfo } from './derived-commands.ts';

type Download = {
  noun: string;
  verb: string;
  description: string;
  /** The default file name. */
  file(params: string[], response: Response): string;
  locate(parley: Parley, params: string[]): Promise<{ location: string }>;
};

const downloads: readonly Download[] = [
  {
    noun: 'calls',
    verb: 'recording',
    description: 'Save the recording of a call as a WAV file',
    file: ([call_id]) => `${call_id}.wav`,
    locate: (parley, [call_id]) => parley.calls.recording(call_id!),
  },
  {
    noun: 'emails',
    verb: 'raw',
    description: 'Save an email as a raw message file',
    file: ([email_id]) => `${email_id}.eml`,
    locate: (parley, [email_id]) => parley.emails.raw(email_id!),
  },
  {
    noun: 'emails',
    verb: 'attachment',
    description: 'Save an attachment of an email',
    file: ([, attachment_id], response) => nameIn(response) ?? `${attachment_id}`,
    locate: (parley, [email_id, attachment_id]) => parley.emails.attachment(email_id!, attachment_id!),
  },
  {
    noun: 'consents',
    verb: 'proof',
    description: 'Save the file that proves a consent',
    file: ([consent_id], response) => nameIn(response) ?? `${consent_id}`,
    locate: (parley, [consent_id]) => parley.consents.proof(consent_id!),
  },
];

export function addDownloadCommands(program: Command, table: readonly CommandInfo[]): void {
  for (const download of downloads) {
    const info = table.find(({ noun, verb }) => noun === download.noun && verb === download.verb);
    if (!info) continue;
    const command = nounOf(program, download.noun).command(download.verb).description(download.description);
    for (const param of info.params) command.argument(`<${param}>`);
    command.option('-o, --output <file>', 'Where to save it; "-" writes to standard output.');
    command.option('--force', 'Replace an existing file.');
    command.option('--url', 'Print a temporary link instead of saving.');
    command.action(async (...args: unknown[]) => {
      const params = args.slice(0, info.params.length) as string[];
      await run(download, params, args.at(-1) as Command);
    });
  }
}

async function run(download: Download, params: string[], command: Command): Promise<void> {
  const { parley, output } = commandContext(command);
  const options = command.opts<{ output?: string; force?: true; url?: true }>();
  const { location } = await download.locate(parley, params);
  if (options.url) return output.record({ location });
  // The link is signed and short-lived, so no key is sent with it.
  const response = await fetch(location).catch((error: Error) => {
    throw new ParleyError(`The download failed: ${error.message}`);
  });
  if (!response.ok || !response.body) throw new ParleyError(`The download failed: ${response.status}`);
  const content = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
  if (options.output === '-') return pipeline(content, process.stdout, { end: false });
  const file = options.output ?? download.file(params, response);
  if (existsSync(file) && !options.force)
    throw new ParleyError(`${file} exists. Pass --force to replace it, or --output to use another name.`);
  // An interrupted download leaves no partial file under the final name.
  const draft = `${file}.part`;
  const target = createWriteStream(draft, { mode: 0o600 });
  try {
    await pipeline(content, target);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw new ParleyError(`${file} cannot be written: ${(error as Error).message}`);
  }
  output.record({ file, size_bytes: target.bytesWritten });
}

/** The file name from the server without folders: an untrusted sender may have chosen it. */
function nameIn(response: Response): string | null {
  const header = response.headers.get('content-disposition') ?? '';
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(header)?.[1];
  const plain_name = /filename="((?:[^"\\]|\\.)*)"/i.exec(header)?.[1];
  let name = plain_name ?? null;
  try {
    if (encoded) name = decodeURIComponent(encoded);
  } catch {
    // Ignore a name that cannot be decoded.
  }
  const safe = name?.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069/\\:]/gu, '_').replace(/^\.+/, '');
  return safe ? safe.slice(0, 200) : null;
}
