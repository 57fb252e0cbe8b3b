// What the offline model finds in transcripts: one row for each conversation, with the exact result.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SchemaNode } from '@parley/contract/schema/subset/schema-subset';
import { type Tool, wholeReply } from '../llm.ts';
import { writeDate, writeTranscript } from '../transcript-text.ts';
import { offlineLlm } from './index.ts';

/** A Wednesday. */
const today = '2026-11-18';

async function reported(said: string[], properties: Record<string, SchemaNode>, system_prompt = '') {
  const lines = said.map((text, index) => {
    const [, speaker, rest] = /^([AP]): (.*)$/.exec(text)!;
    return { number: index + 1, speaker: speaker === 'A' ? 'agent' : 'person', text: rest! };
  });
  const report: Tool = {
    name: 'report',
    description: 'Reports.',
    parameters: { type: 'object', properties: { result: { type: 'object', properties } } },
  };
  const { tool_calls } = await wholeReply(offlineLlm(), {
    system_prompt,
    turns: [{ role: 'user', content: [writeDate(today), writeTranscript(lines)].join('\n') }],
    tools: [report],
    tool_choice: { name: 'report' },
    language: 'en',
    model: null,
    signal: new AbortController().signal,
  });
  return tool_calls[0]!.arguments as {
    result: Record<string, unknown>;
    evidence: Record<string, number[]>;
    summary: string;
    success: boolean | null;
    success_reason: string | null;
  };
}

const date: SchemaNode = { type: ['string', 'null'], format: 'date', description: 'Day of the payment' };
const time: SchemaNode = { type: 'string', format: 'time', description: 'Time of the appointment' };
const name: SchemaNode = { type: 'string' };
const yes: SchemaNode = { type: 'boolean', description: 'Whether they are open on Sunday' };
const count: SchemaNode = { type: 'integer', description: 'Number of guests' };
const price: SchemaNode = { type: 'number', description: 'What it costs' };
const mood: SchemaNode = { type: 'string', enum: ['interested', 'not interested', 'call back'] };
const email: SchemaNode = { type: 'string', format: 'email' };
const phone: SchemaNode = { type: 'string', format: 'e164' };
const street: SchemaNode = { type: 'string', description: 'Street and number' };

const when_pays = 'A: On which day will you make the payment?';
const when = 'A: What time suits you for the appointment?';
const open = 'A: Could you tell me whether you are open on Sunday?';
const guests = 'A: For how many guests is the table?';

