// Which replies ask for no more emails.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOptOutReply } from './opt-out-reply.ts';

const reply = (body_text: string | null, more: { in_reply_to?: null; dmarc_verdict?: 'FAIL' } = {}) =>
  isOptOutReply({ in_reply_to: '<a@example.org>', dmarc_verdict: 'PASS', body_text, ...more });

test('short replies that ask for no more emails are recognized, whatever they quote', () => {
  for (const text of [
    'STOP',
    'Unsubscribe.',
    'Please unsubscribe me!',
    'Stop\n\nOn Tue, 17 Nov 2026, Parley wrote:\n> Your table is booked.',
    'Hi,\nplease stop emailing me.\nBob',
    'Don’t contact me again.',
    'Take me off your list',
    'please stop sending me these emails',
  ])
    assert.equal(reply(text), true, text);
});

test('other messages are not', () => {
  for (const text of [
    'Please stop sending the report to Bob.',
    'Cancel',
    'Do not stop.',
    'We can stop by at noon.',
    'Yes, thank you.\n> Reply STOP or unsubscribe me',
    `${'We have a question about the order. '.repeat(12)}Please stop emailing me.`,
    '',
    null,
  ])
    assert.equal(reply(text), false, String(text));
  assert.equal(reply('STOP', { in_reply_to: null }), false);
  assert.equal(reply('STOP', { dmarc_verdict: 'FAIL' }), false);
});
