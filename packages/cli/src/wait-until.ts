// The command `parley waits until`: waits for the first of several things, on any channel.
import type { Wait, WaitCondition } from '@parley/sdk';
import { type Command, InvalidArgumentError } from 'commander';
import { commandContext, interruption, nounOf } from './command-context.ts';
import { exit, type Output } from './output.ts';

type Options = {
  reply?: string[];
  email?: boolean | string;
  sms?: boolean | string;
  code?: boolean | string;
  call?: string[];
  outcome?: Outcome[];
  approval?: string[];
  result?: Result[];
  anyOf?: WaitCondition[];
  since?: string;
  expiresAt?: string;
  timeoutSeconds?: number;
};
type Outcome = Extract<WaitCondition, { kind: 'outcome' }>;
type Result = Extract<WaitCondition, { kind: 'result' }>;

const collect = (value: string, before: string[] = []) => [...before, value];

function outcome(text: string, before: Outcome[] = []): Outcome[] {
  const [, noun, id] = /^(email|sms):(.+)$/.exec(text) ?? [];
  if (id === undefined) throw new InvalidArgumentError('Expected email:<id> or sms:<id>.');
  return [...before, { kind: 'outcome', noun: noun as Outcome['noun'], id }];
}

function result(text: string, before: Result[] = []): Result[] {
  const [, noun, id] = /^(call|conversation):(.+)$/.exec(text) ?? [];
  if (id === undefined) throw new InvalidArgumentError('Expected call:<id> or conversation:<id>.');
  return [...before, { kind: 'result', noun: noun as Result['noun'], id }];
}

function conditions(text: string): WaitCondition[] {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('Expected a JSON array of conditions.');
  }
}

export function addWaitUntil(program: Command, seconds: (text: string) => number): void {
  nounOf(program, 'waits')
    .command('until [wait_id]')
    .description('Wait for the first of several things, or go on with an earlier wait')
    .option('--reply <conversation_id>', 'A reply in this conversation', collect)
    .option('--email [from]', 'An email, from anybody or from this address')
    .option('--sms [from]', 'A text, from anybody or from this number')
    .option('--code [from]', 'A message with a one-time code, from anybody or from this sender')
    .option('--call <call_id>', 'The end of this call', collect)
    .option('--outcome <email:id|sms:id>', 'Whether this message was delivered', outcome)
    .option('--approval <approval_id>', 'The decision about this approval', collect)
    .option('--result <call:id|conversation:id>', 'The typed result of this call or conversation', result)
    .option('--any-of <json>', 'Further conditions, as in POST /v1/waits', conditions)
    .option('--since <time>', 'Messages received from this time on count; ISO 8601')
    .option('--expires-at <time>', 'When the wait ends by itself; ISO 8601')
    .option('--timeout-seconds <number>', 'Stop after this time; the wait goes on', seconds)
    .action(waitUntil);
}

async function waitUntil(wait_id: string | undefined, options: Options, command: Command): Promise<void> {
  const { parley, output } = commandContext(command);
  const any_of = conditionsOf(options);
  if (wait_id === undefined && any_of.length === 0)
    command.error('error: name what to wait for, such as --reply <conversation_id>, or an earlier wait', {
      exitCode: exit.usage,
    });
  output.progress('Waiting. Ctrl-C to stop.');
  const what = wait_id ?? {
    any_of,
    ...(options.since === undefined ? {} : { since: options.since }),
    ...(options.expiresAt === undefined ? {} : { expires_at: options.expiresAt }),
  };
  const wait = await parley.waits.until(what, {
    signal: interruption(),
    ...(options.timeoutSeconds === undefined ? {} : { wait_ms: options.timeoutSeconds * 1000 }),
  });
  if (wait.status === 'resolved') output.record(wait);
  else notResolved(output, wait);
}

const conditionsOf = (options: Options): WaitCondition[] => [
  ...(options.reply ?? []).map((conversation_id): WaitCondition => ({ kind: 'reply', conversation_id })),
  ...(['email', 'sms', 'code'] as const).flatMap((kind) => messageCondition(kind, options[kind])),
  ...(options.call ?? []).map((call_id): WaitCondition => ({ kind: 'call', call_id })),
  ...(options.outcome ?? []),
  ...(options.approval ?? []).map((approval_id): WaitCondition => ({ kind: 'approval', approval_id })),
  ...(options.result ?? []),
  ...(options.anyOf ?? []),
];

function messageCondition(
  kind: 'email' | 'sms' | 'code',
  from: boolean | string | undefined,
): WaitCondition[] {
  if (from === undefined || from === false) return [];
  return [typeof from === 'string' ? { kind, from } : { kind }];
}

/** For scripts: the reason on standard error, and exit code 1. */
function notResolved(output: Output, { id, status }: Wait): void {
  const is_pending = status === 'pending';
  const message = is_pending ? 'Nothing happened yet.' : `The wait is ${status}.`;
  const fix = is_pending ? `Go on with: parley waits until ${id}` : 'Create a new wait.';
  const error = { code: is_pending ? 'timed_out' : `wait_${status}`, message, fix };
  process.stderr.write(output.is_json ? `${JSON.stringify({ error })}\n` : `${message}\n${fix}\n`);
  process.exitCode = exit.failed;
}
