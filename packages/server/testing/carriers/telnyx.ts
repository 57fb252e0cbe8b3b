// A stand-in for Telnyx: version 2 of its API for numbers, messages and calls, with signed webhooks.
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { type Reply, type SeenRequest, type StandIn, startStandIn } from './stand-in.ts';
import { telnyxCalls } from './telnyx-calls.ts';

export const telnyx_key = 'KEY_telnyx_test';
export const telnyx_profile = '40017e3a-0000-4000-8000-000000000001';
export const telnyx_connection = '1494404757140276705';

type Json = Record<string, unknown>;
type Party = { phone_number: string; status?: string; carrier: string; line_type: string };
type Message = Json & { id: string; from: Party; to: Party[]; text: string; webhook_url: string };
type Order = Json & {
  id: string;
  customer_reference: string;
  status: string;
  phone_numbers: { phone_number: string }[];
};
type HeldNumber = Json & { id: string; phone_number: string; messaging_profile_id: string | null };

/** The data of the simulated account. */
type Account = {
  /** The messaging profile's URL for inbound texts; the operator sets it in Telnyx's console. */
  profile: { webhook_url: string };
  messages: Message[];
  numbers: HeldNumber[];
  orders: Order[];
  opted_out: Set<string>;
  on_sale: Set<string>;
  /** Whether each call is still alive. */
  calls: Map<string, boolean>;
  /** When on, orders stay pending until `settleOrders`. */
  slow_orders: { on: boolean };
};

const refusal = (code: string, title: string, detail: string, status: number, parameter?: string): Reply => ({
  status,
  json: { errors: [{ code, title, detail, ...(parameter && { source: { parameter } }) }] },
});

type Phone = ReturnType<typeof telnyxCalls>;

export type TelnyxStandIn = StandIn &
  Account & {
    phone: Phone;
    /** The raw public key in base64, as Telnyx shows it. */
    public_key: string;
    settleOrders(status?: 'success' | 'failure'): void;
    report(message: Message, status: string, error_code?: string): Promise<number>;
    textIn(text: { from: string; to: string; body: string; id?: string }): Promise<Response>;
    /** Sends a signed webhook; `at` sets its time. */
    callback(url: string, event: unknown, at?: Date): Promise<Response>;
    sign(timestamp: string, body: string): string;
  };

const party = (phone_number: string, status?: string): Party => ({
  phone_number,
  ...(status && { status }),
  carrier: '',
  line_type: '',
});

const event = (event_type: string, payload: unknown) => ({
  data: {
    event_type,
    id: randomUUID(),
    occurred_at: new Date().toISOString(),
    payload,
    record_type: 'event',
  },
  meta: { attempt: 1 },
});

function sendMessage({ numbers, opted_out, messages, profile }: Account, body: Json): Reply {
  const { from, to, text } = body as { from: string; to: string; text: string };
  if (!/^\+\d{6,15}$/.test(to))
    return refusal('40310', "Invalid 'to' address", 'The to address is invalid', 400);
  if (!/[A-Za-z]/.test(from) && !numbers.some((number) => number.phone_number === from)) {
    return refusal('40305', "Invalid 'from' address", 'The from address is not on this profile', 400);
  }
  if (opted_out.has(to))
    return refusal('40300', 'Blocked due to STOP message', 'Messages cannot be sent', 400);
  const message: Message = {
    record_type: 'message',
    direction: 'outbound',
    id: randomUUID(),
    type: 'SMS',
    messaging_profile_id: telnyx_profile,
    from: party(from),
    to: [party(to, 'queued')],
    text,
    encoding: 'GSM-7',
    parts: 1,
    tags: [],
    errors: [],
    received_at: new Date().toISOString(),
    webhook_url: String(body.webhook_url ?? profile.webhook_url),
  };
  messages.push(message);
  return { status: 200, json: { data: message } };
}

function deliver({ numbers }: Account, order: Order): void {
  order.status = 'success';
  for (const { phone_number } of order.phone_numbers) {
    numbers.push({
      id: String(1_000_000_000_000 + numbers.length),
      record_type: 'phone_number',
      phone_number,
      status: 'active',
      messaging_profile_id: null,
      connection_id: null,
    });
  }
}

function orderNumbers(account: Account, body: Json): Reply {
  const ordered = body.phone_numbers as { phone_number: string }[];
  if (ordered.some(({ phone_number }) => !account.on_sale.has(phone_number))) {
    return refusal('85001', 'Number not available', 'One or more numbers are no longer available', 422);
  }
  for (const { phone_number } of ordered) account.on_sale.delete(phone_number);
  const order: Order = {
    id: randomUUID(),
    record_type: 'number_order',
    customer_reference: String(body.customer_reference ?? ''),
    phone_numbers: ordered.map(({ phone_number }) => ({ id: randomUUID(), phone_number })),
    phone_numbers_count: ordered.length,
    status: 'pending',
    requirements_met: true,
    created_at: new Date().toISOString(),
  };
  account.orders.push(order);
  if (!account.slow_orders.on) deliver(account, order);
  return { status: 200, json: { data: order } };
}

