// A stand-in for Amazon SNS: signs notifications with a test key and serves its certificate.
import { createSign, generateKeyPairSync } from 'node:crypto';

export function snsStandIn(topic_arn: string) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const fetched: string[] = [];
  let count = 0;
  return {
    /** Every URL that was requested. */
    fetched,
    fetchText: async (url: string) => {
      fetched.push(url);
      return publicKey.export({ type: 'spki', format: 'pem' }).toString();
    },
    notification(message: object | string, change: Record<string, unknown> = {}) {
      const signed: Record<string, unknown> = {
        Type: 'Notification',
        MessageId: `n-${++count}`,
        TopicArn: topic_arn,
        Message: typeof message === 'string' ? message : JSON.stringify(message),
        Timestamp: '2026-11-15T10:00:00.000Z',
        ...change,
      };
      const names =
        signed.Type === 'Notification'
          ? ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
          : ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
      const signed_text = names
        .filter((name) => name in signed)
        .map((name) => `${name}\n${signed[name]}\n`)
        .join('');
      return {
        ...signed,
        SignatureVersion: '2',
        SigningCertURL: 'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem',
        Signature: createSign('RSA-SHA256').update(signed_text).sign(privateKey, 'base64'),
      };
    },
  };
}
