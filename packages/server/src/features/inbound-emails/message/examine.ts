// Reads and judges one message: the part of receiving that only computes, here or in a thread of its own.
import type { Authentication, Envelope, LookUp } from './authentication.ts';
import { type ParsedMessage, parseMessage } from './parse-message.ts';

export type Examined = { message: ParsedMessage; authentication: Authentication | null };

/** Without an envelope nothing is authenticated: somebody else did, or nobody can. */
export async function examine(
  raw: Buffer,
  envelope: Envelope | null,
  options: { lookUp: LookUp; host: string },
): Promise<Examined> {
  const message = await parseMessage(raw);
  if (!envelope) return { message, authentication: null };
  // Loaded with the first message: not every process receives mail.
  const { authenticate } = await import('./authentication.ts');
  return { message, authentication: await authenticate(raw, envelope, options) };
}
