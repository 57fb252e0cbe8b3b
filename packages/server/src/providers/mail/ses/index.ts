// Sends raw messages through Amazon SES (API version 2), and reads the events that SES publishes.
import { buffer } from 'node:stream/consumers';
import { request } from 'undici';
import {
  type AwsAccess,
  type AwsCredentialSource,
  credentialsOf,
} from '../../../platform/aws-credentials.ts';
import type { Clock } from '../../../platform/clock.ts';
import { isPassingStatus, Passing, retryAfterMs, withRetries } from '../../../platform/retries.ts';
import { sigv4 } from '../../../protocols/sigv4.ts';
import { type MailTransport, messageOf, type OutgoingMail, type SendOutcome } from '../transport.ts';
import { type FetchText, sesNotices } from './notices.ts';
import { email_id_tag } from './translate.ts';

export type SesSettings = {
  region: string;
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
  /** The longest first pause before a request is repeated. */
  retry_base_ms?: number;
} & AwsAccess;

export function sesTransport(settings: SesSettings): MailTransport {
  const url = new URL(
    `${settings.endpoint ?? `https://email.${settings.region}.amazonaws.com`}/v2/email/outbound-emails`,
  );
  const credentials = credentialsOf(settings);
  const { region } = settings;
  const signerOf = async (service: string) => sigv4({ ...(await credentials.current()), region, service });
  const client = { settings, credentials, signerOf };
  const fetchObject = (bucket: string, key: string) => readObject(client, bucket, key);
  return {
    name: 'ses',
    capabilities: { rewrites: ['date', 'message-id'], simulated: false },
    async send(mail, signal): Promise<SendOutcome> {
      const hand_over = { is_begun: false };
      try {
        return outcomeOf(await post(client, url, mail, signal, hand_over), region);
      } catch (error) {
        return failure(error as Error & { code?: string }, signal, hand_over.is_begun);
      }
    },
    ...(settings.topic_arns.length > 0
      ? { intake: sesNotices({ ...settings, fetchText: settings.fetchText ?? fetchText, fetchObject }) }
      : {}),
    async check(signal) {
      const account = new URL('/v2/email/account', url);
      const signer = await signerOf('ses');
      const headers = signer.headers('GET', account, { now: settings.clock.now(), body: '' });
      const response = await request(account, { headers, signal });
      await response.body.dump();
      if (response.statusCode !== 200) throw new Error(`Amazon SES replied ${response.statusCode}`);
    },
    close: async () => {},
  };
}

type Client = {
  settings: SesSettings;
  credentials: AwsCredentialSource;
  signerOf(service: string): Promise<ReturnType<typeof sigv4>>;
};
type Response = { status: number; headers: Record<string, unknown>; text: string };

/** Carries an answer out of the last try. */
class Refused extends Passing {
  readonly response: Response;
  constructor(response: Response) {
    super(
      `Amazon SES replied ${response.status}`,
      retryAfterMs(String(response.headers['retry-after'] ?? '')),
    );
    this.response = response;
  }
}

/**
 * Repeats what SES refused for the moment, and what never reached it. Not a lost connection: SES may have taken the message,
 * and a second try would send it twice.
 */
async function post(
  client: Client,
  url: URL,
  mail: OutgoingMail,
  signal: AbortSignal,
  hand_over: { is_begun: boolean },
): Promise<Response> {
  const content = messageOf(mail).content();
  const raw = Buffer.isBuffer(content) ? content : await buffer(content);
  const body = sendEmailBody(mail, raw, client.settings);
  try {
    return await withRetries(() => postOnce(client, url, body, signal, hand_over), {
      ...retriesOf(client.settings),
      signal,
      within_ms: client.settings.timeout_ms / 2,
      isPassing: (error) => error instanceof Refused || isNotConnected(error),
    });
  } catch (error) {
    if (error instanceof Refused) return error.response;
    throw error;
  }
}

const isNotConnected = (error: unknown): boolean =>
  never_connected.has((error as { code?: string }).code ?? '');

const retriesOf = ({ retry_base_ms }: SesSettings) =>
  retry_base_ms === undefined ? {} : { base_ms: retry_base_ms };

/** Temporary credentials that ended in between. */
const expired_error = /ExpiredToken|InvalidClientTokenId|UnrecognizedClient/;

async function postOnce(
  { settings, credentials, signerOf }: Client,
  url: URL,
  body: string,
  signal: AbortSignal,
  hand_over: { is_begun: boolean },
): Promise<Response> {
  const current = await credentials.current();
  const headers = (await signerOf('ses')).headers('POST', url, {
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
  const { statusCode: status } = response;
  const answer = { status, headers: response.headers, text: (await response.body.text()).slice(0, 20_000) };
  const is_expired =
    (status === 400 || status === 403) &&
    expired_error.test(`${answer.headers['x-amzn-errortype'] ?? ''} ${answer.text}`) &&
    credentials.forget(current);
  if (isPassingStatus(status) || is_expired) {
    hand_over.is_begun = false;
    throw new Refused(answer);
  }
  return answer;
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

/** Reading twice does no harm. */
const readObject = (client: Client, bucket: string, key: string): Promise<Buffer> =>
  withRetries(() => readObjectOnce(client, bucket, key), retriesOf(client.settings));

async function readObjectOnce({ settings, signerOf }: Client, bucket: string, key: string): Promise<Buffer> {
  const signer = await signerOf('s3');
  const base = settings.s3_endpoint ?? `https://s3.${settings.region}.amazonaws.com`;
  const object = new URL(`${base}/${[bucket, ...key.split('/')].map(encodeURIComponent).join('/')}`);
  const response = await request(object, {
    headers: signer.headers('GET', object, { now: settings.clock.now(), body: '' }),
    headersTimeout: settings.timeout_ms,
    bodyTimeout: settings.timeout_ms,
  });
  if (response.statusCode !== 200) {
    await response.body.dump();
    const problem = `The bucket of inbound mail returned ${response.statusCode}`;
    throw isPassingStatus(response.statusCode) ? new Passing(problem) : new Error(problem);
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
