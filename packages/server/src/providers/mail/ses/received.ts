// Translates the notice of a message that SES received: envelope, verdicts and the location of the message.
import type { ReceivedMail, ReceivedVerdict } from '../transport.ts';

type Verdict = { status?: string };
export type SesReceived = {
  notificationType?: string;
  mail?: { messageId?: string; source?: string; destination?: string[] };
  receipt?: {
    recipients?: string[];
    spamVerdict?: Verdict;
    virusVerdict?: Verdict;
    spfVerdict?: Verdict;
    dkimVerdict?: Verdict;
    dmarcVerdict?: Verdict;
    /** Only if DMARC failed. */
    dmarcPolicy?: string;
    action?: { type?: string; bucketName?: string; objectKey?: string; encoding?: string };
  };
  /** The message itself, if the SES rule includes it. */
  content?: string;
};

const known_verdicts = new Set(['PASS', 'FAIL', 'GRAY', 'PROCESSING_FAILED', 'DISABLED']);
const verdict = (value?: Verdict): ReceivedVerdict =>
  known_verdicts.has(value?.status ?? '') ? (value!.status as ReceivedVerdict) : 'DISABLED';

const policies = ['none', 'quarantine', 'reject'] as const;

/** Null for other kinds of notices. */
export function translateReceived(
  event: SesReceived,
  fetchObject: (bucket: string, key: string) => Promise<Buffer>,
): ReceivedMail | null {
  const { mail, receipt, content } = event;
  if (event.notificationType !== 'Received' || !mail?.messageId || !receipt) return null;
  const { action = {} } = receipt;
  const { bucketName, objectKey } = action;
  const source = mail.source ?? '';
  return {
    provider_message_id: mail.messageId,
    mail_from: /^<?>?$|^mailer-daemon@/i.test(source) ? '' : source,
    recipients: receipt.recipients ?? mail.destination ?? [],
    verdicts: {
      spam: verdict(receipt.spamVerdict),
      virus: verdict(receipt.virusVerdict),
      spf: verdict(receipt.spfVerdict),
      dkim: verdict(receipt.dkimVerdict),
      dmarc: verdict(receipt.dmarcVerdict),
    },
    dmarc_policy: policies.find((policy) => policy === receipt.dmarcPolicy?.toLowerCase()) ?? null,
    async fetch() {
      if (bucketName && objectKey) return fetchObject(bucketName, objectKey);
      if (content === undefined) throw new Error('The notice has neither the message nor its location');
      return Buffer.from(content, action.encoding === 'BASE64' ? 'base64' : 'utf8');
    },
  };
}
