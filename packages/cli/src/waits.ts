// Commands that wait for something to happen and show how it goes.
import type { Parley } from '@parley/sdk';
import { type Command, InvalidArgumentError } from 'commander';
import type { CommandInfo } from './derived-commands.ts';
import { exit, type Output } from './output.ts';
import { interruption, nounOf, surroundings } from './surroundings.ts';

const seconds = (text: string): number => {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1) throw new InvalidArgumentError('Expected a number of seconds.');
  return number;
};

const slice_seconds = 50;

/** Nothing came: a script must be able to tell that from something that came. */
function nothing(output: Output): void {
  output.record(null);
  process.exitCode = exit.failed;
}

export function addWaitCommands(program: Command, table: readonly CommandInfo[]): void {
  const has = (noun: string, verb: string) => table.some((info) => info.noun === noun && info.verb === verb);
  const waiting = (noun: string, name: string, description: string) =>
    nounOf(program, noun)
      .command(name)
      .description(description)
      .option('--timeout-seconds <number>', 'Give up after so long', seconds);

  if (has('calls', 'get'))
    waiting('calls', 'wait <call_id>', 'Wait until a call is over, and show how it goes').action(
      async (call_id: string, options: { timeoutSeconds?: number }, command: Command) => {
        const { parley, output } = surroundings(command);
        let told = '';
        const call = await parley.calls.wait(call_id, {
          signal: interruption(),
          ...(options.timeoutSeconds ? { wait_ms: options.timeoutSeconds * 1000 } : {}),
          onLook: (seen) => {
            const { status } = seen as { status: string };
            if (status !== told) output.progress(status);
            told = status;
          },
        });
        output.record(call);
      },
    );

  if (has('emails', 'list'))
    waiting('emails', 'wait', 'Wait for the next email to come in')
      .option('--from <address>', 'Only from this address')
      .action(async (options: { timeoutSeconds?: number; from?: string }, command: Command) => {
        const { parley, output } = surroundings(command);
        output.progress('Waiting for an email. Ctrl-C to stop.');
        const email = await parley.emails.wait(options.from ? { from: options.from } : {}, {
          signal: interruption(),
          ...(options.timeoutSeconds ? { wait_ms: options.timeoutSeconds * 1000 } : {}),
        });
        if (email) output.record(email);
        else nothing(output);
      });

  if (has('sms', 'wait'))
    waiting('sms', 'wait', 'Wait for a text to come in')
      .option('--to <number>', 'Only to this number of yours')
      .option('--from <number>', 'Only from this phone')
      .option('--since <time>', 'Texts from then on count; ISO 8601')
      .action(async (options: SmsWait, command: Command) => {
        const { parley, output } = surroundings(command);
        output.progress('Waiting for a text. Ctrl-C to stop.');
        const found = await waitForSms(parley, options, interruption());
        if (found) output.record(found);
        else nothing(output);
      });
}

type SmsWait = { timeoutSeconds?: number; to?: string; from?: string; since?: string };

/** In slices, all of them counting from the same moment, so that nothing falls between two. */
async function waitForSms(parley: Parley, options: SmsWait, signal: AbortSignal): Promise<unknown> {
  const { timeoutSeconds = Number.POSITIVE_INFINITY, ...filter } = options;
  const deadline = performance.now() + timeoutSeconds * 1000;
  const since = options.since ?? (await afterNewestSms(parley));
  for (;;) {
    const left = Math.ceil((deadline - performance.now()) / 1000);
    const timeout_seconds = Math.max(1, Math.min(slice_seconds, left));
    const query = { ...filter, since, timeout_seconds };
    const answer = await parley.request('GET', '/v1/sms/wait', query, { signal });
    const found = (await answer.json()) as { sms: unknown };
    if (found.sms !== null) return found;
    if (performance.now() >= deadline) return null;
  }
}

/** By the clock of the service, which need not be that of this machine. */
async function afterNewestSms(parley: Parley): Promise<string> {
  const answer = await parley.request('GET', '/v1/sms', { direction: 'inbound', limit: 1 });
  const { items } = (await answer.json()) as { items: { requested_at: string }[] };
  return new Date(items[0] ? Date.parse(items[0].requested_at) + 1 : 0).toISOString();
}
