// A stand-in for Twilio: its 2010-04-01 API for numbers, messages and calls, with signed callbacks.
import { createHmac, randomBytes } from 'node:crypto';
import { type Reply, type SeenRequest, type StandIn, startStandIn } from './stand-in.ts';
import { twilioCalls } from './twilio-calls.ts';

export const twilio_account = `AC${'a1'.repeat(16)}`;
export const twilio_token = 'twilio-test-token';

type Json = Record<string, unknown>;
type Message = Json & {
  sid: string;
  to: string;
  from: string;
  body: string;
  status: string;
  callback: string | null;
};
type HeldNumber = Json & {
  sid: string;
  phone_number: string;
  friendly_name: string;
  sms_url: string;
  voice_url: string;
};

/** The data of the simulated account. */
type Account = {
  messages: Message[];
  numbers: HeldNumber[];
  opted_out: Set<string>;
  on_sale: Set<string>;
  /** The status of each call. */
  calls: Map<string, string>;
};

const authorization = `Basic ${Buffer.from(`${twilio_account}:${twilio_token}`).toString('base64')}`;
const now = () => new Date().toUTCString().replace('GMT', '+0000');
const sid = (prefix: string) => prefix + randomBytes(16).toString('hex');
const refusal = (code: number, message: string, status = 400): Reply => ({
  status,
  json: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
});

/** The value of the header X-Twilio-Signature. */
export function twilioSignature(token: string, url: string, form: Record<string, string>): string {
  const fields = Object.entries(form).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHmac('sha1', token)
    .update(url + fields.map(([name, value]) => name + value).join(''))
    .digest('base64');
}

type Phone = ReturnType<typeof twilioCalls>;

export type TwilioStandIn = StandIn &
  Account & {
    phone: Phone;
    /** Sends a status callback for a message; returns the HTTP status of the response. */
    report(message: Message, status: string, error_code?: string): Promise<number>;
    /** Simulates a text to a number of the account. */
    textIn(text: { from: string; to: string; body: string; message_sid?: string }): Promise<Response>;
  };

function sendMessage({ numbers, opted_out, messages }: Account, form: URLSearchParams): Reply {
  const [to, from, body] = [form.get('To') ?? '', form.get('From') ?? '', form.get('Body')];
  if (!/^\+\d{6,15}$/.test(to)) return refusal(21211, "The 'To' number is not a valid phone number.");
  if (body === null) return refusal(21602, 'Message body is required.');
  const isName = /[A-Za-z]/.test(from);
  if (!isName && !numbers.some((number) => number.phone_number === from)) {
    return refusal(
      21606,
      "The 'From' phone number provided is not a valid message-capable Twilio phone number.",
    );
  }
  if (opted_out.has(to)) return refusal(21610, 'Attempt to send to unsubscribed recipient');
  const message: Message = {
    sid: sid('SM'),
    account_sid: twilio_account,
    to,
    from,
    body,
    status: 'queued',
    direction: 'outbound-api',
    date_created: now(),
    date_updated: now(),
    date_sent: null,
    error_code: null,
    error_message: null,
    num_segments: '1',
    num_media: '0',
    callback: form.get('StatusCallback'),
  };
  messages.push(message);
  return { status: 201, json: message };
}

function buyNumber({ on_sale, numbers }: Account, form: URLSearchParams): Reply {
  const e164 = form.get('PhoneNumber') ?? '';
  if (!on_sale.delete(e164)) return refusal(21422, `${e164} is not available.`);
  const number: HeldNumber = {
    sid: sid('PN'),
    account_sid: twilio_account,
    phone_number: e164,
    friendly_name: form.get('FriendlyName') ?? e164,
    sms_url: form.get('SmsUrl') ?? '',
    voice_url: form.get('VoiceUrl') ?? '',
    capabilities: { voice: true, sms: true, mms: false, fax: false },
    address_requirements: 'none',
    date_created: now(),
  };
  numbers.push(number);
  return { status: 201, json: number };
}

function listMessages({ messages }: Account, query: URLSearchParams): Reply {
  const fits = (message: Message) =>
    (!query.has('To') || message.to === query.get('To')) &&
    (!query.has('From') || message.from === query.get('From'));
  return { status: 200, json: { messages: messages.filter(fits).reverse(), page: 0, page_size: 50 } };
}

function availableNumbers({ on_sale }: Account, path: string, query: URLSearchParams): Reply {
  const part = query.get('Contains');
  const found = [...on_sale].filter((e164) => part === null || e164.includes(part));
  const available_phone_numbers = found.map((phone_number) => ({
    phone_number,
    friendly_name: phone_number,
    iso_country: 'US',
    address_requirements: 'none',
    beta: false,
    capabilities: { voice: true, SMS: true, MMS: false },
  }));
  return { status: 200, json: { available_phone_numbers, uri: path } };
}

