// The built-in tools that act on the line: end the call, press keys, and wait on hold.
import type { MediaClock } from '../../../../../providers/media/media-clock.ts';
import type { MediaSession } from '../../../../../providers/media/media-session.ts';
import {
  type AgentTool,
  builtInTool,
  done,
  failed,
  type ToolOutcome,
} from '../../../../agents/runtime/index.ts';
import type { Fact } from '../facts.ts';
import type { HoldState } from '../hold.ts';
import { startHold } from '../hold.ts';

export const lineToolNames = ['end_call', 'send_digits', 'hold'] as const;
export type LineToolName = (typeof lineToolNames)[number];

export type LineToolDeps = {
  session: MediaSession;
  clock: MediaClock;
  hold: HoldState;
  emit(fact: Fact): void;
  since(ms: number): number;
};

const end_reasons = ['completed', 'person_asked', 'wrong_number', 'no_progress', 'abusive'];
const digit_pattern = /^[0-9*#A-Dw]{1,64}$/;
const pause_ms = 500;
/** Pressing 64 keys takes about 20 seconds, and pauses add to it. */
const digits_timeout_ms = 60_000;

export const lineTools = (deps: LineToolDeps, names: readonly LineToolName[]): AgentTool[] =>
  lineToolNames.filter((name) => names.includes(name)).map((name) => builders[name](deps));

const builders: Record<LineToolName, (deps: LineToolDeps) => AgentTool> = {
  end_call: () =>
    builtInTool({
      name: 'end_call',
      description:
        'Ends the call after what you are saying has been heard. Use it when the conversation is over.',
      properties: { reason: { type: 'string', enum: end_reasons } },
      runs_alone: true,
      run: async () => done('The call ends.'),
    }),
  send_digits: (deps) =>
    builtInTool({
      name: 'send_digits',
      description: 'Presses keys on the phone, for example to choose from a spoken menu.',
      properties: {
        digits: { type: 'string', description: 'Keys to press: 0-9, *, #, A-D; w waits half a second.' },
      },
      required: ['digits'],
      timeout_ms: digits_timeout_ms,
      run: ({ arguments: { digits } }) => sendDigits(deps, digits),
    }),
  hold: ({ hold, clock }) =>
    builtInTool({
      name: 'hold',
      description:
        'Use it when the other side asks you to hold, and again after each announcement, instead of speaking. You are asked again when somebody speaks.',
      properties: { max_seconds: { type: 'integer', minimum: 1 } },
      runs_alone: true,
      run: async ({ arguments: { max_seconds } }) =>
        startHold(hold, clock, max_seconds)
          ? done('Waiting.')
          : failed('limit_reached', 'You have waited as long as allowed. Say goodbye and use end_call.'),
    }),
};

async function sendDigits(
  { session, clock, emit, since }: LineToolDeps,
  digits: unknown,
): Promise<ToolOutcome> {
  if (typeof digits !== 'string' || !digit_pattern.test(digits)) {
    return failed('invalid_arguments', 'arguments.digits: expected 1 to 64 of 0-9, *, #, A-D and w');
  }
  await pressKeys({ session, clock }, digits);
  emit({ kind: 'digits_sent', at_ms: since(clock.ms()), digits });
  return done('sent');
}

/** `w` waits half a second. */
export async function pressKeys(
  { session, clock }: Pick<LineToolDeps, 'session' | 'clock'>,
  digits: string,
): Promise<void> {
  for (const part of digits.match(/w|[^w]+/g) ?? []) {
    if (part === 'w') await new Promise<void>((resolve) => clock.after(pause_ms, resolve));
    else await session.sendDigits(part);
  }
}
