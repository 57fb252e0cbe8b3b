// Parses a message and verifies its sender: all CPU work of receiving. Runs in a thread.
import type { DnsLookup } from '../../../../protocols/mail/dns-lookup.ts';
import { type ParsedMessage, parseMessage } from '../../../../protocols/mail/mime/parse-message.ts';
import { type Authentication, type Envelope, unverified } from './authentication.ts';

export type ExaminedMessage = { message: ParsedMessage; authentication: Authentication | null };

/** Less than the time after which SMTP clients close the connection. */
const verify_timeout_ms = 30_000;

/** Without an envelope the sender is not verified: a provider verified it, or it is a sandbox message. */
export async function examine(
  raw: Buffer,
  envelope: Envelope | null,
  options: { lookUp: DnsLookup; host: string; verify: boolean },
): Promise<ExaminedMessage> {
  const message = parseMessage(raw);
  if (!envelope) return { message, authentication: null };
  if (!options.verify) return { message, authentication: unverified(options.host) };
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Authentication>((resolve) => {
    timer = setTimeout(() => resolve(unverified(options.host)), verify_timeout_ms);
  });
  const authentication = await Promise.race([verifySender(raw, message, envelope, options), timeout]);
  clearTimeout(timer);
  return { message, authentication };
}

async function verifySender(
  raw: Buffer,
  { body_start }: ParsedMessage,
  envelope: Envelope,
  options: { lookUp: DnsLookup; host: string },
): Promise<Authentication> {
  // Loaded on first use: mail from providers does not need it.
  const [{ verifySignatures }, { authenticate }] = await Promise.all([
    import('../../../../protocols/mail/dkim/signatures.ts'),
    import('./authentication.ts'),
  ]);
  const signatures = await verifySignatures(raw, body_start, envelope.mail_from, options.lookUp);
  return authenticate(signatures, envelope, options);
}