/** The routes of one bought number; null if the account does not have it. */
function numberRoute(
  { numbers, on_sale }: Account,
  method: string,
  id: string,
  form: URLSearchParams,
): Reply | null {
  const number = numbers.find((each) => each.sid === id);
  if (!number) return null;
  if (method === 'DELETE') {
    numbers.splice(numbers.indexOf(number), 1);
    on_sale.add(number.phone_number);
    return { status: 204 };
  }
  number.sms_url = form.get('SmsUrl') ?? number.sms_url;
  number.voice_url = form.get('VoiceUrl') ?? number.voice_url;
  return { status: 200, json: number };
}

function respond(account: Account, phone: Phone, { method, path, query, headers, body }: SeenRequest): Reply {
  if (headers.authorization !== authorization) return refusal(20003, 'Authenticate', 401);
  const form = new URLSearchParams(body);
  const root = `/2010-04-01/Accounts/${twilio_account}`;
  if (!path.startsWith(root)) return refusal(20404, 'The requested resource was not found', 404);
  const [, collection = '', id] = /^\/(\w+)(?:\/(\w+))?/.exec(path.slice(root.length)) ?? [];
  const missing = refusal(20404, `The requested resource ${path} was not found`, 404);
  switch (`${method} ${collection}${id ? '/' : ''}`) {
    case 'POST Messages':
      return sendMessage(account, form);
    case 'GET Messages':
      return listMessages(account, query);
    case 'GET Messages/': {
      const message = account.messages.find((each) => each.sid === id);
      return message ? { status: 200, json: message } : missing;
    }
    case 'GET AvailablePhoneNumbers/':
      return id === 'US' && path.endsWith('/Local.json') ? availableNumbers(account, path, query) : missing;
    case 'POST IncomingPhoneNumbers':
      return buyNumber(account, form);
    case 'GET IncomingPhoneNumbers': {
      const found = account.numbers.filter((number) => number.phone_number === query.get('PhoneNumber'));
      return { status: 200, json: { incoming_phone_numbers: found, page: 0 } };
    }
    case 'POST IncomingPhoneNumbers/':
    case 'DELETE IncomingPhoneNumbers/':
      return numberRoute(account, method, id!, form) ?? missing;
    case 'POST Calls':
      return phone.place(form);
    case 'GET Calls':
      return phone.list(query);
    case 'POST Calls/':
      return phone.change(id!, form) ?? missing;
    case 'GET Calls/': {
      const status = account.calls.get(id!);
      return status ? { status: 200, json: { sid: id, status } } : missing;
    }
    default:
      return missing;
  }
}

const callback = (url: string, form: Record<string, string>) =>
  fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': twilioSignature(twilio_token, url, form),
    },
    body: new URLSearchParams(form).toString(),
  });

export async function startTwilio(): Promise<TwilioStandIn> {
  const account: Account = {
    messages: [],
    numbers: [],
    opted_out: new Set(),
    on_sale: new Set(['+14155550101', '+14155550102', '+14155550103']),
    calls: new Map(),
  };
  const phone = twilioCalls({ account: twilio_account, statuses: account.calls, callback });
  const standIn = await startStandIn((request) => respond(account, phone, request));
  return {
    ...standIn,
    ...account,
    phone,
    async report(message, status, error_code) {
      message.status = status;
      message.error_code = error_code ? Number(error_code) : null;
      const response = await callback(message.callback!, {
        MessageSid: message.sid,
        SmsSid: message.sid,
        AccountSid: twilio_account,
        From: message.from,
        To: message.to,
        ApiVersion: '2010-04-01',
        MessageStatus: status,
        SmsStatus: status,
        ...(error_code && { ErrorCode: error_code }),
      });
      return response.status;
    },
    textIn({ from, to, body, message_sid = sid('SM') }) {
      const word = body.trim().toUpperCase();
      // Twilio itself stores who sent STOP to a number.
      if (word === 'STOP') account.opted_out.add(from);
      if (word === 'START') account.opted_out.delete(from);
      const number = account.numbers.find((each) => each.phone_number === to)!;
      return callback(number.sms_url, {
        MessageSid: message_sid,
        SmsMessageSid: message_sid,
        SmsSid: message_sid,
        AccountSid: twilio_account,
        From: from,
        To: to,
        Body: body,
        NumMedia: '0',
        NumSegments: '1',
        SmsStatus: 'received',
        FromCountry: 'US',
        ApiVersion: '2010-04-01',
      });
    },
  };
}
