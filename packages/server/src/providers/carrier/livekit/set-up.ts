// Creates the inbound trunk and the dispatch rule at LiveKit, or updates those of an earlier start; both are found by name.
import { field, textField } from '../carrier-http.ts';
import type { LiveKitApi } from './api.ts';
import { inbound_prefix } from './translate.ts';

export type InboundTrunk = {
  agent_name: string;
  numbers: readonly string[];
  /** Addresses that may call. Numbers alone would let everyone on the internet call them. */
  sources: readonly string[];
};

const grants = { sip: { admin: true } };
const ring_seconds = 30;
/** Longer than any agent may speak. LiveKit's SIP service then hangs up by itself, also while its Redis is down. */
const max_call_seconds = 14_400 + 60;

export async function ensureInboundTrunk(request: LiveKitApi, options: InboundTrunk): Promise<void> {
  const { agent_name: name, numbers, sources } = options;
  const trunk_id = await ensure(request, name, {
    list: 'SIP/ListSIPInboundTrunk',
    create: 'SIP/CreateSIPInboundTrunk',
    update: 'SIP/UpdateSIPInboundTrunk',
    id: { camel: 'sipTrunkId', snake: 'sip_trunk_id' },
    field: 'trunk',
    value: {
      name,
      numbers,
      allowed_addresses: sources,
      ringing_timeout: `${ring_seconds}s`,
      max_call_duration: `${max_call_seconds}s`,
    },
  });
  await ensure(request, name, {
    list: 'SIP/ListSIPDispatchRule',
    create: 'SIP/CreateSIPDispatchRule',
    update: 'SIP/UpdateSIPDispatchRule',
    id: { camel: 'sipDispatchRuleId', snake: 'sip_dispatch_rule_id' },
    field: 'dispatch_rule',
    value: {
      name,
      trunk_ids: [trunk_id],
      // The room's name contains our number, never the caller's: names of rooms are in logs.
      rule: { dispatch_rule_callee: { room_prefix: inbound_prefix, randomize: true } },
      room_config: { empty_timeout: 30, departure_timeout: 5, agents: [{ agent_name: name }] },
    },
  });
}

type Resource = {
  list: string;
  create: string;
  update: string;
  id: { camel: string; snake: string };
  /** The field of the create request. */
  field: string;
  value: object;
};

/** Returns the id of the resource with this name. */
async function ensure(request: LiveKitApi, name: string, resource: Resource): Promise<string> {
  const items = field(await send(request, resource.list, {}), 'items');
  const named_item = (Array.isArray(items) ? items : []).find((item) => textField(item, 'name') === name);
  const id = idIn(named_item, resource);
  if (id) {
    await send(request, resource.update, { [resource.id.snake]: id, replace: resource.value });
    return id;
  }
  const created = await send(request, resource.create, { [resource.field]: resource.value });
  return idIn(created, resource) ?? '';
}

/** Servers differ in the names of JSON fields: snake_case since 1.13, lowerCamelCase before. */
const idIn = (json: unknown, { id }: Resource) => textField(json, id.snake) ?? textField(json, id.camel);

async function send(request: LiveKitApi, method: string, body: object): Promise<unknown> {
  const response = await request(method, grants, body);
  if (response.outcome === 'done') return response.json;
  throw new Error(`LiveKit did not set up inbound calls (${method}): ${response.detail}`);
}
