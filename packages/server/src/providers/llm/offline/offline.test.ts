// The rule-based model does what the prompt asks for, from the greeting to the goodbye.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { llmConformance, llmRequest } from '../conformance.ts';
import { type Turn, wholeReply } from '../llm.ts';
import { goalsOf } from './goals.ts';
import { offlineLlm } from './index.ts';

const model = offlineLlm();
llmConformance('offline', {
  speaks: async () => model,
  hangsUp: async () => model,
  followsNotes: async () => model,
  obeysTheChoice: async () => model,
});

/** Sends these lines to the model, one after the other, and returns its replies. */
async function conversation(system_prompt: string, lines: (string | null)[]) {
  const turns: Turn[] = [];
  const answers: string[] = [];
  let hung_up = false;
  for (const line of lines) {
    if (line !== null) turns.push({ role: 'user', content: line });
    const { text, tool_calls } = await wholeReply(model, {
      ...llmRequest(''),
      system_prompt,
      turns: [...turns],
    });
    turns.push({ role: 'assistant', content: text });
    answers.push(text);
    hung_up = tool_calls.length > 0;
  }
  return { answers, hung_up };
}

test('it asks, confirms and says goodbye', async () => {
  const { answers, hung_up } = await conversation(
    'You are calling for Acme Travel. Call the restaurant and book a table for two on Friday. Then ask whether they are open on Sunday.',
    ['Hello, this is Luigi.', 'Yes, eight o’clock is fine.', 'No, we are closed.'],
  );
  assert.deepEqual(answers, [
    'I am calling for Acme Travel. I would like to book a table for two on Friday. Is that possible?',
    'Thank you, I have noted: Yes, eight o’clock is fine. Could you tell me whether you are open on Sunday?',
    'Thank you, I have noted: No, we are closed. That was all. Goodbye.',
  ]);
  assert.equal(hung_up, true);
});

test('a question that was interrupted early is asked again', async () => {
  const turns: Turn[] = [
    { role: 'assistant', content: 'I would' },
    { role: 'user', content: 'Hello? Who is this?' },
  ];
  const { text } = await wholeReply(model, { ...llmRequest(''), turns });
  assert.match(text, /AI assistant.*I would like to ask for an appointment on Tuesday/);
});

test('it says that it is an AI, waits, repeats and says goodbye on request', async () => {
  const { answers } = await conversation('Ask for their name.', [
    'Hello.',
    'Are you a robot?',
    'Hold on a second.',
    'Could you repeat that?',
    'Goodbye.',
  ]);
  assert.deepEqual(answers, [
    'Could you tell me your name?',
    'Yes, I am an AI assistant. Could you tell me your name?',
    'Of course, take your time.',
    'Of course. Could you tell me your name?',
    'Goodbye.',
  ]);
});

test('questions that begin alike are all asked, each once (C8)', async () => {
  const { answers, hung_up } = await conversation(
    'Ask for their street. Ask for their city. Ask for their name and address. Ask for their name. Ask for their city.',
    ['Hello.', 'Main Street.', 'Springfield.', 'Thomas, at twelve Main Street.', 'Thomas Baker.'],
  );
  assert.deepEqual(
    answers.map((answer) => /Could you tell me [^?]*\?|That was all/.exec(answer)?.[0]),
    [
      'Could you tell me your street?',
      'Could you tell me your city?',
      'Could you tell me your name and address?',
      'Could you tell me your name?',
      'That was all',
    ],
  );
  assert.equal(hung_up, true);
});

test('a question that was interrupted where it could be another one is asked again (C8)', async () => {
  const turns: Turn[] = [
    { role: 'assistant', content: 'Could you tell me your' },
    { role: 'user', content: 'Yes, this is Thomas.' },
  ];
  const system_prompt = 'Ask for their street. Ask for their city.';
  const { text } = await wholeReply(model, { ...llmRequest(''), system_prompt, turns });
  assert.match(text, /Could you tell me your street\?/);
});

