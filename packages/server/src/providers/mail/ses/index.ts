// Hands mail to Amazon SES (API version 2) as raw messages, and reads the events it publishes.
import { buffer } from 'node:stream/consumers';
import { request } from 'undici';
import type { Clock } from '../../../platform/clock.ts';
import { sigv4 } from '../../../protocols/sigv4.ts';
import { type MailTransport, messageOf, type OutgoingMail, type SendOutcome } from '../transport.ts';
import { type FetchText, sesNotices } from './notices.ts';
import { email_id_tag } from './translate.ts';

export type SesSettings = {
  region: string;
  access_key_id: string;
  secret_access_key: string;
  configuration_set: string | null;
  /** Without a topic no events are taken. */
  topic_arns: string[];
  /** Where inbound mail is stored, when not at the region's own address. */
  s3_endpoint: string | null;
  endpoint: string | null;
  clock: Clock;
  timeout_ms: number;
  /** Gets certificates and confirms subscriptions; another one for tests. */
  fetchText?: FetchText;
};

export function sesTransport(settings: SesSettings): MailTransport {
  const signer = sigv4({ ...settings, service: 'ses' });
  const url = new URL(
    `${settings.endpoint ?? `https://email.${settings.region}.amazonaws.com`}/v2/email/outbound-emails`,
  );
  // SES writes its own Message-ID; replies will name that one.
  const domain = settings.region === 'us-east-1' ? 'email.amazonses.com' : `${settings.region}.amazonses.com`;

  const post = async (mail: OutgoingMail, signal: AbortSignal, handed: { is_begun: boolean }) => {
    const content = messageOf(mail).content();
    const raw = Buffer.isBuffer(content) ? content : await buffer(content);
    const body = sendEmailBody(mail, raw, settings);
    const headers = signer.headers('POST', url, {
      now: settings.clock.now(),
      body,
      headers: { 'content-type': 'application/json' },
    });
    handed.is_begun = true;
    const answer = await request(url, {
      method: 'POST',
      headers,
      body,
      signal,
      headersTimeout: settings.timeout_ms,
      bodyTimeout: settings.timeout_ms,
    });
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: (await answer.body.text()).slice(0, 20_000),
    };
  };

  const bucket_signer = sigv4({ ...settings, service: 's3' });
  const fetchObject = async (bucket: string, key: string): Promise<Buffer> => {
    const base = settings.s3_endpoint ?? `https://s3.${settings.region}.amazonaws.com`;
    const object = new URL(`${base}/${[bucket, ...key.split('/')].map(encodeURIComponent).join('/')}`);
    const answer = await request(object, {
      headers: bucket_signer.headers('GET', object, { now: settings.clock.now(), body: '' }),
      headersTimeout: settings.timeout_ms,
      bodyTimeout: settings.timeout_ms,
    });
    if (answer.statusCode !== 200) {
      await answer.body.dump();
      throw new Error(`The bucket of inbound mail answered ${answer.statusCode}`);
    }
    return buffer(limited(answer.body, received_max_bytes));
  };

  return {
    name: 'ses',
    capabilities: { rewrites: ['date', 'message-id'], simulated: false },
    async send(mail, signal): Promise<SendOutcome> {
      const handed = { is_begun: false };
      let answer: Awaited<ReturnType<typeof post>>;
      try {
        answer = await post(mail, signal, handed);
      } catch (error) {
        const { code, message } = error as { code?: string; message: string };
        const late = signal.aborted || /TIMEOUT/.test(code ?? '');
        return {
          accepted: false,
          reason: late ? 'timeout' : 'connection_failed',
          retryable: true,
          ...(handed.is_begun && !never_connected.has(code ?? '') ? { may_be_taken: true } : {}),
          detail: { response: message || code || 'No connection' },
        };
      }
      const said = readAnswer(answer.text);
      if (answer.status === 200 && typeof said.MessageId === 'string') {
        return {
          accepted: true,
          provider_message_id: said.MessageId,
          message_id: `<${said.MessageId}@${domain}>`,
          reports: [],
        };
      }
      const error = String(answer.headers['x-amzn-errortype'] ?? said.__type ?? answer.status).split(':')[0];
      return {
        accepted: false,
        reason: 'provider_error',
        retryable: answer.status === 429 || answer.status >= 500,
        // Taken, in an answer that cannot be read.
        ...(answer.status === 200 ? { may_be_taken: true } : {}),
        detail: {
          response: `${error}: ${said.message ?? said.Message ?? 'no words'}`,
          status: answer.status,
        },
      };
    },
    ...(settings.topic_arns.length > 0
      ? { intake: sesNotices({ ...settings, fetchText: settings.fetchText ?? fetchText, fetchObject }) }
      : {}),
    close: async () => {},
  };
}

/** Errors of a connection that was never made: nothing can have been taken. */
const never_connected = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** SES takes messages of 40 MB at most; whatever is longer is not one. */
const received_max_bytes = 64 * 1024 * 1024;
/** Certificates and confirmations are a few thousand letters. */
const text_max_bytes = 256 * 1024;

async function* limited(content: AsyncIterable<Buffer>, max_bytes: number) {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > max_bytes) throw new Error('Amazon answered with more than can be meant');
    yield chunk;
  }
}

/** The members of SendEmailRequest that we use; blind copies stand in the destination only. */
export function sendEmailBody(
  mail: OutgoingMail,
  raw: Buffer,
  settings: { configuration_set: string | null },
): string {
  return JSON.stringify({
    Destination: { ToAddresses: mail.envelope.to },
    Content: { Raw: { Data: raw.toString('base64') } },
    EmailTags: [{ Name: email_id_tag, Value: mail.email_id }],
    ...(settings.configuration_set ? { ConfigurationSetName: settings.configuration_set } : {}),
  });
}

const fetchText: FetchText = async (address) => {
  const answer = await request(address, { headersTimeout: 10_000, bodyTimeout: 10_000 });
  const text = (await buffer(limited(answer.body, text_max_bytes))).toString();
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} from ${new URL(address).hostname}`);
  return text;
};

function readAnswer(text: string): Record<string, unknown> {
  try {
    return (JSON.parse(text) as Record<string, unknown>) ?? {};
  } catch {
    return {};
  }
}
