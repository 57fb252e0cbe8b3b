// A sandbox person takes up what was asked, so that a call in the sandbox makes sense.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wholeReply } from '../../../../providers/llm/llm.ts';
import { personLlm } from './person-model.ts';

const answer = async (heard: string) =>
  (
    await wholeReply(personLlm(), {
      system_prompt: '',
      turns: [{ role: 'user', content: heard }],
      language: 'en',
      model: null,
      signal: new AbortController().signal,
    })
  ).text;

const rows = [
  [
    'I would like to book a table for four on Friday at half past seven. Is that possible?',
    'Yes, that is possible. Friday at half past seven works for us for four.',
  ],
  [
    'I would like to ask for an appointment on Monday under the name Lee. Is that possible?',
    'Yes, that is possible. Monday at ten works for us, under the name Lee.',
  ],
  [
    'I would like to ask for an appointment. Is that possible?',
    'Yes, that is possible. Tuesday at ten works for us.',
  ],
  ['Could you tell me whether you are open on Sunday?', 'No, we are closed on Sunday.'],
  ['Could you tell me whether you are open on Monday?', 'Yes, on Monday we are open from nine to five.'],
  ['Could you tell me what it costs?', 'It costs twenty dollars.'],
  ['Could you please pay EUR 40 on Thursday?', 'I will pay the EUR 40 on Thursday.'],
  ['Could you tell me when you will pay?', 'I will pay on Friday.'],
  [
    'I would like to confirm order 17 for tomorrow at three. Is that right?',
    'Yes, order 17 tomorrow at three, that is right.',
  ],
  ['I would like to confirm the delivery. Is that right?', 'Yes, that is right.'],
  [
    'I would like to remind you of the meeting on Monday.',
    'Yes, that is possible. Monday at ten works for us.',
  ],
  [
    'I would like to let you know that the parcel comes on Monday.',
    'Thank you for telling me. I have noted Monday.',
  ],
  ['Could you tell me how many you are?', 'We are four.'],
  ['Could you tell me your telephone number?', 'It is five five five, zero one two three.'],
  ['Could you tell me your name?', 'My name is Thomas Baker.'],
] as const;

for (const [heard, expected] of rows) {
  test(`${heard} → ${expected}`, async () => assert.equal(await answer(heard), expected));
}