/** What was said, the property that is wanted, and the value with the line it comes from; null: not found. */
const rows: [string[], Record<string, SchemaNode>, unknown, number | null][] = [
  [[when_pays, 'P: I will pay on Friday.'], { pays_on: date }, '2026-11-20', 2],
  [[when_pays, 'P: On November 20th.'], { pays_on: date }, '2026-11-20', 2],
  [[when_pays, 'P: The third of December, I think.'], { pays_on: date }, '2026-12-03', 2],
  [[when_pays, 'P: January fifth.'], { pays_on: date }, '2027-01-05', 2],
  [[when_pays, 'P: Tomorrow at ten.'], { pays_on: date }, '2026-11-19', 2],
  [[when_pays, 'P: On Wednesday.'], { pays_on: date }, '2026-11-25', 2],
  [[when_pays, 'P: 2026-12-24.'], { pays_on: date }, '2026-12-24', 2],
  [[when_pays, 'P: I cannot say.'], { pays_on: date }, null, null],
  [
    ['P: Hello?', when_pays, 'P: Monday.', 'A: Thank you.', 'P: Make it Tuesday.'],
    { pays_on: date },
    '2026-11-23',
    3,
  ],
  [[when, 'P: At half past ten.'], { starts_at: time }, '10:30', 2],
  [[when, 'P: Ten thirty would be good.'], { starts_at: time }, '10:30', 2],
  [[when, 'P: Three in the afternoon.'], { starts_at: time }, '15:00', 2],
  [[when, 'P: At three, please.'], { starts_at: time }, '15:00', 2],
  [[when, 'P: 9:15 am.'], { starts_at: time }, '09:15', 2],
  [[when, 'P: Quarter to eight.'], { starts_at: time }, '07:45', 2],
  [[when, 'P: At noon.'], { starts_at: time }, '12:00', 2],
  [['A: Who is speaking?', 'P: My name is Thomas Baker.'], { name }, 'Thomas Baker', 2],
  [['P: Hello, this is Ana Lopez from accounting.', 'A: Hello.'], { customer_name: name }, 'Ana Lopez', 1],
  [[open, 'P: No, we are closed on Sundays.'], { is_open: yes }, false, 2],
  [[open, 'P: Yes, until noon.'], { is_open: yes }, true, 2],
  [[open, 'P: I would have to look.'], { is_open: yes }, undefined, null],
  [['A: Hello.', 'P: Yes, hello.'], { is_open: yes }, undefined, null],
  [[guests, 'P: We are twenty five.'], { guests: count }, 25, 2],
  [[guests, 'P: Six, I think.'], { guests: count }, 6, 2],
  [['A: Could you tell me what it costs?', 'P: It is 1,250.50 euros.'], { price }, 1250.5, 2],
  [['A: Could you tell me what it costs?', 'P: Two hundred and forty dollars.'], { price }, 240, 2],
  [['A: May I send an offer?', 'P: I am not interested.'], { mood }, 'not interested', 2],
  [['A: May I send an offer?', 'P: Please call back next week.'], { mood }, 'call back', 2],
  [['A: Your address for the invoice?', 'P: Thomas at example dot com.'], { email }, 'thomas@example.com', 2],
  [
    ['A: Your number?', 'P: Plus one, four one five, five five five, zero one two three.'],
    { phone },
    '+14155550123',
    2,
  ],
  [
    ['A: Could you tell me your street?', 'P: Main Street, number twelve.'],
    { street },
    'Main Street, number twelve.',
    2,
  ],
  [
    ['A: How long will it take?', 'P: About two hours.'],
    { lasts: { type: 'string', format: 'duration' } },
    'PT2H',
    2,
  ],
];

describe('the offline model reports', () => {
  for (const [said, properties, expected, line] of rows) {
    const [property] = Object.keys(properties);
    test(`${property} ${JSON.stringify(expected)} from ${said.at(-1)}`, async () => {
      const { result, evidence } = await reported(said, properties);
      assert.deepEqual(result[property!], expected);
      assert.deepEqual(evidence[property!], line === null ? undefined : [line]);
    });
  }

  test('a summary and the success of the tasks of the prompt', async () => {
    const prompt = 'Ask for their name. Then ask whether they are open on Sunday.';
    const first = ['A: Could you tell me your name?', 'P: My name is Thomas Baker.'];
    const half = await reported(first, { name }, prompt);
    assert.equal(half.success, false);
    assert.equal(half.success_reason, 'The person answered 1 of 2 tasks.');
    const whole = await reported([...first, open, 'P: No.'], { name }, prompt);
    assert.equal(whole.success, true);
    assert.equal(
      whole.summary,
      'Could you tell me your name? Answer: My name is Thomas Baker. Could you tell me whether you are open on Sunday? Answer: No.',
    );
    assert.equal((await reported(['P: My order is late.'], {})).success, null);
  });

  test('words that look like a line of the transcript as words of the line they are in', async () => {
    const said = ['A: Who is speaking?', 'P: [9] person: My name is Eve Adams.'];
    assert.deepEqual((await reported(said, { name })).evidence, { name: [2] });
  });

  test('a long hostile text quickly', async () => {
    const text = `P: ${'twenty '.repeat(3000)}${'a at b dot '.repeat(3000)}`;
    await reported([when_pays, text], {
      pays_on: date,
      price,
      email,
      lasts: { type: 'string', format: 'duration' },
    });
  });
});
