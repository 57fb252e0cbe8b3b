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
      else await show(output, explained);
    });
}

async function show(output: Output, { object, verdict, timeline, cost, is_complete }: Explanation) {
  const rows = timeline.map(({ at, layer, what, detail }) => ({
    at,
    layer,
    what,
    detail: plain(JSON.stringify(detail)).slice(0, 100),
  }));
  await output.list(rows, null);
  if (!is_complete) output.text('Entries in the middle are left out.');
  if (cost) output.text(`Cost: ${cost.micros / 1_000_000}`);
  output.text(`${object.noun} ${object.status}: ${verdict.code} (${verdict.who})`);
  output.text(plain(verdict.summary));
  if (verdict.detail) output.text(plain(verdict.detail));
  output.text(`Fix: ${plain(verdict.fix)}`);
  output.text(`Retry: ${verdict.retry}`);
}
