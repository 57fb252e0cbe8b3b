// Collected reports and replies of mail servers, each with the expected classification.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { classifyBounce } from '../../../../protocols/mail/bounce-class.ts';
import type { MailReport } from '../../../../providers/mail/transport.ts';
import { recipientsIn } from './reading/fields.ts';
import { readReport } from './reading/read-report.ts';

const lines = (name: string): string[] =>
  readFileSync(new URL(`cases/${name}`, import.meta.url), 'utf8').split('\n');

test('the text of a reply overrides its code: only invalid addresses are hard bounces (M4, M6)', () => {
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
  ['senders.txt', 'reports are recognised under any sender and with the headers of a mailing list (M5, M6)'],
  ['gateways.txt', 'reports of gateways and filters are read with their damaged structure (M5, M6)'],
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

test('a report about several recipients classifies each by the lines below its address (M6)', async () => {
  const raw = Buffer.from(
    [
      'From: MAILER-DAEMON@relay.test',
      'Subject: failure notice',
      '',
      'Hi. This is the qmail-send program at relay.test.',
      '',
      '<gone@example.org>:',
      'Sorry, no mailbox here by that name. (#5.1.1)',
      '',
      '<full@example.org>:',
      '552 mailbox is over quota',
      '',
      '--- Below this line is a copy of the message.',
    ].join('\r'),
  );
  const read = await readReport(raw);
  assert.deepEqual(
    read!.reports.map(({ recipients, hard }) => [recipients, hard]),
    [
      [['gone@example.org'], true],
      [['full@example.org'], false],
    ],
  );
});

test('F11: what a notice says twice, in two languages, counts for the recipient whom it names', async () => {
  const twice = (first: string[], second: string[]) =>
    readReport(
      Buffer.from(
        [
          'From: MAILER-DAEMON@mail.test',
          'Subject: Mail failure.',
          '',
          'Это письмо создано автоматически сервером. Ваше письмо не может быть доставлено:',
          '',
          ...first,
          '',
          'This message was created automatically by the server. Your message could not be delivered:',
          '',
          ...second,
        ].join('\n'),
      ),
    );
  const outcomes = async (read: ReturnType<typeof twice>) =>
    (await read)!.reports.map(({ recipients, hard }) => [recipients[0], hard]);
  const gone = '  gone@example.org:';
  const full = '  full@example.net:';
  const expected = [
    ['gone@example.org', true],
    ['full@example.net', false],
  ];
  const unknown_user = ['    550 5.1.1 user unknown'];
  const over_quota = ['    552 5.2.2 mailbox is over quota'];
  const block = [gone, ...unknown_user, full, ...over_quota];
  assert.deepEqual(await outcomes(twice(block, block)), expected);
  assert.deepEqual(
    await outcomes(twice([gone, '    нет такого пользователя', full, '    почтовый ящик переполнен'], block)),
    expected,
  );
  // A summary first, and what happened to each below.
  assert.deepEqual(await outcomes(twice([gone, full], block)), expected);
  const reversed = [full, ...over_quota, gone, ...unknown_user];
  assert.deepEqual(
    (await outcomes(twice(reversed, block))).toSorted(),
    expected.toSorted(),
    'the healthy address is not suppressed in any order',
  );
});

test('a user without a domain is the recipient with that local part (M6)', async () => {
  const lines = [
    'From: MAILER-DAEMON@mx7.relay.test',
    'Subject: Mail Delivery Problem',
    '',
    'Your mail to the following recipients could not be delivered:',
    '\tana',
  ];
  const raw = Buffer.from(lines.join('\r\n'));
  const known = await readReport(raw, { known: ['bob@example.org', 'Ana@example.org'] });
  assert.deepEqual(
    known?.reports.map((report) => report.recipients),
    [['Ana@example.org']],
  );
});

test('recipient fields are read in every format (M6)', () => {
  assert.deepEqual(recipientsIn('rfc822; ana@example.org'), ['ana@example.org']);
  assert.deepEqual(recipientsIn('RFC822;<ana@example.org>'), ['ana@example.org']);
  assert.deepEqual(recipientsIn('rfc822;ana+2Btag@example.org'), [
    'ana+2Btag@example.org',
    'ana+tag@example.org',
  ]);
  assert.deepEqual(recipientsIn('ana@example.org'), ['ana@example.org']);
  assert.deepEqual(recipientsIn('X400;/c=de/o=example/rfc-822=ana@example.org/'), ['ana@example.org']);
  assert.deepEqual(recipientsIn('LOCAL; root'), []);
});

test('phrases are matched in time linear in the number of words', async () => {
  // Each would take hours with backtracking.
  for (const text of [
    'user '.repeat(50_000),
    '<'.repeat(100_000),
    'a@'.repeat(100_000),
    'user@'.repeat(40_000),
  ]) {
    const head = 'From: MAILER-DAEMON@relay.test\r\nSubject: failure notice\r\n\r\n';
    const read = await readReport(
      Buffer.from(`${head}${text}\r\n${`${text.slice(0, 200)}\r\n`.repeat(500)}`),
    );
    assert.equal(read!.reports[0]!.kind, 'bounced');
  }
});
