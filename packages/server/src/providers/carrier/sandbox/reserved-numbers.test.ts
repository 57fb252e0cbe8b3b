// The table for users says what the sandbox does.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { default_sms_sender, poolNumbers, purchases, textRecipients } from './reserved-numbers.ts';

test('every reserved number is in the guide, and the guide names no other', () => {
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
