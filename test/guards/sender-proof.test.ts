// Guard: verdicts on a sender are read in one place. Comparing one of them elsewhere forgets the verdicts that say neither yes nor no.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { projectFiles } from './source-files.ts';

/** Where verdicts are decided, translated from those of a provider, or shown. Nothing is decided from them there. */
const allowed = [
  /^packages\/contract\//,
  /^packages\/server\/src\/features\/access\/sender-proof\//,
  /^packages\/server\/src\/features\/channels\/emails\/receive\/examination\/authentication\.ts$/,
  /^packages\/server\/src\/providers\/mail\/ses\/received\.ts$/,
  /^packages\/server\/migrations\/0153_sender_proof\.sql$/,
];
const isCode = (path: string) =>
  /^packages\/[^/]+\/(src|migrations)\/.*\.(ts|tsx|sql)$/.test(path) && !/\.test\.tsx?$/.test(path);
const verdict = /['"`](PASS|FAIL|GRAY|PROCESSING_FAILED|DISABLED)['"`]/g;
const sender_check = /\b(spf|dkim|dmarc)(_verdict|Verdict)?\b/i;

/** The places where a verdict stands within a few lines after the name of a check. */
const comparisons = (text: string): string[] =>
  [...text.matchAll(verdict)].flatMap(({ index }) => {
    const before = text.slice(Math.max(0, index - 160), index);
    const [near] = before.match(/[^;{}]*$/)!;
    const compares = /[=!]==?|<>|distinct from|\bin\b|\bany\b|\bcase\b|includes|\.has\(/i.test(near);
    return compares && sender_check.test(near) ? [`${near.trim()} ${text.slice(index, index + 20)}`] : [];
  });

test('S3: verdicts on a sender are compared in one place only', () => {
  const wrong = projectFiles()
    .filter((path) => isCode(path) && !allowed.some((each) => each.test(path)))
    .flatMap((path) =>
      comparisons(readFileSync(path, 'utf8')).map((place) => `${path}: ${place.replaceAll(/\s+/g, ' ')}`),
    );
  assert.deepEqual(wrong, [], 'use isProven, senderProof or provenSender of features/access/sender-proof');
});

test('S3: columns of verdicts on a sender are read for records and for proof only', () => {
  const readers = projectFiles().filter(
    (path) =>
      isCode(path) &&
      path.startsWith('packages/server/src/') &&
      !allowed.some((each) => each.test(path)) &&
      /\b(spf|dkim|dmarc)_verdict\b/.test(readFileSync(path, 'utf8')),
  );
  assert.deepEqual(
    readers.sort(),
    [
      'packages/server/src/features/inbox/conversations/items/items-store.ts',
      'packages/server/src/features/channels/emails/receive/events.ts',
      'packages/server/src/features/channels/emails/personal-data-store.ts',
      'packages/server/src/features/channels/emails/receive/accept/inbound-row.ts',
      'packages/server/src/platform/db/tables.ts',
      'packages/server/src/features/channels/emails/receive/replies/opt-out-reply.ts',
      'packages/server/src/features/channels/emails/receive/scan-message.ts',
      'packages/server/src/features/channels/emails/receive/store.ts',
      'packages/server/src/features/channels/emails/send/prepare/new-email.ts',
      'packages/server/src/features/channels/emails/store.ts',
      'packages/server/src/features/inbox/projector/projection.ts',
      'packages/server/src/features/inbox/projector/record-store.ts',
      'packages/server/src/features/access/rule-inputs/table.ts',
    ].sort(),
  );
});

test('S3: the guard sees a comparison in code and in SQL', () => {
  for (const text of [
    "is_forged: email.dmarc_verdict === 'FAIL'",
    "and dmarc_verdict is distinct from 'FAIL'",
    "where r.spf_verdict in ('GRAY', 'FAIL')",
    "(['PASS'] as string[]).includes(x) || email.dkim_verdict !== 'PASS'",
  ])
    assert.notDeepEqual(comparisons(text), [], text);
  assert.deepEqual(comparisons("email.spam_verdict === 'FAIL'"), []);
});
