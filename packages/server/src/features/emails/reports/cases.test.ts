// Collected cases: what servers say and how their reports look, each with the judgement that is expected of it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { classifyBounce } from '../../../providers/mail/bounce-class.ts';
import type { MailReport } from '../../../providers/mail/transport.ts';
import { readReport } from './read-report.ts';

const lines = (name: string): string[] =>
  readFileSync(new URL(`cases/${name}`, import.meta.url), 'utf8').split('\n');

test('words decide over codes: only dead addresses are hard bounces (M4, M6)', () => {
  const wrong: string[] = [];
  const cases = lines('replies.tsv').filter((line) => line !== '' && !line.startsWith('#'));
  for (const line of cases) {
    const [expected, status, words, seen] = line.split('\t') as [string, string, string, string];
    const verdict = classifyBounce(status === '-' ? null : status, words === '-' ? '' : words);
    if ((verdict.hard ? 'hard' : 'soft') !== expected)
      wrong.push(`${expected}: ${status} ${words} (${seen})`);
  }
  assert.ok(cases.length > 130, String(cases.length));
  assert.deepEqual(wrong, []);
});

type Case = { expected: string; recipient: string; seen: string; raw: Buffer };

function messagesIn(name: string): Case[] {
  const cases: { head: string; body: string[] }[] = [];
  for (const line of lines(name)) {
    if (line.startsWith('=== ')) cases.push({ head: line.slice(4), body: [] });
    else cases.at(-1)?.body.push(line);
  }
  return cases.map(({ head, body }) => {
    const [expected, recipient] = head.split(' ') as [string, string];
    const seen = head.slice(head.indexOf('|') + 2);
    return { expected, recipient, seen, raw: Buffer.from(body.join('\r\n')) };
  });
}

const outcomeOf = ({ kind, hard }: MailReport) =>
  kind === 'bounced' ? (hard ? 'hard' : 'soft') : kind === 'delivery_delayed' ? 'delayed' : kind;

for (const [name, promise] of [
  [
    'fields.txt',
    'fields are read where a server did not keep to their form, and words where they say nothing (M5, M6)',
  ],
  [
    'servers.txt',
    'reports of mail servers are recognised, judged by their own words and name their recipient (M5, M6)',
  ],
  [
    'providers.txt',
    'reports and complaints of mail providers are read in every form and language collected (M5, M6)',
  ],
  ['other-mail.txt', 'mail that is no report is never taken for one (M5)'],
] as const) {
  test(promise, async () => {
    const wrong: string[] = [];
    for (const { expected, recipient, seen, raw } of messagesIn(name)) {
      const read = await readReport(raw, { recipient: 'bounce-abc@mail.example.com' });
      const found = (read?.reports ?? []).map(
        (report) => `${outcomeOf(report)} ${report.recipients[0] ?? '-'}`,
      );
      const wanted = expected === 'none' ? [] : [`${expected} ${recipient}`];
      if (found.join() !== wanted.join())
        wrong.push(`${seen}: ${found.join(', ') || 'none'} instead of ${wanted}`);
    }
    assert.deepEqual(wrong, []);
  });
}
