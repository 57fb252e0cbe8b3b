// Creates a command for every operation of the API: arguments from the path, options from the body or the query.
import { readFileSync } from 'node:fs';
import type { List, Parley } from '@parley/sdk';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { uploadFiles } from './attachments.ts';
import { commandContext, nounOf } from './command-context.ts';
import type { Output } from './output.ts';
import { viewOf } from './record-views.ts';
import type { Row } from './tables.ts';
import { plain } from './tables.ts';

export type Flag = {
  name: string;
  kind: 'text' | 'number' | 'boolean' | 'texts' | 'json';
  required: boolean;
  description: string;
  choices?: string[];
};

export type CommandInfo = {
  noun: string;
  /** The group in the client library. */
  group: string;
  verb: string;
  method_name: string;
  summary: string;
  params: string[];
  flags: Flag[];
  input: 'body' | 'query' | null;
  list: boolean;
};

export const commandTable = (): CommandInfo[] =>
  JSON.parse(readFileSync(new URL('./commands.json', import.meta.url), 'utf8'));

const camel = (name: string) => name.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());

const readers: Record<Flag['kind'], ((text: string, before: unknown) => unknown) | undefined> = {
  text: undefined,
  boolean: (text) => {
    if (text === 'true' || text === 'false') return text === 'true';
    throw new InvalidArgumentError('Expected true or false.');
  },
  number: (text) => {
    const number = Number(text);
    if (text.trim() === '' || !Number.isFinite(number)) throw new InvalidArgumentError('Expected a number.');
    return number;
  },
  texts: (text, before) => [...((before as string[] | undefined) ?? []), ...listOf(text)],
  json: (text) => {
    try {
      return JSON.parse(text);
    } catch {
      throw new InvalidArgumentError('Expected JSON.');
    }
  },
};

/** A list may be one JSON array, as in the API's own examples, or the option is repeated. */
function listOf(text: string): string[] {
  if (!text.startsWith('[')) return [text];
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  } catch {
    // A value that only begins like an array.
  }
  return [text];
}

const placeholders: Record<Flag['kind'], string> = {
  text: '<text>',
  number: '<number>',
  boolean: '[true|false]',
  texts: '<text>',
  json: '<json>',
};

function optionFor(flag: Flag): Option {
  const long = `--${flag.name.replaceAll('_', '-')}`;
  const note =
    flag.kind === 'texts'
      ? `${flag.description} Can be repeated, or one JSON array.`.trimStart()
      : flag.description;
  const option = new Option(`${long} ${placeholders[flag.kind]}`, note);
  const read = readers[flag.kind];
  if (read) option.argParser(read);
  if (flag.kind === 'boolean') option.preset('true');
  if (flag.choices) option.choices(flag.choices);
  if (flag.required) option.makeOptionMandatory();
  return option;
}

/** Handwritten commands with the same name take precedence. */
export function addDerivedCommands(program: Command, table: readonly CommandInfo[]): void {
  for (const info of table) {
    const noun = nounOf(program, info.noun);
    if (noun.commands.some((command) => command.name() === info.verb)) continue;
    const command = noun.command(info.verb).description(info.summary);
    if (info.verb === 'list') command.alias('ls');
    if (info.verb === 'delete') command.alias('rm');
    // The API and the client libraries say create.
    if (info.verb === 'send') command.alias('create');
    for (const param of info.params) command.argument(`<${param}>`);
    for (const flag of info.flags) command.addOption(optionFor(flag));
    if (info.input === 'body')
      command.option(
        '--input <json>',
        'The whole body as JSON; options override its fields. "-" reads standard input.',
      );
    if (info.list) {
      command.option('--all', 'Read all pages, not only the first.');
      command.option('--csv', 'Print CSV with all fields.');
    }
    if (info.flags.some(({ name }) => name === 'attachment_ids'))
      command.option('--attach <file>', 'Upload this file and attach it. Can be repeated.', readers.texts!);
    command.action((...args: unknown[]) =>
      run(info, args.at(-1) as Command, args.slice(0, info.params.length) as string[]),
    );
  }
}

async function run(info: CommandInfo, command: Command, params: string[]): Promise<void> {
  const { parley, output } = commandContext(command);
  const options = command.opts<Record<string, unknown>>();
  const flags: Record<string, unknown> = Object.fromEntries(
    info.flags.flatMap(({ name }) =>
      options[camel(name)] === undefined ? [] : [[name, options[camel(name)]]],
    ),
  );
  if (options.attach) {
    const uploaded = await uploadFiles(parley, options.attach as string[]);
    flags.attachment_ids = [
      ...((flags.attachment_ids as string[] | undefined) ?? []),
      ...uploaded.map(({ id }) => id),
    ];
  }
  const whole = typeof options.input === 'string' ? readInput(options.input, command) : {};
  const input = info.input === null ? [] : [{ ...whole, ...flags }];
  const group = parley[info.group as keyof Parley] as unknown as Record<
    string,
    (...args: unknown[]) => unknown
  >;
  const result = group[info.method_name]!(...params, ...input);
  if (info.list) {
    return printList(output, `${info.noun} ${info.verb}`, result as List<Row>, options);
  }
  const record = await result;
  const view = output.is_json ? undefined : viewOf(info.noun, info.verb);
  if (view && typeof record === 'object' && record !== null) await view(record as Row, output);
  else output.record(record);
  if (!['get', 'list'].includes(info.verb)) warnIfHeld(record);
}

async function printList(
  output: Output,
  command: string,
  list: List<Row>,
  { all, csv }: { all?: boolean; csv?: boolean },
): Promise<void> {
  if (csv) return output.csv(all ? list : (await list).items);
  if (!all) {
    const page = await list;
    return output.list(command, page.items, page.next_cursor);
  }
  const items: Row[] = [];
  for await (const item of list) {
    items.push(item);
    if (items.length % 1000 === 0) output.progress(`${items.length} records read ...`);
  }
  return output.list(command, items, null);
}

/** On standard error, also for programs: a record that is held looks like one that is being sent. */
function warnIfHeld(record: unknown): void {
  const hold = (record as { hold?: { kind: string; until: string | null; approval_id: string } } | null)
    ?.hold;
  if (hold?.kind !== 'approval') return;
  const until = hold.until ? ` until ${hold.until}` : '';
  process.stderr.write(
    `NOT SENT. Held for approval ${hold.approval_id}${until}.\nWait for the decision: parley waits until --approval ${hold.approval_id}\n`,
  );
}

function readInput(text: string, command: Command): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text === '-' ? readFileSync(0, 'utf8') : text);
  } catch (error) {
    command.error(`error: --input is not valid JSON: ${plain((error as Error).message)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    command.error('error: --input must be a JSON object, such as {"name":"Ana"}');
  return value as Record<string, unknown>;
}
