// The output of the command line: tables and colors for people, JSON for programs.
import { styleText } from 'node:util';
import { ApiError, ConnectionError, ParleyError } from '@parley/sdk';
import type { Row } from './tables.ts';
import { cellText, csvHead, csvLine, plain, tableText } from './tables.ts';

export type Output = {
  is_json: boolean;
  /** One record. */
  record(value: unknown): void;
  /** A page of a list of this command (`noun verb`), and whether there are more. */
  list(command: string, items: readonly Row[], next_cursor: string | null): Promise<void>;
  /** Records as CSV, each as soon as it is read. */
  csv(items: AsyncIterable<Row> | Iterable<Row>): Promise<void>;
  /** One item of a stream, on one line. */
  item(value: Row, line: string): void;
  /** Text for people only; programs get the record. */
  text(text: string): void;
  /** Progress information on standard error; never part of the result. */
  progress(text: string): void;
};

export const exit = { done: 0, failed: 1, usage: 2, not_logged_in: 4, interrupted: 130 } as const;

const color = (format: Parameters<typeof styleText>[0], text: string) =>
  styleText(format, text, { stream: process.stdout });

export function makeOutput(options: { json?: boolean }): Output {
  const is_json = options.json || !process.stdout.isTTY;
  const print = (text: string): void => void process.stdout.write(`${text}\n`);
  const csv: Output['csv'] = async (items) => {
    let first: Row | undefined;
    for await (const item of items) {
      if (!first) print(csvHead(item));
      first ??= item;
      print(csvLine(first, item));
    }
  };
  if (is_json) {
    return {
      is_json,
      csv,
      record: (value) => print(JSON.stringify(value ?? null, null, 2)),
      list: async (_, items, next_cursor) => print(JSON.stringify({ items, next_cursor }, null, 2)),
      item: (value) => print(JSON.stringify(value)),
      text() {},
      progress() {},
    };
  }
  return {
    is_json,
    record: (value) => print(recordText(value)),
    csv,
    list: async (command, items, next_cursor) => {
      print(items.length === 0 ? color('dim', 'No items.') : await tableText(command, items));
      if (next_cursor) print(color('dim', `More: --all, or --cursor ${next_cursor}`));
    },
    item: (_, line) => print(line),
    text: print,
    progress: (text) =>
      process.stderr.write(`${styleText('dim', plain(text), { stream: process.stderr })}\n`),
  };
}

function recordText(value: unknown): string {
  if (typeof value !== 'object' || value === null)
    return value === undefined ? 'Done.' : plain(String(value));
  const entries = Object.entries(value);
  const width = Math.max(0, ...entries.map(([key]) => key.length));
  return entries.map(([key, inner]) => `${color('dim', key.padEnd(width))}  ${cell(inner)}`).join('\n');
}

function cell(value: unknown): string {
  if (value === null || value === undefined || value === '') return color('dim', '-');
  return plain(cellText(value));
}

/** `body.to[0]` is shown as the option `--to`; a path parameter is an argument. */
function problemLine(problem: { path: string; message: string }): string {
  const message = plain(problem.message);
  const [location, ...names] = plain(problem.path).split('.');
  const name = names.join('.').replace(/\[\d+\]$/, '');
  if (name === '') return message;
  if (location === 'path') return `<${name}>: ${message}`;
  const [option, ...inner] = name.split(/[.[]/);
  const below = inner.length > 0 ? ` (${name})` : '';
  return `--${option!.replaceAll('_', '-')}${below}: ${message}`;
}

/** A problem on this machine, with what to do about it. */
export class CommandError extends ParleyError {
  override name = 'CommandError';
  readonly code: string;
  readonly fix: string;
  constructor(code: string, message: string, fix: string) {
    super(message);
    this.code = code;
    this.fix = fix;
  }
}

const codeOf = (error: unknown): string => {
  if (error instanceof CommandError) return error.code;
  return error instanceof ConnectionError ? 'connection_failed' : 'failed';
};

/** Prints the error and what to do; returns the exit code. */
export function explain(error: unknown, is_json: boolean): number {
  const is_api = error instanceof ApiError;
  const fix = is_api
    ? error.code === 'unauthenticated'
      ? 'Run: parley login. With the shared key of a server: parley auth set -, or set PARLEY_API_KEY, or pass --api-key.'
      : error.fix
    : error instanceof ConnectionError
      ? 'Check that the server runs and that --base-url or PARLEY_URL is correct; parley doctor checks more.'
      : error instanceof CommandError
        ? error.fix
        : undefined;
  const message = plain(error instanceof Error ? error.message : String(error));
  if (is_json) {
    const body = is_api
      ? {
          code: error.code,
          message,
          status: error.status,
          request_id: error.request_id,
          fix,
          errors: error.errors,
        }
      : { code: codeOf(error), message, fix };
    process.stderr.write(`${JSON.stringify({ error: body })}\n`);
  } else {
    const problems = is_api ? error.errors.map(problemLine) : [];
    // The detail of such an error only repeats its problems with JSON paths, and its fix speaks of the JSON body.
    const is_invalid =
      is_api &&
      problems.length > 0 &&
      (error.code === 'validation_failed' || /^(body|query|path)[.:]/.test(error.message));
    const summary = !is_invalid
      ? message
      : problems.length === 1
        ? problems[0]!
        : 'Some values are not valid:';
    const lines = [`${styleText('red', 'Error:', { stream: process.stderr })} ${summary}`];
    if (!is_invalid || problems.length > 1) lines.push(...problems.map((problem) => `  ${problem}`));
    if (fix && !(is_api && error.code === 'validation_failed')) lines.push(plain(fix));
    if (is_api && error.request_id) lines.push(`Request ${plain(error.request_id)}`);
    process.stderr.write(`${lines.join('\n')}\n`);
  }
  const is_refused =
    (is_api && (error.status === 401 || error.status === 403)) || (error as Error).name === 'NoAccounts';
  return is_refused ? exit.not_logged_in : exit.failed;
}
