// Numbers, orders and messaging profiles of the simulated Telnyx account. Orders of regulated numbers wait for a review.
import { randomUUID } from 'node:crypto';
import type { Reply } from './stand-in.ts';
import {
  type Account,
  type HeldNumber,
  type Json,
  listed,
  missing,
  type Order,
  ok,
  refusal,
  type TelnyxRequest,
  timestamp,
  wrapped,
} from './telnyx-account.ts';

const places = [
  { prefix: '+18', country: 'US', type: 'toll_free' },
  { prefix: '+1', country: 'US', type: 'local' },
  { prefix: '+33', country: 'FR', type: 'local' },
];
export const placeOf = (e164: string) => places.find(({ prefix }) => e164.startsWith(prefix))!;

const messaging = ({ id, phone_number, messaging_profile_id }: HeldNumber) => ({
  record_type: 'messaging_settings',
  id,
  phone_number,
  messaging_profile_id,
  country_code: placeOf(phone_number).country,
});

function deliver({ numbers }: Account, order: Order): void {
  order.status = 'success';
  for (const line of order.phone_numbers) {
    line.status = 'success';
    line.requirements_status = 'approved';
    numbers.push({
      id: String(1_000_000_000_000 + numbers.length),
      record_type: 'phone_number',
      phone_number: line.phone_number,
      status: 'active',
      messaging_profile_id: order.messaging_profile_id,
      connection_id: null,
    });
  }
}

/** With the fields that Telnyx always sends. */
const fullNumber = (number: HeldNumber) => ({
  ...number,
  country_iso_alpha2: placeOf(number.phone_number).country,
  phone_number_type: placeOf(number.phone_number).type,
  deletion_lock_enabled: false,
  external_pin: '1234',
  tags: [],
  created_at: '2026-01-01T00:00:00Z',
  purchased_at: '2026-01-01T00:00:00Z',
});

/** Ends all open orders. */
export function settleOrders(account: Account, status: 'success' | 'failure'): void {
  for (const order of account.orders.filter((each) => each.status === 'pending')) {
    if (status === 'success') deliver(account, order);
    else order.status = 'failure';
  }
}

/** The review of all open orders finds their information wrong. */
export function refuseOrders(account: Account, comment: string): void {
  for (const order of account.orders.filter((each) => each.status === 'pending')) {
    for (const line of order.phone_numbers) line.requirements_status = 'requirement-info-exception';
    account.comments.push({
      id: randomUUID(),
      body: comment,
      commenter: 'reviewer@telnyx.com',
      commenter_type: 'admin',
      comment_record_type: 'sub_number_order',
      comment_record_id: order.sub_number_orders_ids[0],
      created_at: timestamp(),
    });
  }
}

type Ordered = { phone_number: string; requirement_group_id?: string };

function requirementsStatus(account: Account, { phone_number, requirement_group_id }: Ordered): string {
  const { country, type } = placeOf(phone_number);
  if (!account.requirements.has(`${country} ${type}`)) return 'approved';
  const group = account.groups.find(({ id }) => id === requirement_group_id);
  return group ? 'requirement-info-under-review' : 'requirement-info-pending';
}

function orderNumbers(account: Account, body: Json): Reply {
  const ordered = body.phone_numbers as Ordered[];
  if (ordered.some(({ phone_number }) => !account.on_sale.has(phone_number)))
    return refusal('85001', 'Number not available', 'One or more numbers are no longer available', 422);
  for (const { requirement_group_id: id } of ordered) {
    const group = id === undefined ? null : account.groups.find((each) => each.id === id);
    if (group === undefined || (group && group.status !== 'approved'))
      return refusal('85006', 'Invalid requirement group', 'The requirement group is not approved', 422);
  }
  for (const { phone_number } of ordered) account.on_sale.delete(phone_number);
  const order: Order = {
    id: randomUUID(),
    record_type: 'number_order',
    customer_reference: String(body.customer_reference ?? ''),
    messaging_profile_id: (body.messaging_profile_id as string | undefined) ?? null,
    phone_numbers: ordered.map((each) => ({
      id: randomUUID(),
      record_type: 'number_order_phone_number',
      phone_number: each.phone_number,
      requirements_status: requirementsStatus(account, each),
      status: 'pending',
    })),
    phone_numbers_count: ordered.length,
    sub_number_orders_ids: [randomUUID()],
    status: 'pending',
    requirements_met: true,
    created_at: timestamp(),
    updated_at: timestamp(),
  };
  account.orders.push(order);
  const is_reviewed = order.phone_numbers.some((line) => line.requirements_status !== 'approved');
  if (!account.slow_orders.on && !is_reviewed) deliver(account, order);
  return wrapped(shown(order));
}

const shown = ({ messaging_profile_id, ...order }: Order) => ({
  ...order,
  ...(messaging_profile_id && { messaging_profile_id }),
});

