// The context of every command: the API client, the output and the command tree.
import { createParley, type Parley } from '@parley/sdk';
import type { Command } from 'commander';
import { connection } from './credentials.ts';
import { makeOutput, type Output } from './output.ts';

export type Globals = { json?: boolean; apiKey?: string; baseUrl?: string };

export type CommandContext = { parley: Parley; output: Output; base_url: string; api_key: string | null };

export function commandContext(command: Command): CommandContext {
  const globals = command.optsWithGlobals<Globals>();
  const { base_url, api_key } = connection(globals);
  return {
    parley: createParley({ base_url, api_key: api_key ?? '' }),
    output: makeOutput(globals),
    base_url,
    api_key,
  };
}

export const nounOf = (program: Command, name: string): Command =>
  program.commands.find((command) => command.name() === name) ??
  program.command(name).description(`Work with ${name.replaceAll('-', ' ')}`);

/** Aborts on Ctrl-C, so that open connections are closed before the process exits. */
export function interruption(): AbortSignal {
  const stopping = new AbortController();
  process.removeAllListeners('SIGINT');
  process.once('SIGINT', () => stopping.abort());
  process.once('SIGTERM', () => stopping.abort());
  return stopping.signal;
}
