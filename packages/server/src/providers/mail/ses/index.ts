// Sends raw messages through Amazon SES (API version 2), and reads the events that SES publishes.
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
  /** Without a topic no events are accepted. */
  topic_arns: string[];
  /** The S3 endpoint of inbound mail, if it is not that of the region. */
  s3_endpoint: string | null;
  endpoint: string | null;
  clock: Clock;
  timeout_ms: number;
  /** Reads certificates and confirms subscriptions; tests replace it. */
  fetchText?: FetchText;
};

export function sesTransport(settings: SesSettings): MailTransport {
  const url = new URL(
    `${settings.endpoint ?? `https://email.${settings.region}.amazonaws.com`}/v2/email/outbound-emails`,
  );
  const signer = sigv4({ ...settings, service: 'ses' });
  const bucket_signer = sigv4({ ...settings, service: 's3' });
  const fetchObject = (bucket: string, key: string) => readObject(settings, bucket_signer, bucket, key);
  return {
    name: 'ses',
    capabilities: { rewrites: ['date', 'message-id'], simulated: false },
    async send(mail, signal): Promise<SendOutcome> {
      const hand_over = { is_begun: false };
      try {
        return outcomeOf(await post(settings, signer, url, mail, signal, hand_over), settings.region);
      } catch (error) {
        return failure(error as Error & { code?: string }, signal, hand_over.is_begun);
      }
    },
    ...(settings.topic_arns.length > 0
      ? { intake: sesNotices({ ...settings, fetchText: settings.fetchText ?? fetchText, fetchObject }) }
      : {}),
    async check(signal) {
      const account = new URL('/v2/email/account', url);
      const headers = signer.headers('GET', account, { now: settings.clock.now(), body: '' });
      const response = await request(account, { headers, signal });
      await response.body.dump();
      if (response.statusCode !== 200) throw new Error(`Amazon SES replied ${response.statusCode}`);
    },
    close: async () => {},
  };
}

type Signer = ReturnType<typeof sigv4>;
type Response = { status: number; headers: Record<string, unknown>; text: string };

async function post(
  settings: SesSettings,
  signer: Signer,
  url: URL,
  mail: OutgoingMail,
  signal: AbortSignal,
  hand_over: { is_begun: boolean },
): Promise<Response> {
  const content = messageOf(mail).content();
  const raw = Buffer.isBuffer(content) ? content : await buffer(content);
  const body = sendEmailBody(mail, raw, settings);
  const headers = signer.headers('POST', url, {
    now: settings.clock.now(),
    body,
    headers: { 'content-type': 'application/json' },
  });
  hand_over.is_begun = true;
  const response = await request(url, {
    method: 'POST',
    headers,
    body,
    signal,
    headersTimeout: settings.timeout_ms,
    bodyTimeout: settings.timeout_ms,
  });
  return {
    status: response.statusCode,
    headers: response.headers,
    text: (await response.body.text()).slice(0, 20_000),
  };
}

function outcomeOf({ status, headers, text }: Response, region: string): SendOutcome {
  const body = readJsonObject(text);
  if (status === 200 && typeof body.MessageId === 'string') {
    // SES writes its own Message-ID, and replies will refer to that one.
    const domain = region === 'us-east-1' ? 'email.amazonses.com' : `${region}.amazonses.com`;
    return {
      accepted: true,
      provider_message_id: body.MessageId,
      message_id: `<${body.MessageId}@${domain}>`,
      reports: [],
    };
  }
  const error = String(headers['x-amzn-errortype'] ?? body.__type ?? status).split(':')[0];
  return {
    accepted: false,
    reason: 'provider_error',
    retryable: status === 429 || status >= 500,
    // Accepted, but the response cannot be read.
    ...(status === 200 ? { may_be_taken: true } : {}),
    detail: { response: `${error}: ${body.message ?? body.Message ?? 'no message'}`, status },
  };
}

function failure(error: Error & { code?: string }, signal: AbortSignal, is_begun: boolean): SendOutcome {
  const { code = '', message } = error;
  const is_timeout = signal.aborted || /TIMEOUT/.test(code);
  return {
    accepted: false,
    reason: is_timeout ? 'timeout' : 'connection_failed',
    retryable: true,
    ...(is_begun && !never_connected.has(code) ? { may_be_taken: true } : {}),
    detail: { response: message || code || 'No connection' },
  };
}

async function readObject(
  settings: SesSettings,
  signer: Signer,
  bucket: string,
  key: string,
): Promise<Buffer> {
  const base = settings.s3_endpoint ?? `https://s3.${settings.region}.amazonaws.com`;
  const object = new URL(`${base}/${[bucket, ...key.split('/')].map(encodeURIComponent).join('/')}`);
  const response = await request(object, {
    headers: signer.headers('GET', object, { now: settings.clock.now(), body: '' }),
    headersTimeout: settings.timeout_ms,
    bodyTimeout: settings.timeout_ms,
  });
  if (response.statusCode !== 200) {
    await response.body.dump();
    throw new Error(`The bucket of inbound mail returned ${response.statusCode}`);
  }
  return buffer(limited(response.body, received_max_bytes));
}

/** Errors without a connection: SES cannot have accepted the message. */
const never_connected = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** SES accepts messages of 40 MB at most. */
const received_max_bytes = 64 * 1024 * 1024;
/** Certificates and confirmations have a few thousand characters. */
const text_max_bytes = 256 * 1024;

async function* limited(content: AsyncIterable<Buffer>, max_bytes: number) {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > max_bytes) throw new Error('The response of Amazon is too large');
    yield chunk;
  }
}

/** The fields of SendEmailRequest that we use. Bcc recipients are only in the destination. */
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
  const response = await request(address, { headersTimeout: 10_000, bodyTimeout: 10_000 });
  const text = (await buffer(limited(response.body, text_max_bytes))).toString();
  if (response.statusCode !== 200)
    throw new Error(`${response.statusCode} from ${new URL(address).hostname}`);
  return text;
};

function readJsonObject(text: string): Record<string, unknown> {
  try {
    return (JSON.parse(text) as Record<string, unknown>) ?? {};
  } catch {
    return {};
  }
}
