// The command `explain`: what happened to a call, an email, a text, a webhook delivery or an approval, found by its id.
import type { Explanation } from '@parley/sdk';
import type { Command } from 'commander';
import { commandContext } from './command-context.ts';
import { type Output, plain } from './output.ts';

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

const max_detail = 120;

function show(output: Output, { object, verdict, timeline, cost, is_complete }: Explanation): void {
  const width = Math.max(0, ...timeline.map(({ layer, what }) => layer.length + what.length + 1));
  for (const { at, layer, what, detail } of timeline)
    output.text(plain(`${at}  ${`${layer} ${what}`.padEnd(width)}  ${detailText(detail)}`).trimEnd());
  if (!is_complete) output.text('Entries in the middle are left out.');
  if (cost) output.text(`Cost: ${cost.micros / 1_000_000}`);
  const cause = verdict.who === 'none' ? '' : ` (caused by: ${verdict.who})`;
  output.text(`The ${object.noun} is ${object.status}: ${verdict.code}${cause}`);
  output.text(plain(verdict.summary));
  if (verdict.detail) output.text(plain(verdict.detail));
  output.text(`Fix: ${plain(verdict.fix)}`);
  output.text(`Retry: ${verdict.retry}`);
}

/** `status=201 provider=sandbox`, without what is empty and without lists. */
function detailText(detail: Record<string, unknown> | null): string {
  const text = Object.entries(detail ?? {})
    .filter(([, value]) => value !== null && value !== '' && typeof value !== 'object')
    .map(([key, value]) => `${key}=${value}`)
    .join(' ')
    .replaceAll('\n', ' ');
  return text.length > max_detail ? `${text.slice(0, max_detail - 1)}…` : text;
}
