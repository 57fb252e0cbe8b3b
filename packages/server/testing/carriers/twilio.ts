// A stand-in for Twilio: its 2010-04-01 API for numbers, messages and calls, with signed callbacks.
import { createHmac, randomBytes } from 'node:crypto';
import { type Reply, type SeenRequest, type StandIn, startStandIn } from './stand-in.ts';
import { strictHandler } from './strict-handler.ts';
import { twilioCalls } from './twilio-calls.ts';
import { type TwilioCompliance, twilioCompliance } from './twilio-compliance.ts';
import { type Messaging, messagingRoutes, newMessaging, registerInConsole } from './twilio-messaging.ts';
import { tollFreeRoutes } from './twilio-toll-free.ts';
import { newTrustHub, type TrustHub, trustHubRoutes } from './twilio-trusthub.ts';

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
  status_callback: string;
};

/** The data of the simulated account. */
type Account = {
  messages: Message[];
  numbers: HeldNumber[];
  opted_out: Set<string>;
  on_sale: Set<string>;
  /** The status of each call. */
  calls: Map<string, string>;
  compliance: TwilioCompliance;
  hub: TrustHub;
  messaging: Messaging;
};

/** The numbers on sale by their beginning. `list` is the last part of the path; `address`: what Twilio says about addresses. */
const shelves = [
  { prefix: '+1833', country: 'US', list: 'TollFree', address: 'none' },
  { prefix: '+1', country: 'US', list: 'Local', address: 'none' },
  { prefix: '+4420', country: 'GB', list: 'Local', address: 'local' },
  { prefix: '+44306', country: 'GB', list: 'National', address: 'none' },
  { prefix: '+612', country: 'AU', list: 'Local', address: 'none' },
  { prefix: '+331', country: 'FR', list: 'Local', address: 'any' },
] as const;
const shelfOf = (e164: string) => shelves.find(({ prefix }) => e164.startsWith(prefix))!;

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
    /** Requests and responses that contradict Twilio's descriptions. A test expects none. */
    violations: string[];
    /** Changes a bundle and sends its status callback; returns the HTTP status of the response. */
    changeBundle(
      bundle: { sid: string; status: string; status_callback: string | null },
      decide: () => void,
    ): Promise<number>;
    /** Sends a status callback for a message; returns the HTTP status of the response. */
    report(message: Message, status: string, error_code?: string): Promise<number>;
    /** Simulates a text to a number of the account. */
    textIn(text: {
      from: string;
      to: string;
      body: string;
      message_sid?: string;
      more?: Record<string, string>;
    }): Promise<Response>;
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

/** Why a purchase is refused; null when it is not. */
function missingVerification({ compliance }: Account, e164: string, form: URLSearchParams): Reply | null {
  const { country, list, address } = shelfOf(e164);
  const { regulations, bundles, addresses } = compliance;
  const [bundle_sid, address_sid] = [form.get('BundleSid'), form.get('AddressSid')];
  const fitting = regulations
    .filter(({ iso_country, number_type }) => iso_country === country && number_type === list.toLowerCase())
    .map(({ sid }) => sid);
  const bundle = bundles.get(bundle_sid ?? '');
  if (bundle_sid !== null && !bundle) return refusal(21649, 'The bundle does not exist.');
  const is_approved = bundle?.status === 'twilio-approved' && fitting.includes(bundle.regulation_sid);
  if (fitting.length > 0 && !is_approved)
    return refusal(21649, 'Phone number requires a bundle that is twilio-approved.');
  if (address !== 'none' && !addresses.has(address_sid ?? ''))
    return refusal(21631, 'Phone Number Requires an Address but the AddressSid parameter was empty.');
  return null;
}

function buyNumber(account: Account, form: URLSearchParams): Reply {
  const { on_sale, numbers, messaging } = account;
  const e164 = form.get('PhoneNumber') ?? '';
  const unverified = on_sale.has(e164) && missingVerification(account, e164, form);
  if (unverified) return unverified;
  if (!on_sale.delete(e164)) return refusal(21422, `${e164} is not available.`);
  const number: HeldNumber = {
    sid: sid('PN'),
    account_sid: twilio_account,
    phone_number: e164,
    friendly_name: form.get('FriendlyName') ?? e164,
    sms_url: form.get('SmsUrl') ?? '',
    voice_url: form.get('VoiceUrl') ?? '',
    status_callback: form.get('StatusCallback') ?? '',
    capabilities: { voice: true, sms: true, mms: false, fax: false },
    address_requirements: 'none',
    date_created: now(),
  };
  numbers.push(number);
  registerInConsole(messaging, twilio_account, number.sid);
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
  const [, country, list] = /AvailablePhoneNumbers\/(\w+)\/(\w+)\.json/.exec(path) ?? [];
  const shelf = shelves.find((each) => each.country === country && each.list === list);
  if (!shelf) return refusal(20404, `The requested resource ${path} was not found`, 404);
  const found = [...on_sale]
    .filter((e164) => shelfOf(e164) === shelf)
    .filter((e164) => part === null || e164.includes(part));
  const available_phone_numbers = found.map((phone_number) => ({
    phone_number,
    friendly_name: phone_number,
    iso_country: shelf.country,
    address_requirements: shelf.address,
    beta: false,
    capabilities: { voice: true, SMS: true, MMS: false },
  }));
  return { status: 200, json: { available_phone_numbers, uri: path } };
}

