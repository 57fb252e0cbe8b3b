// Prints the results as a table and writes them to a JSON file, both with a description of the machine.
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { dirname } from 'node:path';
import type { RowResult, Sample, Target } from './harness.ts';

export type Machine = {
  processor: string;
  cores: number;
  memory_gb: number;
  system: string;
  node: string;
  postgres: string | null;
};

export const describeMachine = (postgres: string | null): Machine => ({
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  cores: cpus().length,
  memory_gb: Math.round(totalmem() / 1024 ** 3),
  system: `${process.platform} ${process.arch}`,
  node: process.versions.node,
  postgres,
});

export const machineLine = (machine: Machine): string =>
  `${machine.processor}, ${machine.cores} cores, ${machine.memory_gb} GB, ${machine.system}, Node ${machine.node}, ` +
  `PostgreSQL ${machine.postgres ?? 'unknown'}`;

const figure = (value: number): string =>
  value >= 1000 ? Math.round(value).toLocaleString('en') : value >= 100 ? value.toFixed(0) : value.toFixed(2);

const percent = (share: number | null) => (share === null ? '' : `${(share * 100).toFixed(0)} %`);
const cost = ({ cpu_us_per_op }: Sample) => (cpu_us_per_op == null ? '' : cpu_us_per_op.toFixed(0));
const wanted = ({ comparison, ratio }: Target) => `${comparison === '>=' ? '≥' : '≤'} ${ratio}`;

const headings = [
  'row',
  'what',
  'against',
  'unit',
  'it',
  'limit',
  'ratio',
  'target',
  'spread',
  'CPU µs',
  'limit µs',
  'others',
  'verdict',
];

function cells(result: RowResult): string[][] {
  const { name, subject, limit, unit, target, verdict, reason, measured } = result;
  const judged = reason && verdict === 'NOISY' ? `${verdict}: ${reason}` : verdict;
  if (!measured) return [[name, subject, limit, unit, '', '', '', wanted(target), '', '', '', '', judged]];
  const own = [
    ...[name, subject, limit, unit, figure(measured.subject.value), figure(measured.limit.value)],
    ...[measured.ratio.toFixed(2), wanted(target), percent(measured.ratio_spread)],
    ...[cost(measured.subject), cost(measured.limit), percent(measured.others_cores), judged],
  ];
  const peers = Object.entries(measured.peers).map(([peer, sample]) => [
    ...['', '', peer, unit, '', figure(sample.value), (measured.subject.value / sample.value).toFixed(2)],
    ...['', '', '', cost(sample), '', ''],
  ]);
  return [own, ...peers];
}

/** A Markdown table that also reads well in a terminal. */
export function table(results: readonly RowResult[]): string {
  const rows = [headings, ...results.flatMap(cells)];
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (row: string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [line(headings), rule, ...rows.slice(1).map(line)].join('\n');
}

export async function writeResults(file: string, content: object): Promise<void> {
  // The folder may become the data folder of a service: others may pass through it, but not list it.
  await mkdir(dirname(file), { recursive: true, mode: 0o711 });
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`);
}
