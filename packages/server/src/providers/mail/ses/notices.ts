// Takes the notices that SNS posts: believed only when the topic is ours and Amazon's signature holds.
import { createVerify } from 'node:crypto';
import type { IntakeResult, MailIntake } from '../transport.ts';
import { type SesReceived, translateReceived } from './received.ts';
import { type SesEvent, translateEvent } from './translate.ts';

export type FetchText = (url: string) => Promise<string>;

type Notice = Record<string, unknown> & { Type?: string };

/** What is signed, in this order, each name and value on a line of its own. */
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
 * Anybody can host a certificate; only Amazon can host one at the address of the topic's own region. A pattern for any
 * region would do for buckets too: one that is called sns has the address sns.s3.amazonaws.com.
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
  /** Reads a stored message from the bucket that SES puts it into. */
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

  const isGenuine = async (notice: Notice): Promise<boolean> => {
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
      if (!(await isGenuine(notice))) return no('signature');
      if (notice.Type === 'SubscriptionConfirmation') {
        if (!isAmazon(notice.SubscribeURL, String(notice.TopicArn))) return no('subscribe address');
        await deps.fetchText(notice.SubscribeURL);
        return { ok: true, reports: [] };
      }
      const event = readJson(String(notice.Message)) as (SesEvent & SesReceived) | null;
      const received = event && translateReceived(event, deps.fetchObject);
      if (received) return { ok: true, reports: [], received };
      const told = event && translateEvent(event, String(notice.MessageId));
      return { ok: true, reports: told ? [told] : [] };
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
