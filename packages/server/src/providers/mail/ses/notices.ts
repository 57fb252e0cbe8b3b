// Reads the notices that SNS posts; accepted only for our topics and with a valid signature of Amazon.
import { createVerify } from 'node:crypto';
import type { IntakeResult, MailIntake } from '../transport.ts';
import { type SesReceived, translateReceived } from './received.ts';
import { type SesEvent, translateEvent } from './translate.ts';

export type FetchText = (url: string) => Promise<string>;

type Notice = Record<string, unknown> & { Type?: string };

/** The signed fields in their order; each name and each value is a line. */
const signed_fields: Record<string, string[]> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: [
    'Message',
    'MessageId',
    'SubscribeURL',
    'Timestamp',
    'Token',
    'TopicArn',
    'Type',
  ],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
};
const algorithms: Record<string, string> = { '1': 'RSA-SHA1', '2': 'RSA-SHA256' };

/**
 * Anyone can host a certificate, but only Amazon can host one at the SNS host of the topic's region. A pattern for any region
 * would also match a bucket with the name sns, which has the host sns.s3.amazonaws.com.
 */
function isAmazon(text: unknown, topic_arn: string): text is string {
  const [, partition, region] = /^arn:(aws[a-z-]*):sns:([a-z0-9-]+):/.exec(topic_arn) ?? [];
  if (typeof text !== 'string' || !URL.canParse(text) || region === undefined) return false;
  const { protocol, hostname, username, port } = new URL(text);
  const host = `sns.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`;
  return protocol === 'https:' && username === '' && port === '' && hostname === host;
}

export function sesNotices(deps: {
  topic_arns: string[];
  fetchText: FetchText;
  /** Reads a message from the bucket in which SES stored it. */
  fetchObject(bucket: string, key: string): Promise<Buffer>;
}): MailIntake {
  const certificates = new Map<string, Promise<string>>();
  const certificate = (url: string) => {
    let text = certificates.get(url);
    if (!text) {
      text = deps.fetchText(url);
      certificates.set(url, text);
      text.catch(() => certificates.delete(url));
      if (certificates.size > 20) certificates.delete(certificates.keys().next().value!);
    }
    return text;
  };

  const isSigned = async (notice: Notice): Promise<boolean> => {
    const fields = signed_fields[notice.Type ?? ''];
    const algorithm = algorithms[String(notice.SignatureVersion)];
    const { SigningCertURL, Signature } = notice;
    if (!fields || !algorithm || typeof Signature !== 'string') return false;
    if (!isAmazon(SigningCertURL, String(notice.TopicArn))) return false;
    if (!new URL(SigningCertURL).pathname.endsWith('.pem')) return false;
    const text = fields
      .filter((name) => notice[name] !== undefined && notice[name] !== null)
      .map((name) => `${name}\n${notice[name]}\n`)
      .join('');
    return createVerify(algorithm)
      .update(text)
      .verify(await certificate(SigningCertURL), Signature, 'base64');
  };

  const no = (reason: string): IntakeResult => ({ ok: false, reason });

  return {
    path: '/intake/mail/ses',
    async receive({ body }) {
      const notice = readJson(body) as Notice | null;
      if (!notice) return no('not readable');
      if (!deps.topic_arns.includes(String(notice.TopicArn))) return no('another topic');
      if (!(await isSigned(notice))) return no('signature');
      if (notice.Type === 'SubscriptionConfirmation') {
        if (!isAmazon(notice.SubscribeURL, String(notice.TopicArn))) return no('subscribe address');
        await deps.fetchText(notice.SubscribeURL);
        return { ok: true, reports: [] };
      }
      const event = readJson(String(notice.Message)) as (SesEvent & SesReceived) | null;
      const received = event && translateReceived(event, deps.fetchObject);
      if (received) return { ok: true, reports: [], received };
      const report = event && translateEvent(event, String(notice.MessageId));
      return { ok: true, reports: report ? [report] : [] };
    },
  };
}

function readJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
