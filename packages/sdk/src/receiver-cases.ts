// The requests that a webhook receiver is checked with, and how it should answer each of them.
import { signWebhook } from './webhook-signature.ts';

export type ReceiverRequest = { headers: Record<string, string>; body: string };

export type ReceiverAnswer = {
  /** Null: there was no response. */
  status: number | null;
  duration_ms: number;
  /** Why there was no response, such as ECONNREFUSED. */
  problem: string | null;
  /** The receiver said with `X-Parley-Duplicate: 1` that it had seen the delivery before. */
  is_duplicate: boolean;
};

export type ReceiverCase = {
  name: string;
  /** The weights add up to 100. */
  weight: number;
  expected: string;
  /** Requests of one step are sent at the same time, the steps one after the other. */
  steps(secret: string): Promise<ReceiverRequest[][]>;
  passes(answers: readonly ReceiverAnswer[]): boolean;
  advice: string;
};

/** Parley waits longer, but a receiver that needs more than this loses deliveries under load. */
export const time_limit_ms = 5000;

const stale_seconds = 600;
const large_bytes = 256 * 1024;
const parallel_requests = 20;

const accepted = ({ status }: ReceiverAnswer) => status !== null && status >= 200 && status < 300;
const refused = ({ status }: ReceiverAnswer) => status !== null && status >= 400 && status < 500;
const inTime = ({ duration_ms }: ReceiverAnswer) => duration_ms < time_limit_ms;

const newEvent = (type = 'call.completed', more: Record<string, unknown> = {}) => ({
  id: crypto.randomUUID(),
  type,
  created_at: new Date().toISOString(),
  data: { id: crypto.randomUUID(), certification: true, ...more },
});

type SignOptions = { event?: { type: string }; delivery_id?: string; age_seconds?: number };

async function signed(
  secret: string,
  { event = newEvent(), delivery_id = crypto.randomUUID(), age_seconds = 0 }: SignOptions = {},
): Promise<ReceiverRequest> {
  const body = JSON.stringify(event);
  const now = new Date(Date.now() - age_seconds * 1000);
  const headers = await signWebhook(body, secret, { now, delivery_id });
  return {
    body,
    headers: {
      ...headers,
      'x-service-event': event.type,
      'x-service-subscription': '00000000-0000-0000-0000-000000000000',
    },
  };
}

