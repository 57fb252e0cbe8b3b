// Commands that wait for an event and show the progress.
import type { Parley } from '@parley/sdk';
import { type Command, InvalidArgumentError } from 'commander';
import { commandContext, interruption, nounOf } from './command-context.ts';
import type { CommandInfo } from './derived-commands.ts';
import { exit, type Output } from './output.ts';
import { addWaitUntil } from './wait-until.ts';

const seconds = (text: string): number => {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1) throw new InvalidArgumentError('Expected a number of seconds.');
  return number;
};

const slice_seconds = 50;

/** Nothing arrived: the reason goes to standard error and the exit code is 1, for scripts. */
function nothingCame(output: Output, what: string, seconds: number | undefined): void {
  const message = `No ${what} arrived${seconds === undefined ? '' : ` within ${seconds} seconds`}.`;
  const fix = 'Wait longer with --timeout-seconds, or include earlier messages with --since.';
  process.stderr.write(
    output.is_json
      ? `${JSON.stringify({ error: { code: 'timed_out', message, fix } })}\n`
      : `${message}\n${fix}\n`,
  );
  process.exitCode = exit.failed;
}

export function addWaitCommands(program: Command, table: readonly CommandInfo[]): void {
  const has = (noun: string, verb: string) => table.some((info) => info.noun === noun && info.verb === verb);
  const waiting = (noun: string, name: string, description: string) =>
    nounOf(program, noun)
      .command(name)
      .description(description)
      .option('--timeout-seconds <number>', 'Stop waiting after this time', seconds);

  if (has('calls', 'get'))
    waiting('calls', 'wait <call_id>', 'Wait until a call is over and has its result, and show its progress')
      .option('--end', 'Only until it is over: summary and result come some seconds later')
      .action(async (call_id: string, options: { timeoutSeconds?: number; end?: true }, command: Command) => {
        const { parley, output } = commandContext(command);
        let last_line = '';
        const call = await parley.calls.wait(call_id, {
          signal: interruption(),
          wait_for: options.end ? 'end' : 'result',
          ...(options.timeoutSeconds ? { wait_ms: options.timeoutSeconds * 1000 } : {}),
          onPoll: (found) => {
            const { status } = found as { status: string };
            if (status !== last_line) output.progress(status);
            last_line = status;
          },
        });
        output.record(call);
      });

  if (has('waits', 'create')) addWaitUntil(program, seconds);

  const messages = [
    { noun: 'emails', what: 'an email', name: 'email', ours: '--to <address>', theirs: '--from <address>' },
    { noun: 'sms', what: 'a text', name: 'text', ours: '--to <number>', theirs: '--from <number>' },
  ] as const;
  for (const { noun, what, name, ours, theirs } of messages) {
    if (!has(noun, 'wait')) continue;
    waiting(noun, 'wait', `Wait for ${what}`)
      .option(ours, 'Only to this address or number of yours')
      .option(theirs, 'Only from this address or number')
      .option('--since <time>', 'Only messages received from this time on; ISO 8601')
      .action(async (options: MessageWait, command: Command) => {
        const { parley, output } = commandContext(command);
        output.progress(`Waiting for ${what}. Ctrl-C to stop.`);
        const message = await waitForMessage(parley, noun, options, interruption());
        if (message) output.record(message);
        else nothingCame(output, name, options.timeoutSeconds);
      });
  }
}

type MessageWait = { timeoutSeconds?: number; to?: string; from?: string; since?: string };

/** Waits in short requests that all count from the same start, so that no message is missed between two. */
async function waitForMessage(
  parley: Parley,
  noun: 'emails' | 'sms',
  options: MessageWait,
  signal: AbortSignal,
): Promise<unknown> {
  const { timeoutSeconds = Number.POSITIVE_INFINITY, ...filter } = options;
  const deadline = performance.now() + timeoutSeconds * 1000;
  const since = options.since ?? (await afterNewest(parley, noun));
  for (;;) {
    const left = Math.ceil((deadline - performance.now()) / 1000);
    const timeout_seconds = Math.max(1, Math.min(slice_seconds, left));
    const answer = await parley[noun].wait({ ...filter, since, timeout_seconds }, { signal });
    if (Object.values(answer).some((part) => part !== null)) return answer;
    if (performance.now() >= deadline) return null;
  }
}

/** By the clock of the service, which can differ from that of this machine. */
async function afterNewest(parley: Parley, noun: 'emails' | 'sms'): Promise<string> {
  const { items } = await parley[noun].list({ direction: 'inbound', limit: 1 });
  return new Date(items[0] ? Date.parse(items[0].requested_at) + 1 : 0).toISOString();
}
