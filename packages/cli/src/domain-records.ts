// Shows an email domain with its DNS records, each value on one line so that it can be copied.
import { styleText } from 'node:util';
import type { Output } from './output.ts';
import type { Row } from './tables.ts';
import { plain } from './tables.ts';

type DnsRecord = { name: string; type: string; value: string; priority: number | null; status?: string };

const ticks: Record<string, { mark: string; color: 'green' | 'red' | 'yellow' }> = {
  verified: { mark: '✔', color: 'green' },
  missing: { mark: '✘', color: 'red' },
  wrong: { mark: '✘', color: 'red' },
  pending: { mark: '…', color: 'yellow' },
  unknown: { mark: '?', color: 'yellow' },
};

export function domainView(record: Row, output: Output): void {
  const { dns_records, ...rest } = record;
  output.record(rest);
  const records = (dns_records ?? []) as DnsRecord[];
  if (records.length > 0) output.text(`\n${recordsText(records)}`);
}

/** Values are long and must be copied unbroken, so each record is a block of lines instead of a table row. */
function recordsText(records: readonly DnsRecord[]): string {
  return records
    .map(({ name, type, value, priority, status = 'pending' }) => {
      const { mark, color } = ticks[status] ?? ticks.unknown!;
      const head = `${styleText(color, mark, { stream: process.stdout })} ${type.padEnd(4)} ${plain(name)}`;
      const tail = priority === null ? '' : `  (priority ${priority})`;
      return `${head}  ${styleText('dim', status, { stream: process.stdout })}\n       ${plain(value)}${tail}`;
    })
    .join('\n');
}