function availableNumbers({ on_sale }: Account, query: URLSearchParams): Reply {
  if (query.get('filter[country_code]') !== 'US') {
    return refusal('10027', 'Invalid filter', 'Unsupported country', 422, 'filter[country_code]');
  }
  if (query.get('filter[phone_number_type]') !== 'local') {
    return refusal('10027', 'Invalid filter', 'Unsupported type', 422, 'filter[phone_number_type]');
  }
  const part = query.get('filter[phone_number][contains]');
  const found = [...on_sale].filter((e164) => part === null || e164.includes(part));
  const data = found.map((phone_number) => ({
    record_type: 'available_phone_number',
    phone_number,
    features: [{ name: 'sms' }, { name: 'voice' }],
    cost_information: { monthly_cost: '1.00', upfront_cost: '0.50', currency: 'USD' },
    best_effort: false,
    quickship: true,
    reservable: true,
  }));
  return { status: 200, json: { data, meta: { total_results: data.length, best_effort_results: 0 } } };
}

const listed = (data: Json[]): Reply => ({
  status: 200,
  json: { data, meta: { total_results: data.length } },
});

/** The routes of one number; null if the account does not have it. */
function numberRoute({ numbers, on_sale }: Account, method: string, id: string, json: Json): Reply | null {
  const number = numbers.find((each) => each.id === id);
  if (!number) return null;
  if (method === 'DELETE') {
    numbers.splice(numbers.indexOf(number), 1);
    on_sale.add(number.phone_number);
    return { status: 200, json: { data: { ...number, status: 'deleted' } } };
  }
  Object.assign(number, json);
  return { status: 200, json: { data: number } };
}

function respond(account: Account, phone: Phone, { method, path, query, headers, body }: SeenRequest): Reply {
  if (headers.authorization !== `Bearer ${telnyx_key}`) {
    return refusal('10009', 'Authentication failed', 'Could not find any usable credentials', 401);
  }
  const json = body === '' ? {} : (JSON.parse(body) as Json);
  const [, , collection = '', id, part] = path.split('/');
  const missing = refusal('10005', 'Resource not found', 'The requested resource was not found', 404);
  switch (`${method} ${collection}${id ? '/' : ''}${part ?? ''}`) {
    case 'POST messages':
      return sendMessage(account, json);
    case 'GET messages/': {
      const message = account.messages.find((each) => each.id === id);
      return message ? { status: 200, json: { data: message } } : missing;
    }
    case 'GET available_phone_numbers':
      return availableNumbers(account, query);
    case 'POST number_orders':
      return orderNumbers(account, json);
    case 'GET number_orders': {
      const reference = query.get('filter[customer_reference]');
      return listed(account.orders.filter((order) => order.customer_reference === reference));
    }
    case 'GET phone_numbers': {
      const e164 = query.get('filter[phone_number]');
      return listed(account.numbers.filter((each) => each.phone_number === e164));
    }
    case 'PATCH phone_numbers/':
    case 'PATCH phone_numbers/messaging':
    case 'DELETE phone_numbers/':
      return numberRoute(account, method, id!, json) ?? missing;
    case 'POST calls':
      return phone.place(json);
    case 'POST calls/actions':
      return phone.act(decodeURIComponent(id!), path.split('/').at(-1)!, json) ?? missing;
    case 'GET calls/': {
      const is_alive = account.calls.get(decodeURIComponent(id!));
      return is_alive === undefined
        ? missing
        : { status: 200, json: { data: { call_control_id: id, is_alive } } };
    }
    default:
      return missing;
  }
}

/** A key pair as Telnyx has one for each account, and webhooks signed with it. */
function webhookSigner() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const signed = (timestamp: string, body: string) =>
    sign(null, Buffer.from(`${timestamp}|${body}`), privateKey).toString('base64');
  return {
    public_key: publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64'),
    sign: signed,
    callback(url: string, content: unknown, at = new Date()): Promise<Response> {
      const body = JSON.stringify(content);
      const timestamp = String(Math.floor(at.getTime() / 1000));
      return fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'telnyx-timestamp': timestamp,
          'telnyx-signature-ed25519': signed(timestamp, body),
        },
        body,
      });
    },
  };
}

export async function startTelnyx(): Promise<TelnyxStandIn> {
  const account: Account = {
    profile: { webhook_url: '' },
    messages: [],
    numbers: [],
    orders: [],
    opted_out: new Set(),
    on_sale: new Set(['+13125550101', '+13125550102', '+13125550103']),
    calls: new Map(),
    slow_orders: { on: false },
  };
  const signer = webhookSigner();
  const phone = telnyxCalls({ alive: account.calls, event, callback: signer.callback });
  const standIn = await startStandIn((request) => respond(account, phone, request));
  return {
    ...standIn,
    ...account,
    ...signer,
    url: `${standIn.url}/v2`,
    phone,
    settleOrders(status = 'success') {
      for (const order of account.orders.filter((each) => each.status === 'pending')) {
        if (status === 'success') deliver(account, order);
        else order.status = 'failure';
      }
    },
    async report(message, status, error_code) {
      message.to[0]!.status = status;
      message.errors = error_code ? [{ code: error_code, title: 'Failed' }] : [];
      const type = status === 'sent' ? 'message.sent' : 'message.finalized';
      return (await signer.callback(message.webhook_url, event(type, message))).status;
    },
    textIn({ from, to, body, id = randomUUID() }) {
      const word = body.trim().toUpperCase();
      if (word === 'STOP') account.opted_out.add(from);
      if (word === 'START') account.opted_out.delete(from);
      return signer.callback(
        account.profile.webhook_url,
        event('message.received', {
          id,
          direction: 'inbound',
          record_type: 'message',
          type: 'SMS',
          from: party(from),
          to: [party(to, 'webhook_delivered')],
          text: body,
          messaging_profile_id: telnyx_profile,
        }),
      );
    },
  };
}
