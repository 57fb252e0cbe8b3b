// Changes of the rules: over the API, and in the book that hand-overs are judged by.
import type { Channel } from '@parley/contract/access/admin';
import { type Person, people } from './people.ts';
import { type ConsentChannel, consentChannel, type Rules } from './rules.ts';
import type { Change } from './steps.ts';
import type { Tenant } from './tenant.ts';
import { need, type World } from './world.ts';

const address = (person: Person, channel: Channel) => (channel === 'emails' ? person.email : person.phone);

export function heardFrom(
  world: World,
  { organization_id }: Tenant,
  from: string,
  channel: ConsentChannel,
): void {
  const { heard } = world.rulesOf(organization_id);
  const message = { from, channel, at_ms: world.clock.ms(), is_revoked: false };
  world.changeRules(organization_id, { heard: [...heard, message] });
}

/** The person does not want to be contacted on these channels: nothing recorded before counts any more. */
function refuse(
  world: World,
  { organization_id }: Pick<Tenant, 'organization_id'>,
  targets: readonly [ConsentChannel, string][],
): void {
  const { refused, consents, heard } = world.rulesOf(organization_id);
  const keys = targets.map(([channel, recipient]) => `${channel} ${recipient}`);
  world.changeRules(organization_id, {
    refused: new Set([...refused, ...keys]),
    consents: consents.filter(({ channel, recipient }) => !keys.includes(`${channel} ${recipient}`)),
    heard: heard.map((each) =>
      keys.includes(`${each.channel} ${each.from}`) ? { ...each, is_revoked: true } : each,
    ),
  });
}

/** How far a refusal reaches. No person is a contact, so `all` reaches as far as `phone`. */
function reach(
  { stop_scope }: Rules,
  channel: ConsentChannel,
  recipient: string,
): [ConsentChannel, string][] {
  if (stop_scope === 'channel' || channel === 'email') return [[channel, recipient]];
  return [
    ['sms', recipient],
    ['call', recipient],
  ];
}

/** What the person of this request said in a call. */
export function refusedInCall(world: World, tag: number): void {
  const { organization_id, recipients } = world.requests.get(tag)!;
  refuse(world, { organization_id }, reach(world.rulesOf(organization_id), 'call', recipients[0]!));
}

const changes: {
  [K in Change['kind']]: (
    world: World,
    tenant: Tenant,
    change: Extract<Change, { kind: K }>,
  ) => Promise<void>;
} = {
  async switch(world, _tenant, { channel, is_on }) {
    await need(world.operator('PATCH', '/v1/admin/kill-switch', { [channel]: is_on }));
    world.setStopped(channel, is_on);
  },

  async policy(world, { organization_id, person }, { rules }) {
    await need(person('PUT', '/v1/approval-policy', { rules }));
    world.changeRules(organization_id, { policy: rules });
  },

  async contact_rules(world, { organization_id, person }, { rules }) {
    await need(person('PUT', '/v1/contact-rules', rules));
    const before = world.rulesOf(organization_id);
    const is_same = before.new_recipients_per_day === rules.new_recipients_per_day;
    const new_limit_since_ms = is_same ? before.new_limit_since_ms : world.clock.ms();
    world.changeRules(organization_id, { ...rules, new_limit_since_ms });
  },

  async quiet_hours(world, { organization_id, person }, { hours, on_violation }) {
    await need(person('PUT', '/v1/quiet-hours', { ...hours, on_violation }));
    world.changeRules(organization_id, { hours });
  },

  async budget(world, { organization_id, person, ...tenant }, { kind: _, of, ...limit }) {
    const ids = { organization: null, api_key: tenant.api_key_id, agent: tenant.agent_id };
    const subject = { kind: of, id: ids[of] };
    const { id } = await need<{ id: string }>(person('POST', '/v1/budgets', { ...limit, subject }));
    const { budgets } = world.rulesOf(organization_id);
    world.changeRules(organization_id, { budgets: [...budgets, { id, of, ...limit }] });
  },

  async trust(world, { organization_id, person }, { people: trusted }) {
    const recipients = trusted.flatMap((index) => [people[index]!.phone, people[index]!.email]);
    await need(person('PUT', '/v1/trusted-recipients', { recipients }));
    world.changeRules(organization_id, { vouched: new Set(recipients) });
  },

  async consent(world, { organization_id, person }, { to, channel, purposes, days }) {
    const recipient = address(people[to]!, channel);
    const on = consentChannel[channel];
    const until_ms = world.clock.ms() + days * 86_400_000;
    const proof = {
      basis: 'express',
      source: { kind: 'verbal' },
      expires_at: new Date(until_ms).toISOString(),
    };
    await need(person('POST', '/v1/consents', { recipient, channels: [on], purposes, ...proof }));
    const { consents, refused } = world.rulesOf(organization_id);
    world.changeRules(organization_id, {
      consents: [...consents, { recipient, channel: on, purposes, until_ms }],
      // The person said so, which lifts what the person said before.
      refused: new Set([...refused].filter((each) => each !== `${on} ${recipient}`)),
    });
  },

  async revoke_consents(world, { organization_id, program }, { to }) {
    const { phone, email } = people[to]!;
    for (const recipient of [phone, email]) {
      const path = `/v1/consents?recipient=${encodeURIComponent(recipient)}&limit=100`;
      const { items } = await need<{ items: { id: string }[] }>(program('GET', path));
      for (const { id } of items) await need(program('POST', `/v1/consents/${id}/revoke`, {}));
    }
    const { consents } = world.rulesOf(organization_id);
    const left = consents.filter(({ recipient }) => recipient !== phone && recipient !== email);
    world.changeRules(organization_id, { consents: left });
  },

  async suppress(world, { organization_id, program }, { to, channel }) {
    const recipient = address(people[to]!, channel);
    const path = channel === 'sms' ? '/v1/sms/suppressions' : '/v1/email-suppressions';
    await need(program('POST', path, { recipient }));
    const { refused } = world.rulesOf(organization_id);
    world.changeRules(organization_id, {
      refused: new Set([...refused, `${consentChannel[channel]} ${recipient}`]),
    });
  },

  async unsubscribe(world, tenant) {
    const own = (tag: number | null) =>
      tag !== null && world.requests.get(tag)?.organization_id === tenant.organization_id;
    const mail = world.recorder.handed.findLast(
      ({ tag, unsubscribe_url, is_taken }) => unsubscribe_url && is_taken && own(tag),
    );
    if (!mail) return;
    const { pathname, search } = new URL(mail.unsubscribe_url!);
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    const response = await fetch(world.url() + pathname + search, { method: 'POST', body });
    if (response.ok) refuse(world, tenant, [['email', mail.recipients[0]!]]);
  },

  async stop_text(world, tenant, { from }) {
    const { phone } = people[from]!;
    heardFrom(world, tenant, phone, 'sms');
    const text = { from: phone, to: tenant.number, body: 'STOP' };
    await need(tenant.person('POST', '/v1/sandbox/inbound-sms', text));
    refuse(world, tenant, reach(world.rulesOf(tenant.organization_id), 'sms', phone));
  },
};

export const applyChange = (world: World, tenant: Tenant, change: Change): Promise<void> =>
  (changes[change.kind] as (world: World, tenant: Tenant, change: Change) => Promise<void>)(
    world,
    tenant,
    change,
  );
