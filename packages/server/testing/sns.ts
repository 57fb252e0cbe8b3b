// Signs notices as Amazon SNS does, with a key of the test that stands in for Amazon's.
import { createSign, generateKeyPairSync } from 'node:crypto';

export function snsStandIn(topic_arn: string) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const fetched: string[] = [];
  let notices = 0;
  return {
    /** Every address that was asked for. */
    fetched,
    fetchText: async (url: string) => {
      fetched.push(url);
      return publicKey.export({ type: 'spki', format: 'pem' }).toString();
    },
    notice(message: object | string, change: Record<string, unknown> = {}) {
      const signed: Record<string, unknown> = {
        Type: 'Notification',
        MessageId: `n-${++notices}`,
        TopicArn: topic_arn,
        Message: typeof message === 'string' ? message : JSON.stringify(message),
        Timestamp: '2026-11-15T10:00:00.000Z',
        ...change,
      };
      const names =
        signed.Type === 'Notification'
          ? ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
          : ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
      const words = names
        .filter((name) => name in signed)
        .map((name) => `${name}\n${signed[name]}\n`)
        .join('');
      return {
        ...signed,
        SignatureVersion: '2',
        SigningCertURL: 'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem',
        Signature: createSign('RSA-SHA256').update(words).sign(privateKey, 'base64'),
      };
    },
  };
}