/** The order of a part, and the deadline of its review. */
function orderLine({ orders }: Account, id: string): Reply {
  const order = orders.find(({ phone_numbers }) => phone_numbers.some((line) => line.id === id));
  if (!order) return missing;
  const line = order.phone_numbers.find((each) => each.id === id)!;
  return wrapped({
    ...line,
    order_request_id: order.id,
    sub_number_order_id: order.sub_number_orders_ids[0],
    deadline: '2030-01-31T12:00:00Z',
  });
}

function giveGroup(account: Account, sub_order: string, { requirement_group_id }: Json): Reply {
  const order = account.orders.find((each) => each.sub_number_orders_ids.includes(sub_order));
  const group = account.groups.find((each) => each.id === requirement_group_id);
  if (!order || !group) return missing;
  if (group.status !== 'approved')
    return refusal('85006', 'Invalid requirement group', 'The requirement group is not approved', 422);
  for (const line of order.phone_numbers) line.requirements_status = 'requirement-info-under-review';
  return wrapped({ id: sub_order, order_request_id: order.id, status: 'pending' });
}

function availableNumbers({ on_sale }: Account, query: URLSearchParams): Reply {
  const [country, type] = [query.get('filter[country_code]'), query.get('filter[phone_number_type]')];
  if (!places.some((each) => each.country === country))
    return refusal('10027', 'Invalid filter', 'Unsupported country', 422, {
      parameter: 'filter[country_code]',
    });
  if (!places.some((each) => each.country === country && each.type === type))
    return refusal('10027', 'Invalid filter', 'Unsupported type', 422, {
      parameter: 'filter[phone_number_type]',
    });
  const part = query.get('filter[phone_number][contains]');
  const found = [...on_sale].filter((e164) => {
    const place = placeOf(e164);
    return place.country === country && place.type === type && (part === null || e164.includes(part));
  });
  const data = found.map((phone_number) => ({
    record_type: 'available_phone_number',
    phone_number,
    features: [{ name: 'sms' }, { name: 'voice' }],
    cost_information: { monthly_cost: '1.00', upfront_cost: '0.50', currency: 'USD' },
    best_effort: false,
    quickship: true,
    reservable: true,
  }));
  return ok({ data, meta: { total_results: data.length, best_effort_results: 0 } });
}

/** The routes of one number; null if the account does not have it. */
function numberRoute(account: Account, { method, parts, json }: TelnyxRequest): Reply | null {
  const { numbers, on_sale, profiles } = account;
  const [, id, part] = parts;
  const number = numbers.find((each) => each.id === id);
  if (!number) return missing;
  if (method === 'DELETE') {
    numbers.splice(numbers.indexOf(number), 1);
    on_sale.add(number.phone_number);
    return wrapped({ ...fullNumber(number), status: 'deleted' });
  }
  if (part === 'messaging') {
    const profile = json.messaging_profile_id;
    const is_known = profile === undefined || profiles.some((each) => each.id === profile);
    if (!is_known) return refusal('40006', 'Profile not found', 'The messaging profile was not found', 422);
    if (method === 'PATCH') Object.assign(number, json);
    return wrapped(messaging(number));
  }
  if (method === 'PATCH') Object.assign(number, json);
  return wrapped(fullNumber(number));
}

function profileRoute({ profiles }: Account, { method, parts, query, json }: TelnyxRequest): Reply | null {
  if (method === 'GET') {
    const name = query.get('filter[name][eq]');
    return listed(profiles.filter((each) => name === null || each.name === name));
  }
  const known = profiles.find((each) => each.id === parts[1]);
  if (method === 'PATCH') return known ? wrapped(Object.assign(known, json)) : missing;
  if (method !== 'POST') return null;
  const profile = {
    webhook_url: '',
    enabled: true,
    ...json,
    id: randomUUID(),
    record_type: 'messaging_profile',
  };
  profiles.push(profile as unknown as (typeof profiles)[number]);
  return wrapped(profile);
}

export function orderRoutes(account: Account, request: TelnyxRequest): Reply | null {
  const { method, parts, query, json } = request;
  const [collection, id] = parts;
  switch (collection) {
    case 'available_phone_numbers':
      return availableNumbers(account, query);
    case 'messaging_profiles':
      return profileRoute(account, request);
    case 'number_orders': {
      if (method === 'POST') return orderNumbers(account, json);
      const reference = query.get('filter[customer_reference]');
      return listed(account.orders.filter((each) => each.customer_reference === reference).map(shown));
    }
    case 'number_order_phone_numbers':
      return orderLine(account, id!);
    case 'sub_number_orders':
      return method === 'POST' ? giveGroup(account, id!, json) : null;
    case 'phone_numbers': {
      if (id !== undefined) return numberRoute(account, request);
      const e164 = query.get('filter[phone_number]');
      return listed(account.numbers.filter((each) => each.phone_number === e164).map(fullNumber));
    }
    default:
      return null;
  }
}
