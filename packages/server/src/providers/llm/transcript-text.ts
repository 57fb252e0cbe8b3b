// The transcript of a conversation as numbered lines: what a model gets to report about it, and how the offline model reads it.

export type TranscriptLine = { number: number; speaker: string; text: string };

/** Line breaks are removed from what was said, so that a speaker cannot add a line of another speaker. */
export const writeTranscript = (lines: readonly TranscriptLine[]): string =>
  lines
    .map(({ number, speaker, text }) => `[${number}] ${speaker}: ${text.replaceAll(/\s+/g, ' ').trim()}`)
    .join('\n');

const line_form = /^\[(\d{1,6})\] (agent|person|colleague): (.*)$/;

export const readTranscript = (text: string): TranscriptLine[] =>
  text.split('\n').flatMap((line) => {
    const [, number, speaker, said] = line_form.exec(line) ?? [];
    return said === undefined ? [] : [{ number: Number(number), speaker: speaker!, text: said }];
  });

const date_line = 'Date of the conversation: ';

export const writeDate = (date: string): string => `${date_line}${date}`;

/** Null when the text names no date. */
export const readDate = (text: string): string | null =>
  /^Date of the conversation: (\d{4}-\d{2}-\d{2})$/m.exec(text)?.[1] ?? null;
