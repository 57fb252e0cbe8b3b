// The command `explain`: what happened to a call, an email, a text, a webhook delivery or an approval, found by its id.
import { styleText } from 'node:util';
import type { Explanation } from '@parley/sdk';
import type { Command } from 'commander';
import { commandContext } from './command-context.ts';
import type { Output } from './output.ts';
import { plain } from './tables.ts';

export function addExplainCommand(program: Command): void {
  program
    .command('explain')
    .description('Explain what happened: every step, who caused the outcome, and what to do')
    .argument('<id>', 'The id of a call, an email, a text, a webhook delivery or an approval')
    .action(async (id: string, _options: unknown, command: Command) => {
      const { parley, output } = commandContext(command);
      const explained = await parley.explain.object(id);
      if (output.is_json) output.record(explained);
      else show(output, explained);
    });
}

const dim = (text: string) => styleText('dim', text, { stream: process.stdout });

function show(output: Output, { object, verdict, timeline, cost, is_complete }: Explanation): void {
  for (const { at, layer, what, detail } of timeline) output.text(entryText(at, `${layer} ${what}`, detail));
  if (!is_complete) output.text('Entries in the middle are left out.');
  if (cost) output.text(`Cost: ${cost.micros / 1_000_000}`);
  const cause = verdict.who === 'none' ? '' : ` (caused by: ${verdict.who})`;
  output.text(`The ${object.noun} is ${object.status}: ${verdict.code}${cause}`);
  output.text(plain(verdict.summary));
  if (verdict.detail) output.text(plain(verdict.detail));
  // Where nobody caused anything there is nothing to mend and nothing to repeat.
  if (verdict.who === 'none') return;
  output.text(`Fix: ${plain(verdict.fix)}`);
  output.text(`Retry: ${verdict.retry}`);
}

/** The time of day on this machine; what belongs to the entry is below it, so that nothing is cut. */
function entryText(at: string, what: string, detail: Record<string, unknown> | null): string {
  const time = new Date(at).toTimeString().slice(0, 8);
  const facts = plain(detailText(detail));
  return `${dim(time)}  ${plain(what)}${facts === '' ? '' : `\n          ${dim(facts)}`}`;
}

/** `status=201 provider=sandbox`, without what is empty and without lists. */
function detailText(detail: Record<string, unknown> | null): string {
  return Object.entries(detail ?? {})
    .filter(([, value]) => value !== null && value !== '' && typeof value !== 'object')
    .map(([key, value]) => `${key}=${typeof value === 'number' ? rounded(key, value) : value}`)
    .join(' ')
    .replaceAll(/\s+/g, ' ');
}

const rounded = (key: string, value: number) =>
  key.endsWith('_ms') ? Math.round(value) : Math.round(value * 1000) / 1000;
