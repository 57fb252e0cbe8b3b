// Reads the frames of a relay. The input is not trusted; unknown fields are ignored, unknown types are refused.
import type { FromRelay, Interruption } from '../relay.ts';
import { interruptions } from '../relay.ts';

type Json = Record<string, unknown>;

const max_token_chars = 4_000;
const max_digits = 64;
const max_loops = 20;
const max_handoff_chars = 16_000;
const max_source_chars = 2_048;
const language_form = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/;

/** The frame, or what is wrong with it in words for the relay. */
export function readFrame(data: string): { frame: FromRelay } | { problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return { problem: 'The message is not JSON.' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: 'The message is not a JSON object.' };
  }
  const { type } = value as Json;
  const read = typeof type === 'string' && Object.hasOwn(readers, type) ? readers[type]! : null;
  if (!read) return { problem: `Unknown message type ${JSON.stringify(type)?.slice(0, 60)}.` };
  const frame = read(value as Json);
  return typeof frame === 'string' ? { problem: frame } : { frame };
}

const readers: Record<string, (frame: Json) => FromRelay | string> = {
  text(frame) {
    const { token, last } = frame;
    if (typeof token !== 'string') return 'text: token must be a string.';
    if (token.length > max_token_chars) return `text: token may have ${max_token_chars} characters at most.`;
    return { type: 'text', token, last: last === true, lang: languageOf(frame.lang), ...manner(frame) };
  },
  play(frame) {
    const { source, loop } = frame;
    if (typeof source !== 'string' || source.length > max_source_chars) return 'play: source must be a URL.';
    const times = Number.isInteger(loop) && (loop as number) >= 0 ? (loop as number) : 1;
    // Zero means without end in this protocol.
    return {
      type: 'play',
      source,
      loop: times === 0 ? max_loops : Math.min(times, max_loops),
      ...manner(frame),
    };
  },
  sendDigits({ digits }) {
    const is_valid =
      typeof digits === 'string' && digits.length <= max_digits && /^[0-9*#A-Dw]+$/.test(digits);
    return is_valid
      ? { type: 'sendDigits', digits }
      : `sendDigits: digits must be 1 to ${max_digits} of 0-9 * # A-D w.`;
  },
  language(frame) {
    const ttsLanguage = languageOf(frame.ttsLanguage);
    const transcriptionLanguage = languageOf(frame.transcriptionLanguage);
    if (!ttsLanguage && !transcriptionLanguage) return 'language: expected a language tag such as es-ES.';
    return { type: 'language', ttsLanguage, transcriptionLanguage };
  },
  end({ handoffData }) {
    const text =
      typeof handoffData === 'string' ? handoffData.slice(0, max_handoff_chars).toWellFormed() : null;
    return { type: 'end', handoffData: text };
  },
};

const languageOf = (value: unknown): string | null =>
  typeof value === 'string' && language_form.test(value) ? value : null;

/** Booleans are the older form: true means any, false none. */
function interruptionOf(value: unknown): Interruption | null {
  if (typeof value === 'boolean') return value ? 'any' : 'none';
  return interruptions.find((each) => each === value) ?? null;
}

const manner = ({ interruptible, preemptible }: Json) => ({
  interruptible: interruptionOf(interruptible),
  preemptible: preemptible === true,
});
