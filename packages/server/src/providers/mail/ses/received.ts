// Turns the notice of a message that SES received into our words: envelope, verdicts, and where the message is.
import type { ReceivedMail, ReceivedVerdict } from '../transport.ts';

type Judged = { status?: string };
export type SesReceived = {
  notificationType?: string;
  mail?: { messageId?: string; source?: string; destination?: string[] };
  receipt?: {
    recipients?: string[];
    spamVerdict?: Judged;
    virusVerdict?: Judged;
    spfVerdict?: Judged;
    dkimVerdict?: Judged;
    dmarcVerdict?: Judged;
    action?: { type?: string; bucketName?: string; objectKey?: string; encoding?: string };
  };
  /** The message itself, where the rule sends it along. */
  content?: string;
};

const words = new Set(['PASS', 'FAIL', 'GRAY', 'PROCESSING_FAILED', 'DISABLED']);
const verdict = (judged?: Judged): ReceivedVerdict =>
  words.has(judged?.status ?? '') ? (judged!.status as ReceivedVerdict) : 'DISABLED';

/** Null for every other kind of notice. */
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
    async fetch() {
      if (bucketName && objectKey) return fetchObject(bucketName, objectKey);
      if (content === undefined) throw new Error('The notice says neither the message nor where it is');
      return Buffer.from(content, action.encoding === 'BASE64' ? 'base64' : 'utf8');
    },
  };
}
