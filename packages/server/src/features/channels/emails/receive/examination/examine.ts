// Parses a message and verifies its sender: all CPU work of receiving. Runs in a thread.
import type { DnsLookup } from '../../../../../protocols/mail/dns-lookup.ts';
import { type ParsedMessage, parseMessage } from '../../../../../protocols/mail/mime/parse-message.ts';
import type { Authentication, Envelope } from './authentication.ts';

export type ExaminedMessage = { message: ParsedMessage; authentication: Authentication | null };

/** With the time for the policy of the domain, this is less than the time after which SMTP clients close the connection. */
const signatures_timeout_ms = 20_000;

/**
 * Without an envelope the sender is not verified: a provider verified it, or it is a sandbox message. `verify` is false for a
 * message whose signatures took too much time before.
 */
export async function examine(
  raw: Buffer,
  envelope: Envelope | null,
  options: { lookUp: DnsLookup; host: string; verify: boolean },
): Promise<ExaminedMessage> {
  const message = parseMessage(raw);
  if (!envelope) return { message, authentication: null };
  return { message, authentication: await verifySender(raw, message, envelope, options) };
}

async function verifySender(
  raw: Buffer,
  { body_start, from_address, has_one_author }: ParsedMessage,
  envelope: Envelope,
  options: { lookUp: DnsLookup; host: string; verify: boolean },
): Promise<Authentication> {
  // Loaded on first use: mail from providers does not need it.
  const [{ failedSignatures, verifySignatures }, { authenticate, withinTime }] = await Promise.all([
    import('../../../../../protocols/mail/dkim/signatures.ts'),
    import('./authentication.ts'),
  ]);
  const too_long = failedSignatures('verifying takes too long');
  const signatures = options.verify
    ? verifySignatures(raw, body_start, envelope.mail_from, options.lookUp)
    : Promise.resolve(too_long);
  const author = { address: from_address ?? envelope.mail_from, has_one_author };
  return authenticate(withinTime(signatures_timeout_ms, signatures, too_long), author, envelope, options);
}
