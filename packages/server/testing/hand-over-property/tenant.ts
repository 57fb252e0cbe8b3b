// The organization of one sequence: a program with a key, a person who is signed in, a number with an agent, and a mailbox.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { sql } from '../../src/platform/db/sql.ts';
import type { CredentialKind } from '../../src/platform/http/context.ts';
import { prompt_agent } from '../agents.ts';
import { forwardLinks } from '../forwards.ts';
import { type Ask, need, type World } from './world.ts';

export type Tenant = {
  organization_id: string;
  program: Ask;
  person: Ask;
  /** Of the key of the program. */
  api_key_id: string;
  agent_id: string;
  number: string;
  mailbox: string;
};

export async function newTenant(world: World): Promise<Tenant> {
  const [organization_id, user_id, api_key_id] = [randomUUID(), randomUUID(), randomUUID()];
  await storeMember(world, { organization_id, user_id, api_key_id });
  const as = (credential_kind: CredentialKind, more: { credential_id?: string } = {}) =>
    world.credential({
      identity: {
        auth_kind: 'apikey',
        organization_id,
        user_id,
        email: null,
        name: 'Test',
        superadmin: false,
      },
      credential_kind,
      scopes: ['*'],
      expires_ms: null,
      superadmin_withheld: false,
      role: 'owner',
      ...more,
    });
  const [program, person] = [as('api_key', { credential_id: `key:${api_key_id}` }), as('session')];
  const number = await need<{ id: string; e164: string }>(
    person('POST', '/v1/numbers', { country_code: 'US' }),
  );
  const { id: agent_id } = await need<{ id: string }>(person('POST', '/v1/agents', prompt_agent));
  await need(person('PATCH', `/v1/numbers/${number.id}`, { sms_agent_id: agent_id }));
  const mailbox = await newMailbox(world, person, organization_id);
  return { organization_id, program, person, api_key_id, agent_id, number: number.e164, mailbox };
}

/** A policy is refused when nobody could decide about it, so the organization has an owner. */
async function storeMember(
  { db, clock }: World,
  { organization_id, user_id, api_key_id }: { organization_id: string; user_id: string; api_key_id: string },
): Promise<void> {
  const now = clock.now();
  await db.run(sql`
    insert into organizations (id, name, origin, balance_micros, created_at, updated_at)
    values (${organization_id}, 'Test', 'human', 0, ${now}, ${now})`);
  await db.run(sql`
    insert into accounts.users (id, name, email, email_verified, created_at, updated_at)
    values (${user_id}, 'Test', ${`${user_id}@example.com`}, true, ${now}, ${now})`);
  await db.run(sql`
    insert into members (id, organization_id, user_id, role, created_at)
    values (${randomUUID()}, ${organization_id}, ${user_id}, 'owner', ${now})`);
  await db.run(sql`
    insert into api_keys (id, organization_id, user_id, name, start, hash, scopes, created_at)
    values (${api_key_id}, ${organization_id}, ${user_id}, 'Test', 'test', ${api_key_id}, array['*'], ${now})`);
}

async function newMailbox(world: World, person: Ask, organization_id: string): Promise<string> {
  const mailbox = await need<{ id: string; default_address: string }>(
    person('POST', '/v1/email-domains', {
      kind: 'service_mail',
      local_prefix_user: 'desk',
      local_prefix_org: organization_id.slice(-12),
    }),
  );
  // Gets a copy of every email that the organization receives.
  const archive = `archive-${organization_id}@example.org`;
  await need(person('PATCH', `/v1/email-domains/${mailbox.id}`, { forward_to: [archive] }));
  await world.advance(1);
  const links = world.recorder.handed.flatMap(({ text, recipients }) =>
    recipients.includes(archive) ? (forwardLinks(text) ?? []) : [],
  )[0];
  assert.ok(links, 'no mail asked to confirm the forward address');
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const { pathname } = new URL(links.confirm);
  const response = await fetch(world.url() + pathname, { method: 'POST', headers, body: '' });
  assert.equal(response.status, 200);
  return mailbox.default_address;
}
