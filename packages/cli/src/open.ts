// The command `open`: opens the console in a browser, signed in where the server allows it.
import type { Command } from 'commander';
import { commandContext } from './command-context.ts';
import { openBrowser } from './open-browser.ts';
import { plain } from './tables.ts';

export function addOpenCommand(program: Command): void {
  program
    .command('open')
    .description('Open the console in a browser; on the machine of the server with a new sign-in link')
    .option('--print', 'Only print the address')
    .action(async (options: { print?: true }, command: Command) => {
      const { parley, output } = commandContext(command);
      const link = await parley.signInLinks.create();
      if (output.is_json) return output.record(link);
      output.text(plain(link.url));
      if (link.expires_at !== null)
        output.progress('It signs in once, within 15 minutes, on the machine of the server.');
      if (!options.print) await openBrowser(link.url);
    });
}