/** The routes of one bought number; null if the account does not have it. */
function numberRoute(
  { numbers, on_sale, messaging }: Account,
  method: string,
  id: string,
  form: URLSearchParams,
): Reply | null {
  const number = numbers.find((each) => each.sid === id);
  if (!number) return null;
  if (method === 'DELETE') {
    numbers.splice(numbers.indexOf(number), 1);
    for (const service of messaging.services) service.numbers.delete(number.sid);
    on_sale.add(number.phone_number);
    return { status: 204 };
  }
  number.sms_url = form.get('SmsUrl') ?? number.sms_url;
  number.voice_url = form.get('VoiceUrl') ?? number.voice_url;
  number.status_callback = form.get('StatusCallback') ?? number.status_callback;
  return { status: 200, json: number };
}

/** The APIs that check every request against Twilio's descriptions, by the beginning of their paths. */
type StrictApi = { paths: RegExp; handle(request: SeenRequest): Reply };

function respond(account: Account, phone: Phone, strict: StrictApi[], request: SeenRequest): Reply {
  const { method, path, query, headers, body } = request;
  if (headers.authorization !== authorization) return refusal(20003, 'Authenticate', 401);
  const api = strict.find(({ paths }) => paths.test(path));
  if (api) return api.handle(request);
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
      return availableNumbers(account, path, query);
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

/** The hosts on which texts to the US are registered. */
function textRegistrations({ numbers, hub, messaging }: Account) {
  const hasTollFree = (id: string) =>
    numbers.some(({ sid, phone_number }) => sid === id && shelfOf(phone_number).list === 'TollFree');
  const answerOfHub = trustHubRoutes(hub, twilio_account);
  const toll_free = tollFreeRoutes(messaging, twilio_account, hasTollFree);
  const answerOfMessaging = messagingRoutes(messaging, hub, twilio_account, toll_free);
  return (request: SeenRequest): Reply =>
    answerOfHub(request) ??
    answerOfMessaging(request) ??
    refusal(20404, `The requested resource ${request.path} was not found`, 404);
}

/** From ranges for fiction. */
const regulated_numbers = ['+442079460101', '+442079460102', '+443069990101', '+61255501234', '+33199000001'];

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
    on_sale: new Set(['+14155550101', '+14155550102', '+14155550103', '+18335550101', ...regulated_numbers]),
    calls: new Map(),
    compliance: twilioCompliance(),
    hub: newTrustHub(twilio_account),
    messaging: newMessaging(),
  };
  const violations: string[] = [];
  const strict: StrictApi[] = [
    {
      paths: /^\/v2\/RegulatoryCompliance|\/Addresses[./]/,
      handle: strictHandler(
        ['twilio-numbers', 'twilio-numbers-upload', 'twilio-addresses'],
        violations,
        account.compliance.handle,
      ),
    },
  ];
  strict.push({
    paths: /^\/v1\//,
    handle: strictHandler(['twilio-trusthub', 'twilio-messaging'], violations, textRegistrations(account)),
  });
  const phone = twilioCalls({ account: twilio_account, statuses: account.calls, callback });
  const standIn = await startStandIn((request) => respond(account, phone, strict, request));
  return {
    ...standIn,
    ...account,
    phone,
    violations,
    // A job asks about registrations for texts at any time, so a fault is not for it unless a test says so.
    failNext: (fault, matches = ({ path }) => !path.startsWith('/v1/')) => standIn.failNext(fault, matches),
    async changeBundle(bundle, decide) {
      decide();
      if (!bundle.status_callback) return 0;
      const form = { AccountSid: twilio_account, BundleSid: bundle.sid, Status: bundle.status };
      return (await callback(bundle.status_callback, form)).status;
    },
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
    textIn({ from, to, body, message_sid = sid('SM'), more = {} }) {
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
        ...more,
      });
    },
  };
}
