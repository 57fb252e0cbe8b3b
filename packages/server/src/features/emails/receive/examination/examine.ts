// Reads a message and judges who sent it: everything about receiving that computes. Runs in a thread.
import type { DnsLookup } from '../../../../protocols/mail/dns-lookup.ts';
import { type ParsedMessage, parseMessage } from '../../../../protocols/mail/mime/parse-message.ts';
import { type Authentication, type Envelope, unverified } from './authentication.ts';

export type Examined = { message: ParsedMessage; authentication: Authentication | null };

/** Senders wait for the answer to their message, and close the connection in the end. */
const verify_ms = 30_000;

/** Without an envelope nothing is verified: a provider did, or nobody can. */
export async function examine(
  raw: Buffer,
  envelope: Envelope | null,
  options: { lookUp: DnsLookup; host: string; verify: boolean },
): Promise<Examined> {
  const message = parseMessage(raw);
  if (!envelope) return { message, authentication: null };
  if (!options.verify) return { message, authentication: unverified(options.host) };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Authentication>((resolve) => {
    timer = setTimeout(() => resolve(unverified(options.host)), verify_ms);
  });
  const authentication = await Promise.race([verified(raw, message, envelope, options), late]);
  clearTimeout(timer);
  return { message, authentication };
}

async function verified(
  raw: Buffer,
  { body_start }: ParsedMessage,
  envelope: Envelope,
  options: { lookUp: DnsLookup; host: string },
): Promise<Authentication> {
  // Loaded with the first message that needs it: mail from providers is verified already.
  const [{ verifySignatures }, { authenticate }] = await Promise.all([
    import('../../../../protocols/mail/dkim/signatures.ts'),
    import('./authentication.ts'),
  ]);
  const signatures = await verifySignatures(raw, body_start, envelope.mail_from, options.lookUp);
  return authenticate(signatures, envelope, options);
}
