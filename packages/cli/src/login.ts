// Sign-in and sign-out: the stored key and its owner.
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { commandContext } from './command-context.ts';
import { forget, readStored, store } from './credentials.ts';
import { exit } from './output.ts';

export function addAuthCommands(program: Command): void {
  program
    .command('whoami')
    .description('Get the owner of the credential')
    .action(async (_, command: Command) => {
      const { parley, output } = commandContext(command);
      output.record(await parley.identity.whoami());
    });

  const auth = program.command('auth').description('The stored key');
  auth
    .command('set <key>')
    .description(
      'Store a key, such as the shared key of your own server, after checking it; "-" reads standard input',
    )
    .action(async (argument: string, _, command: Command) => {
      // From standard input the key is neither in the shell history nor in the process list.
      const key = argument === '-' ? readFileSync(0, 'utf8').trim() : argument;
      command.setOptionValueWithSource('apiKey', key, 'cli');
      const { parley, output, base_url } = commandContext(command);
      const identity = await parley.identity.whoami();
      const file = store({ base_url, api_key: key });
      output.progress(`Stored in ${file}`);
      output.record(identity);
    });
  auth
    .command('token')
    .description('Print the stored key')
    .action(() => {
      const stored = readStored();
      if (!stored) {
        process.stderr.write('No key is stored. Run: parley login\n');
        process.exitCode = exit.not_logged_in;
        return;
      }
      process.stdout.write(`${stored.api_key}\n`);
    });
  auth
    .command('logout')
    .description('Delete the stored key')
    .action((_, command: Command) => {
      const { output } = commandContext(command);
      output.record({ logged_out: forget() });
    });
}
