// The types of one incoming message: what every source (SMTP, a provider, the sandbox) passes to `acceptMessage`.
import type { DmarcPolicy } from '@parley/contract/channels/emails/email-records';
import type { Receiver } from '../../email-domains/index.ts';
import type { Verdict } from './examination/authentication.ts';

export type Verdicts = Record<'spam' | 'virus' | 'spf' | 'dkim' | 'dmarc', Verdict>;

/** One of our addresses and the organization and domain that it belongs to. */
export type Recipient = { address: string; receiver: Receiver };

export type Delivery = {
  raw: Buffer;
  /** Empty for bounces. */
  mail_from: string;
  /** The SMTP client that sent the message. Null if it came from a provider or the sandbox: then SPF and DKIM are not checked. */
  peer: { remote_address: string; helo: string } | null;
  recipients: Recipient[];
  /** Recipients that are return paths: they receive delivery reports only. */
  report_paths: string[];
  /** The source of the message, such as `smtp` or `sandbox`. */
  provider: string;
  provider_message_id: string | null;
  /** Verdicts of a provider that checked the message before. */
  verdicts: { [Kind in keyof Verdicts]?: Verdict | undefined } | null;
  /** What the domain of the sender asks for if DMARC fails, as a provider found it. */
  dmarc_policy?: DmarcPolicy | null | undefined;
};
