// Translates Deepgram's messages: what a `Results` message says about the text of the audio.
import { z } from 'zod';

export type Transcript = {
  text: string;
  is_final: boolean;
  /** Position in the stream where this text ends. */
  end_seconds: number;
  /** Deepgram sent it in response to our Finalize. */
  is_finalize_response: boolean;
};

const Results = z.object({
  type: z.literal('Results'),
  start: z.number().default(0),
  duration: z.number().default(0),
  is_final: z.boolean(),
  from_finalize: z.boolean().optional(),
  channel: z.object({ alternatives: z.array(z.object({ transcript: z.string() })) }),
});

/** Null for metadata and every other type of message. */
export function transcriptOf(data: unknown): Transcript | null {
  const parsed = Results.safeParse(parseJson(data));
  if (!parsed.success) return null;
  const { start, duration, is_final, from_finalize, channel } = parsed.data;
  return {
    text: channel.alternatives[0]?.transcript ?? '',
    is_final,
    end_seconds: start + duration,
    is_finalize_response: from_finalize === true,
  };
}

function parseJson(data: unknown): unknown {
  if (typeof data !== 'string') return null;
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}
