// Brings events to this machine: prints them as they happen, or forwards them to a local server like webhooks.
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { styleText } from 'node:util';
import type { AnyEvent, Parley } from '@parley/sdk';
import { type Command, InvalidArgumentError } from 'commander';
import { commandContext, interruption, nounOf } from './command-context.ts';
import { credentialsFile, writePrivately } from './credentials.ts';
import { exit, type Output } from './output.ts';
import { plain } from './tables.ts';

/** How long to retry while the local server restarts. A response with an error status is not retried. */
const retry_for_ms = 30_000;
const attempt_timeout_ms = 15_000;
const no_subscription = '00000000-0000-0000-0000-000000000000';

type ListenOptions = { forwardTo?: string; events?: string[]; printSecret?: true; replay?: number };

const types = (text: string) => text.split(',').map((part) => part.trim());

export function addListenCommands(program: Command): void {
  program
    .command('listen')
    .description('Forward events to a server on this machine, signed like real deliveries')
    .option('--forward-to <url>', 'The URL to send them to, such as http://localhost:3000/hook', readTarget)
    .option('--events <types>', 'Only these types, separated by commas', types)
    .option('--replay <count>', 'First send this number of recent events again', readCount)
    .option('--print-secret', 'Print the signing secret and exit')
    .action(listen);

  nounOf(program, 'events')
    .command('tail')
    .description('Print events as they happen')
    .option('--events <types>', 'Only these types, separated by commas', types)
    .action(async (options: { events?: string[] }, command: Command) => {
      const { parley, output } = commandContext(command);
      const signal = interruption();
      const opened = onceOpen(() => output.progress('Waiting for events. Ctrl-C to stop.'));
      for await (const event of parley.events.stream({ signal, onOpen: opened })) {
        if (options.events && !options.events.includes(event.type)) continue;
        output.item(
          event,
          `${timeOf(event)}  ${event.type.padEnd(24)}  ${plain(String((event.data as { id?: string }).id ?? ''))}`,
        );
      }
      process.exitCode = exit.interrupted;
    });
}

async function listen(options: ListenOptions, command: Command): Promise<void> {
  const { parley, output, base_url } = commandContext(command);
  const { organization_id } = await parley.identity.whoami();
  const secret = stableSecret(`${base_url} ${organization_id}`);
  if (options.printSecret) {
    output.record(output.is_json ? { secret } : secret);
    return;
  }
  const signal = interruption();
  const handle = async (event: AnyEvent) => {
    if (options.events && !options.events.includes(event.type)) return;
    if (options.forwardTo) await forward(event, { target: options.forwardTo, secret, output, signal });
    else output.item(event, `${timeOf(event)}  ${event.type}`);
  };
  const start = await replayed(parley, options.replay ?? 0, handle);
  const opened = onceOpen(() => {
    output.progress(`Ready. Signing secret ${secret} (Ctrl-C to stop)`);
    if (output.is_json) output.item({ ready: true, secret }, '');
  });
  const from = start === null ? {} : { last_event_id: start };
  for await (const event of parley.events.stream({ signal, onOpen: opened, ...from })) await handle(event);
  process.exitCode = exit.interrupted;
}

/** Sends the last events again, oldest first; the stream continues after the newest of them. */
async function replayed(
  parley: Parley,
  count: number,
  handle: (event: AnyEvent) => Promise<void>,
): Promise<string | null> {
  if (count === 0) return null;
  const { items } = await parley.events.list({ limit: count });
  for (const event of items.toReversed()) await handle(event as unknown as AnyEvent);
  return items[0]?.id ?? null;
}

async function forward(
  event: AnyEvent,
  to: { target: string; secret: string; output: Output; signal: AbortSignal },
): Promise<void> {
  const { target, secret, output, signal } = to;
  const body = JSON.stringify(event);
  const begun = performance.now();
  for (let pause_ms = 250; ; pause_ms = Math.min(5000, pause_ms * 2)) {
    const at = performance.now();
    const outcome = await attempt(target, await deliveryHeaders(body, event, secret), body);
    const duration_ms = Math.round(performance.now() - at);
    const is_over = outcome.status !== null || at - begun > retry_for_ms || signal.aborted;
    if (is_over || pause_ms === 250)
      report(output, event, target, { ...outcome, duration_ms, will_retry: !is_over });
    if (is_over) return;
    await wait(pause_ms, undefined, { signal }).catch(() => {});
  }
}

/** The headers of a real delivery. The id of the event is used as the delivery id, so it is the same each time. */
async function deliveryHeaders(
  body: string,
  event: AnyEvent,
  secret: string,
): Promise<Record<string, string>> {
  const { createParley } = await import('@parley/sdk');
  const signed = await createParley({ api_key: '' }).webhooks.testHeaders(body, secret, {
    delivery_id: event.id,
  });
  return { ...signed, 'x-service-event': event.type, 'x-service-subscription': no_subscription };
}

async function attempt(
  target: string,
  headers: Record<string, string>,
  body: string,
): Promise<{ status: number | null; problem: string | null }> {
  try {
    const signal = AbortSignal.timeout(attempt_timeout_ms);
    const response = await fetch(target, { method: 'POST', headers, body, signal, redirect: 'manual' });
    await response.arrayBuffer();
    return { status: response.status, problem: null };
  } catch (error) {
    const { cause, message } = error as Error & { cause?: Error & { code?: string } };
    return { status: null, problem: cause?.code ?? message };
  }
}

type Outcome = { status: number | null; problem: string | null; duration_ms: number; will_retry: boolean };

function report(output: Output, event: AnyEvent, target: string, outcome: Outcome): void {
  const { status, problem, duration_ms, will_retry } = outcome;
  const accepted = status !== null && status >= 200 && status < 300;
  const word = status === null ? `${problem}${will_retry ? ', retrying' : ''}` : String(status);
  const colored = styleText(accepted ? 'green' : 'red', word, { stream: process.stdout });
  output.item(
    { event_id: event.id, type: event.type, target_url: target, ...outcome },
    `${timeOf(event)}  ${event.type.padEnd(24)}  → ${plain(target)}  ${colored}  ${duration_ms} ms`,
  );
}

const timeOf = (event: AnyEvent) => new Date(event.created_at).toTimeString().slice(0, 8);

const onceOpen = (report: () => void) => {
  let is_reported = false;
  return () => {
    if (!is_reported) report();
    is_reported = true;
  };
};

/** Stored per server and organization, so that a receiver can keep the secret across restarts. */
function stableSecret(profile: string): string {
  const name = createHash('sha256').update(profile).digest('hex').slice(0, 16);
  const file = join(dirname(credentialsFile()), `listen-${name}`);
  try {
    const stored = readFileSync(file, 'utf8').trim();
    if (stored.startsWith('whsec_')) return stored;
  } catch {
    // No secret is stored yet: create one below.
  }
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  writePrivately(file, `${secret}\n`);
  return secret;
}

export function readTarget(text: string): string {
  const url = /^\d+$/.test(text)
    ? `http://localhost:${text}`
    : text.includes('://')
      ? text
      : `http://${text}`;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new InvalidArgumentError('Expected a URL such as http://localhost:3000/hook.');
  return url;
}

function readCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count > 200) throw new InvalidArgumentError('Expected a number up to 200.');
  return count;
}
