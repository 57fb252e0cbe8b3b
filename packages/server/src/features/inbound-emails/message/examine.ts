// Reads a message and verifies its signatures: the part of receiving that computes, here or in a thread of its own.
import type { LookUp } from '../../../platform/dns.ts';
import { type ParsedMessage, parseMessage } from './parse-message.ts';
import { type Signatures, verifySignatures } from './signatures.ts';

export type Examined = { message: ParsedMessage; signatures: Signatures | null };

/** Without a sender nothing is verified: somebody else did, or nobody can. */
export async function examine(raw: Buffer, mail_from: string | null, lookUp: LookUp): Promise<Examined> {
  const message = parseMessage(raw);
  if (mail_from === null) return { message, signatures: null };
  return { message, signatures: await verifySignatures(raw, message.body_start, mail_from, lookUp) };
}
