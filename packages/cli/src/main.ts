// The command `parley`: every operation of the API from a terminal or a script.
import { version } from '@parley/sdk';
import { Command, CommanderError } from 'commander';
import { addAttachmentCommands } from './attachments.ts';
import { addCertifyCommand } from './certify.ts';
import { addCompletionCommand } from './completion.ts';
import { addDerivedCommands, commandTable } from './derived-commands.ts';
import { addLoginCommand } from './device-login.ts';
import { addDoctorCommand } from './doctor.ts';
import { addDownloadCommands } from './downloads.ts';
import { addErasureCommands } from './erasures.ts';
import { addExplainCommand } from './explain.ts';
import { addListenCommands } from './listen.ts';
import { addAuthCommands } from './login.ts';
import { addMcpCommands } from './mcp.ts';
import { addOpenCommand } from './open.ts';
import { CommandError, exit, explain } from './output.ts';
import { addReceiptCommands } from './receipts.ts';
import { addSearchCommand } from './search.ts';
import { addStartCommand } from './start.ts';
import { addVerificationCommands } from './verification-documents.ts';
import { addWaitCommands } from './waits.ts';

export function makeProgram(): Command {
  const program = new Command('parley')
    .description('A phone, a mailbox and a text line for AI agents.')
    .version(version)
    .option('--json', 'Print JSON instead of tables; the default when piped')
    .option('--api-key <key>', 'Overrides PARLEY_API_KEY and the stored key')
    .option('--base-url <url>', 'The URL of the server; overrides PARLEY_URL')
    .showSuggestionAfterError()
    // Printed below, in the form of every other error.
    .configureOutput({ outputError() {} })
    .exitOverride();
  const table = commandTable();
  addStartCommand(program);
  addOpenCommand(program);
  addLoginCommand(program);
  addAuthCommands(program);
  addDoctorCommand(program);
  addListenCommands(program);
  addCertifyCommand(program);
  addMcpCommands(program);
  addWaitCommands(program, table);
  if (table.some(({ noun, verb }) => noun === 'emails' && verb === 'send')) addAttachmentCommands(program);
  addVerificationCommands(program);
  addDownloadCommands(program, table);
  addReceiptCommands(program);
  addErasureCommands(program);
  addSearchCommand(program);
  addExplainCommand(program);
  addDerivedCommands(
    program,
    table.filter(
      ({ noun, verb }) =>
        noun !== 'search' && noun !== 'explain' && !(noun === 'webhooks' && verb === 'certify'),
    ),
  );
  addCompletionCommand(program);
  for (const noun of program.commands) {
    noun.exitOverride();
    for (const verb of noun.commands) verb.exitOverride();
  }
  return program;
}

process.on('SIGINT', () => process.exit(exit.interrupted));
// A reader such as `head` may close the pipe early; that is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? exit.done : exit.failed),
);

/** An unknown command or option, or a missing argument: names the command whose help shows the right ones. */
function usageError(program: Command, error: CommanderError): CommandError {
  const path = [program.name()];
  let command: Command | undefined = program;
  for (const word of process.argv.slice(2).filter((each) => !each.startsWith('-'))) {
    command = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (!command) break;
    path.push(command.name());
  }
  const message = error.message.replace(/^error: /, '').replaceAll('\n', ' ');
  return new CommandError('usage', message, `Run: ${path.join(' ')} --help`);
}

const program = makeProgram();
try {
  await program.parseAsync();
} catch (error) {
  const is_json = process.argv.includes('--json') || !process.stdout.isTTY;
  if (!(error instanceof CommanderError)) {
    process.exitCode = explain(error, is_json);
  } else if (error.exitCode === 0) {
    process.exitCode = exit.done;
  } else {
    // Commander has printed the help of a command that needs another word after it.
    if (error.code !== 'commander.help') explain(usageError(program, error), is_json);
    process.exitCode = exit.usage;
  }
}
