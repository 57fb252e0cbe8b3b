// The guide for users lists exactly the numbers that the sandbox reserves.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { default_sms_sender, poolNumbers, purchases, textRecipients } from './reserved-numbers.ts';

test('the guide lists every reserved number and no other', () => {
  const guide = readFileSync('docs/guides/sandbox-numbers.md', 'utf8');
  const listed = [...guide.matchAll(/\+1500555\d{4}/g)].map((match) => match[0]);
  const reserved = [
    ...Object.keys(textRecipients),
    ...poolNumbers,
    default_sms_sender,
    ...Object.keys(purchases),
  ];
  assert.deepEqual([...new Set(listed)].sort(), [...new Set(reserved)].sort());
});
