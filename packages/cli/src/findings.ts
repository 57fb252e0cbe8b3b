// Findings of checks as lines of text: what is right, what is missing, and how to fix it.
import { styleText } from 'node:util';
import type { Parley } from '@parley/sdk';
import type { Output } from './output.ts';
import { plain, type Row } from './tables.ts';

export type Finding = {
  check: string;
  /** `missing`: needed to reach real people, not for the sandbox. */
  status: 'ok' | 'warning' | 'missing' | 'failed' | 'skipped';
  detail: string;
  fix?: string;
};

type GoLiveItem = Awaited<ReturnType<Parley['goLive']['get']>>['items'][number];

/** Of the column with the names of the checks. */
const width = 14;

const marks = {
  ok: ['✔', 'green'],
  warning: ['!', 'yellow'],
  missing: ['○', 'yellow'],
  failed: ['✘', 'red'],
  skipped: ['-', 'dim'],
} as const;

export function line({ check, status, detail, fix }: Finding): string {
  const [mark, color] = marks[status];
  const head = `${styleText(color, mark, { stream: process.stdout })} ${check.padEnd(width)} ${plain(detail)}`;
  return fix ? `${head}\n${' '.repeat(width + 3)}${plain(fix)}` : head;
}

export function findingOf({ check, status, detail, fix, settings, command }: GoLiveItem): Finding {
  const set = settings.length > 0 ? `Settings: ${settings.join(', ')}.` : null;
  const run = command ? `Run: ${command}` : null;
  const how = [fix, set, run].filter((part) => part !== null).join(' ');
  return { check, status, detail, ...(fix ? { fix: how } : {}) };
}

/** Also for the command `go-live get`. */
export const goLiveView = (record: Row, output: Output): void =>
  output.text(
    ((record as { items: GoLiveItem[] }).items ?? []).map((item) => line(findingOf(item))).join('\n'),
  );
