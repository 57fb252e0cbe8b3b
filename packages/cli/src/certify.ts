// Checks a webhook receiver with forged, stale, repeated and large deliveries; fails below a minimum score.
import { setTimeout as wait } from 'node:timers/promises';
import { styleText } from 'node:util';
import { type CertifiedCase, certifyReceiver, type ReceiverAnswer, type ReceiverRequest } from '@parley/sdk';
import { type Command, InvalidArgumentError } from 'commander';
import { commandContext, interruption, nounOf } from './command-context.ts';
import { readTarget } from './listen.ts';
import { CommandError, exit, type Output } from './output.ts';
import { plain } from './tables.ts';

const request_timeout_ms = 15_000;

const poll_ms = 500;

type CertifyOptions = { local?: string; secret?: string; min: number };

type Result = { score: number; grade: string; cases: CertifiedCase[]; duration_ms: number };

export function addCertifyCommand(program: Command): void {
  nounOf(program, 'webhooks')
    .command('certify [subscription_id]')
    .description('Check how a receiver handles valid, forged, stale and repeated deliveries')
    .option('--local <url>', 'Send from this machine to this URL instead; needs no server', readTarget)
    .option('--secret <secret>', 'With --local: the signing secret; overrides PARLEY_WEBHOOK_SECRET')
    .option('--min <score>', 'Fail below this score, 0 to 100', readScore, 90)
    .action(certify);
}

async function certify(id: string | undefined, given: CertifyOptions, command: Command): Promise<void> {
  const { output } = commandContext(command);
  if ((id === undefined) === (given.local === undefined))
    throw new CommandError(
      'usage',
      'Name either a subscription or --local.',
      'Run: parley webhooks certify <subscription_id>, or parley webhooks certify --local <url> --secret whsec_…',
    );
  const result = given.local
    ? await certifyLocal(given.local, given, output)
    : await certifyRemote(id!, command);
  const { score, grade, cases, duration_ms } = result;
  const passed = score >= given.min;
  output.text(cases.map(caseText).join('\n'));
  if (output.is_json) output.record({ score, grade, minimum: given.min, passed, duration_ms, cases });
  else output.text(`\nScore ${score} of 100 (${grade}); ${given.min} needed.`);
  if (!passed) process.exitCode = exit.failed;
}

function certifyLocal(target: string, given: CertifyOptions, output: Output): Promise<Result> {
  const secret = given.secret ?? process.env.PARLEY_WEBHOOK_SECRET;
  if (!secret || !/^whsec_[\w+/=-]{16,}$/.test(secret))
    throw new CommandError(
      'secret_missing',
      secret ? 'The secret does not begin with whsec_.' : 'The signing secret of the receiver is missing.',
      'Pass --secret whsec_… or set PARLEY_WEBHOOK_SECRET to the value that the receiver verifies with.',
    );
  return certifyReceiver({
    secret,
    send: (request) => send(target, request),
    onCase: ({ name, passed }) => output.progress(`${passed ? 'passed' : 'failed'}  ${name}`),
  });
}

/** The server sends the requests to the URL of the subscription. */
async function certifyRemote(subscription_id: string, command: Command): Promise<Result> {
  const { parley, output } = commandContext(command);
  const signal = interruption();
  const { id } = await parley.webhooks.certify(subscription_id);
  output.progress('The server sends the requests. Ctrl-C to stop waiting.');
  for (;;) {
    const certification = await parley.webhooks.getCertification(subscription_id, id, { signal });
    if (certification.status === 'failed')
      throw new CommandError('certification_failed', 'The check could not be finished.', 'Run it again.');
    if (certification.status === 'done')
      return {
        score: certification.score ?? 0,
        grade: certification.grade ?? 'F',
        cases: certification.cases ?? [],
        duration_ms: certification.duration_ms ?? 0,
      };
    await wait(poll_ms, undefined, { signal });
  }
}

async function send(target: string, { headers, body }: ReceiverRequest): Promise<ReceiverAnswer> {
  const start_ms = performance.now();
  const duration = () => Math.round(performance.now() - start_ms);
  try {
    const signal = AbortSignal.timeout(request_timeout_ms);
    const response = await fetch(target, { method: 'POST', headers, body, signal, redirect: 'manual' });
    await response.arrayBuffer();
    const is_duplicate = response.headers.get('x-parley-duplicate') === '1';
    return { status: response.status, duration_ms: duration(), problem: null, is_duplicate };
  } catch (error) {
    const { cause, message } = error as Error & { cause?: Error & { code?: string } };
    return {
      status: null,
      duration_ms: duration(),
      problem: cause?.code ?? message,
      is_duplicate: false,
    };
  }
}

function caseText({ name, weight, passed, expected, got, advice }: CertifiedCase): string {
  const statuses = [...new Set(got.map(({ status, problem }) => String(status ?? problem)))].join(', ');
  const word = styleText(passed ? 'green' : 'red', passed ? 'passed' : 'failed', { stream: process.stdout });
  const line = `${word}  ${name.padEnd(20)}  ${String(weight).padStart(2)}  ${plain(statuses)}`;
  return passed ? line : `${line}\n        expected: ${expected}\n        ${plain(advice ?? '')}`;
}

function readScore(text: string): number {
  const score = Number(text);
  if (!Number.isInteger(score) || score < 0 || score > 100)
    throw new InvalidArgumentError('Use a whole number from 0 to 100.');
  return score;
}
