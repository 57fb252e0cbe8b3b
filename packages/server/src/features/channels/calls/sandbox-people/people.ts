// The people who can be called in the sandbox: each has a reserved number and a fixed behavior.

/** What a person does after answering, step by step. After the last step the person waits for the other side to hang up. */
export type Step =
  | { do: 'say'; text: string }
  | { do: 'wait'; ms: number }
  /** Until the other party has spoken for this long in total. */
  | { do: 'wait_for_speech'; ms: number }
  /** Until the other party has stopped speaking. */
  | { do: 'wait_for_turn' }
  | { do: 'beep' }
  /** Sound without words, as callers on hold hear it. */
  | { do: 'music'; ms: number }
  /** A spoken menu: the steps of the pressed key, then the menu again. */
  | { do: 'menu'; text: string; choices: Readonly<Record<string, readonly Step[]>> }
  | { do: 'press'; digits: string }
  /** Talks until one side says goodbye; without a greeting the other party speaks first. */
  | { do: 'converse'; greeting: string | null }
  | { do: 'hang_up' };

export type SandboxPerson = {
  number: string;
  name: string;
  /** For the docs. */
  meaning: string;
} & (
  | { answers: true; rings_ms: number; steps: readonly Step[] }
  /** What the carrier reports instead; `never_answers` rings until the ring timeout. */
  | {
      answers: false;
      rings_ms: number;
      carrier_reports: 'busy' | 'declined' | 'never_answers' | 'unreachable';
    }
);

export const sandboxPeople: readonly SandboxPerson[] = [
  {
    number: '+15005550201',
    name: 'converses',
    meaning: 'Answers and converses until one of the two says goodbye.',
    answers: true,
    rings_ms: 1500,
    steps: [{ do: 'converse', greeting: 'Hello, this is Thomas.' }],
  },
  {
    number: '+15005550202',
    name: 'busy',
    meaning: 'Is busy.',
    answers: false,
    rings_ms: 500,
    carrier_reports: 'busy',
  },
  {
    number: '+15005550203',
    name: 'declines',
    meaning: 'Lets it ring, then declines.',
    answers: false,
    rings_ms: 2000,
    carrier_reports: 'declined',
  },
  {
    number: '+15005550204',
    name: 'never_answers',
    meaning: 'Lets it ring until the ring timeout.',
    answers: false,
    rings_ms: 500,
    carrier_reports: 'never_answers',
  },
  {
    number: '+15005550205',
    name: 'voicemail',
    meaning: 'A machine answers, greets, beeps and records.',
    answers: true,
    rings_ms: 3000,
    steps: [
      { do: 'wait', ms: 400 },
      { do: 'say', text: 'Hello. I cannot take your call right now. Please leave a message after the tone.' },
      { do: 'wait', ms: 300 },
      { do: 'beep' },
    ],
  },
  {
    number: '+15005550206',
    name: 'interrupts',
    meaning: 'Answers, speaks over the agent, then converses.',
    answers: true,
    rings_ms: 1500,
    steps: [
      { do: 'say', text: 'Hello, this is Thomas.' },
      { do: 'wait_for_speech', ms: 1500 },
      { do: 'say', text: 'Excuse me, please be brief, I am in a hurry.' },
      { do: 'converse', greeting: null },
    ],
  },
  {
    number: '+15005550207',
    name: 'hangs_up',
    meaning: 'Answers and hangs up immediately.',
    answers: true,
    rings_ms: 1500,
    steps: [{ do: 'wait', ms: 300 }, { do: 'hang_up' }],
  },
  {
    number: '+15005550208',
    name: 'presses_digits',
    meaning: 'Answers, presses 1 2 # when asked something, then converses.',
    answers: true,
    rings_ms: 1500,
    steps: [
      { do: 'say', text: 'Hello, this is Thomas.' },
      { do: 'wait_for_turn' },
      { do: 'press', digits: '12#' },
      { do: 'converse', greeting: null },
    ],
  },
  {
    number: '+15005550209',
    name: 'unreachable',
    meaning: 'The number is not in service.',
    answers: false,
    rings_ms: 0,
    carrier_reports: 'unreachable',
  },
  {
    number: '+15005550211',
    name: 'takes_transfers',
    meaning: 'A colleague who listens to the briefing, takes the call and converses.',
    answers: true,
    rings_ms: 1500,
    steps: [
      { do: 'say', text: 'Desk, this is Ana.' },
      { do: 'wait_for_turn' },
      { do: 'say', text: 'Yes, put them through.' },
      { do: 'converse', greeting: null },
    ],
  },
  {
    number: '+15005550212',
    name: 'declines_transfers',
    meaning: 'A colleague who answers and has no time.',
    answers: true,
    rings_ms: 1500,
    steps: [
      { do: 'say', text: 'Desk, this is Ana.' },
      { do: 'wait_for_turn' },
      { do: 'say', text: 'No, not now.' },
    ],
  },
  {
    number: '+15005550213',
    name: 'desk_machine',
    meaning: 'A desk whose answering machine answers.',
    answers: true,
    rings_ms: 3000,
    steps: [
      { do: 'wait', ms: 400 },
      { do: 'say', text: 'This is the desk. No one is available. Please leave a message after the tone.' },
      { do: 'wait', ms: 300 },
      { do: 'beep' },
    ],
  },
  {
    number: '+15005550214',
    name: 'menu',
    meaning: 'A spoken menu: key 1 tells the opening hours, key 2 reaches the desk.',
    answers: true,
    rings_ms: 1500,
    steps: [
      {
        do: 'menu',
        text: 'Welcome. For our opening hours press one. For the desk press two.',
        choices: {
          1: [{ do: 'say', text: 'We are open from nine to five, Monday to Friday.' }],
          2: [{ do: 'converse', greeting: 'Desk, this is Ana.' }],
        },
      },
    ],
  },
  {
    number: '+15005550215',
    name: 'hold_music',
    meaning: 'Asks to hold, plays ten seconds of music, then converses.',
    answers: true,
    rings_ms: 1500,
    steps: [
      { do: 'say', text: 'Please hold the line.' },
      { do: 'music', ms: 10_000 },
      { do: 'converse', greeting: 'Thank you for holding.' },
    ],
  },
];

/** Any other number is answered by the person who converses. */
export const personAt = (number: string): SandboxPerson =>
  sandboxPeople.find((person) => person.number === number) ?? sandboxPeople[0]!;