const newSecret = () => `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;

const without = (request: ReceiverRequest, leave_out: (name: string) => boolean): ReceiverRequest => ({
  body: request.body,
  headers: Object.fromEntries(Object.entries(request.headers).filter(([name]) => !leave_out(name))),
});

const isStandardHeader = (name: string) => name.startsWith('webhook-');
const isOwnSignature = (name: string) => name === 'x-service-signature';

/** As on the day after the secret was rotated: signatures of the other and of the known secret. */
async function withTwoSignatures(secret: string): Promise<ReceiverRequest> {
  const event = newEvent();
  const delivery_id = crypto.randomUUID();
  const other = await signed(newSecret(), { event, delivery_id });
  const own_signature = await signed(secret, { event, delivery_id });
  const timestamp = own_signature.headers['webhook-timestamp'];
  const hex = (request: ReceiverRequest) => request.headers['x-service-signature']!.replace(/^.*v1=/, '');
  return {
    body: own_signature.body,
    headers: {
      ...own_signature.headers,
      'x-service-signature': `t=${timestamp},v1=${hex(other)},v1=${hex(own_signature)}`,
      'webhook-signature': `${other.headers['webhook-signature']} ${own_signature.headers['webhook-signature']}`,
    },
  };
}

async function withChangedBody(secret: string): Promise<ReceiverRequest> {
  const request = await signed(secret);
  return { ...request, body: request.body.replace('"certification":true', '"certification":false') };
}

export const receiver_cases: readonly ReceiverCase[] = [
  {
    name: 'valid',
    weight: 15,
    expected: 'A status of 2xx within 5 seconds.',
    steps: async (secret) => [[await signed(secret)]],
    passes: (answers) => answers.every(accepted) && answers.every(inTime),
    advice: 'Respond with 2xx before the work is done, for example by storing the event in a queue.',
  },
  {
    name: 'tampered_body',
    weight: 15,
    expected: 'A status of 4xx for a body that was changed after it was signed.',
    steps: async (secret) => [[await withChangedBody(secret)]],
    passes: (answers) => answers.every(refused),
    advice:
      'Compute the HMAC over the raw bytes of the body, compare it, and respond with 401 if it differs.',
  },
  {
    name: 'wrong_secret',
    weight: 10,
    expected: 'A status of 4xx for a signature that was made with another secret.',
    steps: async () => [[await signed(newSecret())]],
    passes: (answers) => answers.every(refused),
    advice: 'Compare the signature with the one that your secret gives, and respond with 401 if it differs.',
  },
  {
    name: 'no_signature',
    weight: 5,
    expected: 'A status of 4xx for a request without a signature.',
    steps: async (secret) => [
      [without(await signed(secret), (name) => isOwnSignature(name) || isStandardHeader(name))],
    ],
    passes: (answers) => answers.every(refused),
    advice: 'Refuse requests that have no signature. Do not treat a missing header as a test.',
  },
  {
    name: 'stale',
    weight: 10,
    expected: 'A status of 4xx for a correct signature that is 10 minutes old.',
    steps: async (secret) => [[await signed(secret, { age_seconds: stale_seconds })]],
    passes: (answers) => answers.every(refused),
    advice:
      'Refuse a timestamp that differs from the clock by more than 5 minutes: a copied request could be repeated.',
  },
  {
    name: 'rotated_secret',
    weight: 10,
    expected: 'A status of 2xx when the second of two signatures is correct.',
    steps: async (secret) => [[await withTwoSignatures(secret)]],
    passes: (answers) => answers.every(accepted),
    advice:
      'Accept the request if any of its v1 signatures is correct. For a day after a rotation there are two.',
  },
  {
    name: 'duplicate',
    weight: 5,
    expected: 'A status of 2xx for both of two equal deliveries, and X-Parley-Duplicate: 1 for one of them.',
    async steps(secret) {
      const request = await signed(secret);
      return [[request, request]];
    },
    passes: (answers) => answers.every(accepted) && answers.some(({ is_duplicate }) => is_duplicate),
    advice:
      'Store the id of each delivery (webhook-id) under a unique index. If it is there, respond with 200 and X-Parley-Duplicate: 1.',
  },
  {
    name: 'reordered',
    weight: 5,
    expected: 'A status of 2xx for call.answered after call.completed.',
    async steps(secret) {
      const id = crypto.randomUUID();
      const [answered, completed] = ['call.answered', 'call.completed'].map((type) => newEvent(type, { id }));
      return [[await signed(secret, { event: completed! })], [await signed(secret, { event: answered! })]];
    },
    passes: (answers) => answers.every(accepted),
    advice: 'Do not expect events in order: order them by created_at, or read the record from the API.',
  },
  {
    name: 'unknown_type',
    weight: 10,
    expected: 'A status of 2xx for an event type and for fields that are not known.',
    steps: async (secret) => [
      [await signed(secret, { event: newEvent('certification.unknown_type') })],
      [await signed(secret, { event: newEvent('call.completed', { a_field_of_tomorrow: { nested: [1] } }) })],
    ],
    passes: (answers) => answers.every(accepted),
    advice:
      'Ignore types and fields that you do not know, and respond with 2xx: new ones are added over time.',
  },
  {
    name: 'large_body',
    weight: 5,
    expected: 'A status of 2xx for 256 KiB, and for text that is not ASCII.',
    steps: async (secret) => [
      [await signed(secret, { event: newEvent('email.received', { body_text: 'x'.repeat(large_bytes) }) })],
      [await signed(secret, { event: newEvent('sms.received', { body: 'Grüße, 你好, 👋\u2028' }) })],
    ],
    passes: (answers) => answers.every(accepted),
    advice:
      'Raise the limit for bodies to at least 1 MiB, and compute the HMAC over bytes, not over decoded text.',
  },
  {
    name: 'parallel',
    weight: 5,
    expected: 'A status of 2xx within 5 seconds for 95 % of 20 requests at the same time.',
    steps: async (secret) => [
      await Promise.all(Array.from({ length: parallel_requests }, () => signed(secret))),
    ],
    passes: (answers) =>
      answers.every(accepted) && answers.filter(inTime).length >= Math.ceil(answers.length * 0.95),
    advice: 'Do the work after the response. Deliveries arrive in parallel.',
  },
  {
    name: 'one_signature_scheme',
    weight: 5,
    expected: 'A status of 2xx for one of: only the headers of Standard Webhooks, only X-Service-Signature.',
    async steps(secret) {
      const request = await signed(secret);
      const other = await signed(secret);
      return [[without(request, isOwnSignature)], [without(other, isStandardHeader)]];
    },
    passes: (answers) => answers.some(accepted),
    advice: 'Verify one of the two schemes on its own; do not demand the headers of both.',
  },
];