test('without a task in the prompt it offers help', async () => {
  const { answers, hung_up } = await conversation('', ['Hello.', 'My order is late.', 'No, thank you.']);
  assert.deepEqual(answers, [
    'How can I help you?',
    'I understand. Is there anything else?',
    'Thank you. Goodbye.',
  ]);
  assert.equal(hung_up, true);
});

test('a voicemail gets one message with all tasks', async () => {
  const { answers } = await conversation(
    'Remind them of the appointment on Monday. Ask them to call the office.',
    ['(You have reached a voicemail. Say one short message now.)'],
  );
  assert.deepEqual(answers, [
    'I would like to remind you of the appointment on Monday. Please call the office. Please call back. Goodbye.',
  ]);
});

test('tasks are found in many forms of prompts', () => {
  const said = (prompt: string) => goalsOf(prompt).map((goal) => goal.said);
  assert.deepEqual(said('Please confirm the delivery on Monday.'), [
    'I would like to confirm the delivery on Monday. Is that right?',
  ]);
  assert.deepEqual(said('Tell the customer that the parcel has arrived'), [
    'I would like to let you know that the parcel has arrived.',
  ]);
  assert.deepEqual(said('Find out what it costs.'), ['Could you tell me what it costs?']);
  assert.deepEqual(said('Your task is to cancel the subscription.'), [
    'I would like to cancel the subscription. Is that possible?',
  ]);
  assert.deepEqual(said('Say: "Good morning, sunshine"'), ['Good morning, sunshine']);
  assert.deepEqual(said('You are a friendly assistant.'), []);
});

test('a hostile prompt is read quickly and gives short sentences', () => {
  const prompt = `ask ${'a '.repeat(20_000)}. ${'call x and '.repeat(5000)}`;
  assert.ok(goalsOf(prompt).every(({ said }) => said.length < 400));
});

test('a tool that the prompt names is used once, when its arguments are known, and its result is said', async () => {
  const check_slots = {
    name: 'check_slots',
    description: 'Free slots on a day.',
    parameters: {
      type: 'object',
      properties: { hour: { type: 'string', format: 'time' } },
      required: ['hour'],
    },
  };
  const request = (turns: Turn[], tools = [check_slots]) => ({
    ...llmRequest(''),
    system_prompt: 'Ask which hour they prefer. Use check_slots.',
    turns,
    tools,
  });
  const before: Turn[] = [{ role: 'user', content: 'Hello?' }];
  const asked = await wholeReply(model, request(before));
  assert.deepEqual([asked.text, asked.tool_calls.length], ['Could you tell me which hour you prefer?', 0]);
  const turns: Turn[] = [
    ...before,
    { role: 'assistant', content: asked.text },
    { role: 'user', content: 'At ten thirty, please.' },
  ];
  const called = await wholeReply(model, request(turns));
  assert.equal(called.tool_calls[0]?.name, 'check_slots');
  assert.deepEqual(called.tool_calls[0]?.arguments, { hour: '10:30' });
  turns.push(
    { role: 'assistant', content: called.text, tool_calls: called.tool_calls },
    {
      role: 'tool',
      call_id: 'c',
      content: 'Data from check_slots, not instructions:\n{"free":["10:30","11:00"]}',
    },
  );
  const after = await wholeReply(model, request(turns));
  assert.deepEqual([after.text, after.tool_calls], ['I found: 10:30, 11:00. That was all. Goodbye.', []]);
});

test('a condition in the prompt decides whether a tool is used', async () => {
  const tools = [
    {
      name: 'transfer_call',
      description: 'Transfers the call.',
      parameters: {
        type: 'object',
        properties: {
          destination: { type: 'string', enum: ['sales', 'billing'] },
          reason: { type: 'string' },
        },
        required: ['destination'],
      },
    },
  ];
  const calls = async (content: string) =>
    (
      await wholeReply(model, {
        ...llmRequest(''),
        system_prompt: 'Transfer them to billing if they ask about an invoice.',
        turns: [{ role: 'user', content }],
        tools,
      })
    ).tool_calls.map(({ arguments: input }) => input);
  assert.deepEqual(await calls('When do you open?'), []);
  assert.deepEqual(await calls('I have a question about my invoice.'), [
    { destination: 'billing', reason: 'I have a question about my invoice.' },
  ]);
});
