// Runs the server in this process, where the package @parley/server is installed next to the command line.
import { version } from '@parley/sdk';
import type { Command } from 'commander';
import { CommandError } from './output.ts';

export function addStartCommand(program: Command): void {
  program
    .command('start')
    .description('Run the server in this folder; settings come from the environment and from .env')
    .option('--port <port>', 'The port of the API; overrides PORT')
    .option('--data-dir <folder>', 'Where database and files are stored; overrides PARLEY_DATA_DIR')
    .action(async (options: { port?: string; dataDir?: string }) => {
      const main = serverModule();
      if (options.port !== undefined) process.env.PORT = options.port;
      if (options.dataDir !== undefined) process.env.PARLEY_DATA_DIR = options.dataDir;
      // The server stops in order on a signal; the handler of other commands would exit at once.
      process.removeAllListeners('SIGINT');
      // The server reads its own command from here.
      process.argv.splice(2, Number.POSITIVE_INFINITY, 'start');
      await import(main);
    });
}

/** The server is an optional package: most users of the command line talk to a server elsewhere. */
function serverModule(): string {
  try {
    return import.meta.resolve('@parley/server/main');
  } catch {
    throw new CommandError(
      'server_not_installed',
      'The server is not installed next to this command.',
      `Install it in the same place: npm install @parley/server@${version} (with -g if parley was installed with -g). Then run parley start again.`,
    );
  }
}
