// A stand-in for Telnyx: version 2 of its API for numbers, messages and calls, with signed webhooks.
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { telnyx_contracts } from '../carrier-contract.ts';
import { type Reply, type SeenRequest, type StandIn, startStandIn } from './stand-in.ts';
import { strictHandler } from './strict-handler.ts';
import { decideBrands, decideCampaigns, decideTollFree, registrationRoutes } from './telnyx-10dlc.ts';
import {
  type Json,
  missing,
  newAccount,
  type Account as Registrations,
  refusal,
  type TelnyxRequest,
} from './telnyx-account.ts';
import { callRecord, telnyxCalls } from './telnyx-calls.ts';
import { orderRoutes, placeOf, refuseOrders, settleOrders } from './telnyx-orders.ts';
import { decideGroups, expireDocuments, requirementRoutes, storeDocument } from './telnyx-requirements.ts';

export const telnyx_key = 'KEY_telnyx_test';
export const telnyx_profile = '40017e3a-0000-4000-8000-000000000001';
export const telnyx_connection = '1494404757140276705';

type Party = { phone_number: string; status?: string; carrier: string; line_type: string };
type Message = Json & {
  id: string;
  from: Party;
  to: Party[];
  text: string;
  webhook_url: string;
  messaging_profile_id: string;
};

/** The data of the simulated account. */
type Account = Registrations & {
  /** The messaging profile's URL for inbound texts; the operator sets it in Telnyx's console. */
  profile: { webhook_url: string };
  messages: Message[];
  opted_out: Set<string>;
  /** Whether each call is still alive. */
  calls: Map<string, boolean>;
};

type Phone = ReturnType<typeof telnyxCalls>;

export type TelnyxStandIn = StandIn &
  Account & {
    phone: Phone;
    /** The raw public key in base64, as Telnyx shows it. */
    public_key: string;
    settleOrders(status?: 'success' | 'failure'): void;
    /** What the reviewers decide. */
    decide: Reviewers;
    /** Requests and responses that Telnyx's published description does not allow; empty without the description. */
    violations: string[];
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

/** Null when the account may send from this number with this profile. */
function senderProblem(account: Account, from: string, profile: unknown, to: string): Reply | null {
  const number = account.numbers.find((each) => each.phone_number === from);
  if (!number || number.messaging_profile_id !== profile)
    return refusal('40305', "Invalid 'from' address", 'The from address is not on this profile', 400);
  const is_us_local = placeOf(from).country === 'US' && placeOf(from).type === 'local';
  const is_assigned = account.assignments.some((each) => each.phoneNumber === from);
  return account.needs_campaigns.on && is_us_local && to.startsWith('+1') && !is_assigned
    ? refusal('40010', 'Not 10DLC registered', 'The number is in no campaign', 400)
    : null;
}

function sendMessage(account: Account, body: Json): Reply {
  const { opted_out, messages, profile } = account;
  const { from, to, text } = body as { from: string; to: string; text: string };
  if (!/^\+\d{6,15}$/.test(to))
    return refusal('40310', "Invalid 'to' address", 'The to address is invalid', 400);
  const refused = /[A-Za-z]/.test(from) ? null : senderProblem(account, from, body.messaging_profile_id, to);
  if (refused) return refused;
  if (opted_out.has(to))
    return refusal('40300', 'Blocked due to STOP message', 'Messages cannot be sent', 400);
  const message: Message = {
    record_type: 'message',
    direction: 'outbound',
    id: randomUUID(),
    type: 'SMS',
    messaging_profile_id: String(body.messaging_profile_id),
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

function messageRoutes(account: Account, phone: Phone, request: TelnyxRequest): Reply | null {
  const { method, parts, json } = request;
  const [collection, id, part, action] = parts;
  switch (`${method} ${collection}${id ? '/' : ''}${part ?? ''}`) {
    case 'POST messages':
      return sendMessage(account, json);
    case 'GET messages/': {
      const message = account.messages.find((each) => each.id === id);
      return message ? { status: 200, json: { data: message } } : missing;
    }
    case 'POST calls':
      return phone.place(json);
    case 'POST calls/actions':
      return phone.act(id!, action!, json) ?? missing;
    case 'GET calls/': {
      const is_alive = account.calls.get(id!);
      return is_alive === undefined ? missing : { status: 200, json: { data: callRecord(id!, is_alive) } };
    }
    default:
      return null;
  }
}

function respond(account: Account, phone: Phone, seen: SeenRequest): Reply {
  const { method, path, query, headers, body } = seen;
  if (headers.authorization !== `Bearer ${telnyx_key}`) {
    return refusal('10009', 'Authentication failed', 'Could not find any usable credentials', 401);
  }
  const parts = path.split('/').slice(2).map(decodeURIComponent);
  if (method === 'POST' && parts[0] === 'documents') return storeDocument(account, seen);
  const json = body === '' ? {} : (JSON.parse(body) as Json);
  const request: TelnyxRequest = { method, parts, query, json };
  return (
    messageRoutes(account, phone, request) ??
    orderRoutes(account, request) ??
    requirementRoutes(account, request) ??
    registrationRoutes(account, request) ??
    missing
  );
}

/** The description allows an object for these lists twice, so that no object is exactly one of its choices. */
const isEnum = ({ path }: SeenRequest) => path.startsWith('/v2/10dlc/enum/');

const reviewersOf = (account: Account) => ({
  groups: (decision: Parameters<typeof decideGroups>[1]) => decideGroups(account, decision),
  brands: (decision: Parameters<typeof decideBrands>[1]) => decideBrands(account, decision),
  campaigns: (decision: Parameters<typeof decideCampaigns>[1]) => decideCampaigns(account, decision),
  tollFree: (status: string, reason?: string) => decideTollFree(account, status, reason),
  /** The review of open orders finds their information wrong. */
  refuseOrders: (comment: string) => refuseOrders(account, comment),
  expireDocuments: () => expireDocuments(account),
});
type Reviewers = ReturnType<typeof reviewersOf>;

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
  const profile = { id: telnyx_profile, name: 'default', webhook_url: '', record_type: 'messaging_profile' };
  const account: Account = {
    ...newAccount(),
    profile,
    messages: [],
    opted_out: new Set(),
    calls: new Map(),
  };
  account.profiles.push(profile);
  const violations: string[] = [];
  const strict = strictHandler(telnyx_contracts, violations, (request) => respond(account, phone, request));
  const signer = webhookSigner();
  const phone = telnyxCalls({ alive: account.calls, event, callback: signer.callback });
  const standIn = await startStandIn((request) =>
    isEnum(request) || account.new_words.on ? respond(account, phone, request) : strict(request),
  );
  return {
    ...standIn,
    ...account,
    ...signer,
    url: `${standIn.url}/v2`,
    phone,
    settleOrders: (status = 'success') => settleOrders(account, status),
    decide: reviewersOf(account),
    violations,
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
      const number = account.numbers.find((each) => each.phone_number === to);
      const used = account.profiles.find((each) => each.id === number?.messaging_profile_id) ?? profile;
      return signer.callback(
        used.webhook_url,
        event('message.received', {
          id,
          direction: 'inbound',
          record_type: 'message',
          type: 'SMS',
          from: party(from),
          to: [party(to, 'webhook_delivered')],
          text: body,
          messaging_profile_id: used.id,
        }),
      );
    },
  };
}
