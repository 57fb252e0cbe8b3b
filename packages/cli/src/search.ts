// The command `search`: finds messages, calls and contacts by the query language of the API.
import { type Command, InvalidArgumentError } from 'commander';
import { commandContext } from './command-context.ts';
import type { Output } from './output.ts';
import type { Row } from './tables.ts';
import { plain } from './tables.ts';

const pair = (text: string, before: Record<string, string> = {}): Record<string, string> => {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Expected key=value.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
};

export function addSearchCommand(program: Command): void {
  program
    .command('search')
    .description('Search emails, texts, calls and contacts')
    .argument(
      '[words...]',
      'Words, "a phrase", -without, begin*, from: to: subject: in: has:attachment before: after:',
    )
    .option('--in <nouns>', 'What to search, separated by commas: email, sms, call, contact')
    .option('--from <party>', 'Only from this address, number or @domain')
    .option('--to <party>', 'Only to this address, number or @domain')
    .option('--since <time>', 'Only records from this time on; ISO 8601')
    .option('--until <time>', 'Only records before this time; ISO 8601')
    .option('--label <label>', 'Only with this label')
    .option('--metadata <key=value>', 'Only with this metadata. Can be repeated.', pair)
    .option('--conversation-id <id>', 'Only in this conversation')
    .option('--limit <number>', 'Maximum number of results, at most 50', Number)
    .option('--cursor <text>', 'next_cursor of the previous page')
    .action(async (words: string[], { conversationId, ...options }: Row, command: Command) => {
      const { parley, output } = commandContext(command);
      // An argument with spaces was quoted in the shell, so it is a phrase.
      const q = words.map((word) => (/^[^":]*\s/.test(word) ? `"${word}"` : word)).join(' ');
      const page = await parley.search.query({
        ...options,
        ...(q === '' ? {} : { q }),
        ...(conversationId ? { conversation_id: String(conversationId) } : {}),
      });
      if (output.is_json) output.record(page);
      else await showPage(output, page);
    });
}

type Page = { items: Row[]; contacts: Row[]; next_cursor: string | null; is_partial: boolean };

async function showPage(output: Output, page: Page): Promise<void> {
  const rows = page.items.map(({ noun, id, at, parties, title, snippet }) => ({
    noun,
    id,
    at,
    parties: (parties as string[]).join(', '),
    text: plain(`${title === null ? '' : `${title}: `}${snippet}`).slice(0, 80),
  }));
  if (page.contacts.length > 0)
    await output.list(
      'contacts search',
      page.contacts.map(({ id, name, email, phone_e164 }) => ({ id, name, email, phone_e164 })),
      null,
    );
  await output.list('search list', rows, page.next_cursor);
  if (page.is_partial)
    output.text('The time was up before everything was searched. Use --cursor to continue.');
}
