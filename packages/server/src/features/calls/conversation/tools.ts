// The tools that a model can call on the phone, and the notes and instructions it gets.
import { z } from 'zod';
import type { Tool } from '../../../providers/llm/llm.ts';
import { digitPattern } from '../../../providers/media/media-session.ts';

const SendDigits = z.object({ digits: z.string().regex(digitPattern) });

export const phoneTools: Tool[] = [
  {
    name: 'hang_up',
    description:
      'Ends the call after what you are saying has been heard. Use it when the conversation is over.',
    parameters: { type: 'object', properties: {}, additionalProperties: false },
  },
  {
    name: 'send_digits',
    description: 'Presses keys on the phone, for example to choose from a spoken menu.',
    parameters: {
      type: 'object',
      properties: { digits: { type: 'string', description: 'Keys to press: 0-9, *, #, A-D.' } },
      required: ['digits'],
      additionalProperties: false,
    },
  },
];

/** Only offered where the number of the other party is known. */
export const do_not_contact: Tool = {
  name: 'do_not_contact',
  description:
    'Records that the person does not want to be called or written to any more. Use it immediately when they say so in any words, then say goodbye and use hang_up.',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
};

/** Null when the model's arguments are not valid. */
export function digitsOf(input: unknown): string | null {
  const parsed = SendDigits.safeParse(input);
  return parsed.success ? parsed.data.digits : null;
}

export const phone_manners = `You are speaking on the phone, and what you write is read aloud.
Say one or two short sentences at a time, in plain words, without lists, symbols or emoji. Say numbers and dates as people say them.
Ask one thing at a time. When the conversation is over, say goodbye and use hang_up.`;

export const voicemail_note =
  '(You have reached a voicemail. Say one short message now: who calls, why, and goodbye. Nobody will answer.)';

export const keysNote = (digits: string): string => `(The other party pressed these keys: ${digits})`;
