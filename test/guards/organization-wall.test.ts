// Guard for all operations: none works without a credential, and no organization sees records of another.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { operationGroups } from '../../packages/contract/src/index.ts';
import type { Operation } from '../../packages/contract/src/operation.ts';
import { approvalExample } from '../../packages/contract/src/rules/approvals/approvals.ts';
import { sql } from '../../packages/server/src/platform/db/sql.ts';
import { type Client, startTestApp } from '../../packages/server/testing/app.ts';
import { addMember, managedOrganization, memberClient } from '../../packages/server/testing/managed.ts';

const managed = await startTestApp({ PARLEY_MANAGED: 'on', WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8' });
const { app, url, client, anonymous, organization } = managed;
const { client: owner } = await managedOrganization(managed);
const { client: outsider } = await managedOrganization(managed);

const operations = operationGroups.flatMap(({ noun, operations }) =>
  Object.entries(operations).map(([name, operation]) => ({
    id: `${noun}.${name}`,
    operation: operation as Operation,
  })),
);
const demanding = operations.filter(({ operation }) => operation.access !== 'public');
const forAll = demanding.filter(({ operation }) => operation.access !== 'superadmin');
const forSuperadmins = demanding.filter(({ operation }) => operation.access === 'superadmin');

/** Creates a real record of the owner for each path parameter of the API. */
const creators: Record<string, (of: Client) => Promise<string>> = {
  organization_id: async (of) => of.organization_id,
  user_id: async (of) => (await addMember(managed, of.organization_id, { role: 'member' })).user_id,
  member_id: async (of) => (await addMember(managed, of.organization_id, { role: 'member' })).id,
  api_key_id: (of) => made(of, '/v1/api-keys', { name: 'Example' }),
  oauth_grant_id: (of) => makeGrant(of),
  // Only a person invites; the operator of the server does it for any organization.
  invitation_id: (of) =>
    made(client, `/v1/admin/organizations/${of.organization_id}/invitations`, {
      email: `${randomUUID()}@example.com`,
    }),
  contact_id: async (of) => {
    const answer = await of.request<{ id: string }>('POST', '/v1/contacts', {
      name: 'Example',
      email: `${randomUUID()}@example.com`,
    });
    assert.equal(answer.status, 201);
    return answer.body.id;
  },
  email_id: async (of) =>
    made(of, '/v1/emails', { recipient_consent: true, to: ['a@b.test'], subject: 'Example' }),
  batch_id: async (of) => {
    const email = { recipient_consent: true, to: ['a@b.test'], subject: 'Example' };
    return made(of, '/v1/email-batches', { emails: [email] });
  },
  domain_id: async (of) =>
    made(of, '/v1/email-domains', {
      kind: 'service_mail',
      local_prefix_user: 'example',
      local_prefix_org: randomUUID().slice(0, 13),
    }),
  suppression_id: async (of) =>
    made(of, '/v1/email-suppressions', { recipient: `${randomUUID()}@example.com` }),
  attachment_id: async (of) => {
    const form = new FormData();
    form.append('file', new Blob(['example']), 'example.txt');
    const headers = { authorization: `Bearer ${of.key}` };
    const answer = await fetch(`${url}/v1/email-attachments`, { method: 'POST', headers, body: form });
    assert.equal(answer.status, 201);
    return ((await answer.json()) as { id: string }).id;
  },
  call_id: (of) => made(of, '/v1/calls', { to: '+15005550204', recipient_consent: true }),
  command_id: (of) => makeCommand(of),
  agent_id: (of) => made(of, '/v1/agents', { name: 'Example' }),
  server_id: (of) =>
    made(of, '/v1/mcp-servers', { name: `x_${randomUUID().slice(0, 8)}`, url: 'http://127.0.0.1:9/mcp' }),
  tool_id: (of) =>
    made(of, '/v1/tools', {
      name: `x_${randomUUID().slice(0, 8)}`,
      description: 'Free slots on a day.',
      parameters: { type: 'object', properties: {} },
      url: 'https://api.example.com/slots',
    }),
  receipt_id: (of) => makeReceipt(of),
  // Only a person erases people and sets budgets.
  erasure_id: (of) =>
    made(organization({ organization_id: of.organization_id, credential_kind: 'session' }), '/v1/erasures', {
      parties: ['+14155550177'],
    }),
  budget_id: (of) =>
    made(organization({ organization_id: of.organization_id, credential_kind: 'session' }), '/v1/budgets', {
      subject: { kind: 'organization', id: null },
      channel: 'all',
      window: 'day',
      max_count: 1_000_000,
    }),
  receive_rule_id: (of) =>
    made(of, '/v1/receive-rules', {
      channel: 'email',
      match: { kind: 'address', value: `${randomUUID()}@example.com` },
      action: 'block',
    }),
  consent_id: (of) =>
    made(of, '/v1/consents', {
      recipient: '+15005550124',
      channels: ['sms'],
      purposes: ['conversational'],
      basis: 'express',
      source: { kind: 'api' },
    }),
  conversation_id: (of) => makeConversation(of),
  conversation_token_id: async (of) => made(of, `/v1/conversations/${await makeConversation(of)}/tokens`, {}),
  suspicion_id: async (of) => {
    const { id: email_id } = (
      await of.request<{ id: string }>('POST', '/v1/emails', {
        recipient_consent: true,
        to: ['suspected@example.com'],
        subject: 'Example',
      })
    ).body;
    const sent = await of.request<{ message_id: string }>('GET', `/v1/emails/${email_id}`);
    const reply = {
      from: 'suspected@example.com',
      text: 'Not interested',
      in_reply_to: sent.body.message_id,
    };
    assert.equal((await of.request('POST', '/v1/sandbox/inbound-emails', reply)).status, 201);
    const open = await of.request<{ items: { id: string }[] }>('GET', '/v1/consents/suspected');
    return open.body.items[0]!.id;
  },
  number_id: (of) => made(of, '/v1/numbers', { country_code: 'US' }),
  verification_id: (of) =>
    made(of, '/v1/verifications', {
      country_code: 'DE',
      number_type: 'local',
      subject_type: 'individual',
      subject_name: 'Example',
    }),
  document_id: async (of) => {
    const verification = await made(of, '/v1/verifications', {
      country_code: 'FR',
      number_type: 'local',
      subject_name: 'Example',
      submit: false,
    });
    const form = new FormData();
    form.append('file', new Blob(['%PDF-1.4']), 'bill.pdf');
    form.append('requirement', 'proof_of_address');
    form.append('document_type', 'utility_bill');
    const headers = { authorization: `Bearer ${of.key}` };
    const path = `${url}/v1/verifications/${verification}/documents`;
    const answer = await fetch(path, { method: 'POST', headers, body: form });
    return ((await answer.json()) as { id: string }).id;
  },
  sms_id: (of) => made(of, '/v1/sms', { to: '+15005550001', body: 'Example', recipient_consent: true }),
  sms_suppression_id: (of) => made(of, '/v1/sms/suppressions', { recipient: '+15005550123' }),
  // Belongs to no organization: only a superadmin can create one.
  pool_number_id: () =>
    made(client, '/v1/admin/pool-numbers', {
      e164: `+1500555${String(pool_numbers_made++).padStart(4, '0')}`,
    }),
  // Belongs to no organization; only a superadmin sees it.
  set_aside_work_id: async () => {
    const id = randomUUID();
    await managed.db.run(sql`
      insert into set_aside_work (id, queue, kind, object_id, reason, lost_runs, failed_runs, last_error, queued_at, set_aside_at)
      values (${id}, 'jobs', 'example', ${randomUUID()}, 'failed', 0, 1, 'Error: example', now(), now())`);
    return id;
  },
  approval_id: (of) => makeApproval(of),
  object_id: (of) => makeApproval(of),
  request_id: async (of) => {
    const id = randomUUID();
    await of.request('GET', '/v1/sms', undefined, { 'x-request-id': id });
    return id;
  },
  wait_id: (of) => made(of, '/v1/waits', { any_of: [{ kind: 'email' }] }),
  subscription_id: (of) => makeSubscription(of),
  certification_id: async (of) => made(of, `/v1/webhooks/${await makeSubscription(of)}/certify`, undefined),
  delivery_id: async (of) => {
    const answer = await of.request<{ id: string }>(
      'POST',
      `/v1/webhooks/${await makeSubscription(of)}/test`,
    );
    assert.equal(answer.status, 201);
    return answer.body.id;
  },
};
let pool_numbers_made = 9000;
let receipts_made = 1_000_000;

async function made(of: Client, path: string, body: unknown): Promise<string> {
  const answer = await of.request<{ id: string }>('POST', path, body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.id;
}

async function makeConversation(of: Client): Promise<string> {
  const text = { to: '+15005550001', body: 'Example', recipient_consent: true };
  const answer = await of.request<{ conversation_id: string }>('POST', '/v1/sms', text);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.conversation_id;
}

/** The record that the consent page creates. */
async function makeGrant(of: Client): Promise<string> {
  const [id, client_id] = [randomUUID(), randomUUID()];
  const { user_id } = (await of.request<{ user_id: string }>('GET', '/v1/whoami')).body;
  await managed.db.run(sql`
    insert into accounts."oauthClient" ("clientId", name, "redirectUris") values (${client_id}, 'Example', '[]')`);
  await managed.db.run(sql`
    insert into accounts."oauthConsent" (id, "clientId", "userId", "referenceId", scopes, "createdAt", "updatedAt")
    values (${id}, ${client_id}, ${user_id}, ${of.organization_id}, '["parley"]', now(), now())`);
  return id;
}

/** Commands are accepted only during a call. */
async function makeCommand(of: Client): Promise<string> {
  const id = randomUUID();
  await managed.db.run(sql`
    insert into call_commands (organization_id, id, call_id, kind, body, created_at, expires_at)
    values (${of.organization_id}, ${id}, ${randomUUID()}, 'say', '{}', now(), now())`);
  return id;
}

/** Receipts are issued in the background. */
async function makeReceipt(of: Client): Promise<string> {
  const id = randomUUID();
  await managed.db.run(sql`
    insert into receipts (id, organization_id, seq, noun, object_id, kid, jws, created_at)
    values (${id}, ${of.organization_id}, ${receipts_made++}, 'sms', ${id}, 'example', 'example', now())`);
  return id;
}

async function makeApproval(of: Client): Promise<string> {
  const id = randomUUID();
  await managed.db.run(sql`
    insert into approvals (organization_id, id, status, noun, object_id, payload_sha256, quoted_price_micros, shown, messages,
                           reasons, rule, terms, policy_version, requested_by, requested_at, expires_at)
    values (${of.organization_id}, ${id}, 'pending', 'email', ${id}, 'hash', 0, ${JSON.stringify(approvalExample.shown)}, '[]',
            '[]', 'Example', '{"approvers":[],"decide_by":["console"],"charges":[],"payloads":null}', 1,
            ${JSON.stringify(approvalExample.requested_by)}, now(), now() + interval '1 day')`);
  return id;
}

/** Its URL is on this machine, where no program listens. */
async function makeSubscription(of: Client): Promise<string> {
  const answer = await of.request<{ id: string }>('POST', '/v1/webhooks', {
    target_url: 'http://127.0.0.1:9/',
    event_types: ['call.completed'],
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.id;
}

/** Parameters that are fixed names and not ids of records: all callers may use them. */
const fixed_values: Record<string, string> = { layer: 'llm', provider: 'openai-compatible' };

const parametersOf = (operation: Operation) =>
  [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
const fill = (operation: Operation, values: Record<string, string>) =>
  operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? fixed_values[name]!);
const send = (as: Client, operation: Operation, path: string, headers = {}) =>
  as.request<{ code: string }>(
    operation.method,
    path,
    operation.body ? operation.body_example : undefined,
    headers,
  );
const someIds = (operation: Operation) =>
  Object.fromEntries(idsOf(operation).map((name) => [name, randomUUID()]));
const idsOf = (operation: Operation) => parametersOf(operation).filter((name) => !(name in fixed_values));

test('every operation that is not public refuses a missing, wrong or malformed credential with the same 401', async () => {
  const malformed = [
    'Bearer',
    'Bearer ',
    `Basic ${client.key}`,
    `Bearer ${client.key}x`,
    `Bearer ${client.key.slice(0, -1)}`,
    client.key,
  ];
  assert.ok(demanding.length > 10 * malformed.length);
  for (const [index, { id, operation }] of demanding.entries()) {
    const path = fill(operation, someIds(operation));
    // One hook reads the header for all operations, so each operation gets one of the malformed ones in turn.
    for (const authorization of ['', 'Bearer wrong', malformed[index % malformed.length]!]) {
      const answer = await send(anonymous, operation, path, authorization ? { authorization } : {});
      assert.equal(answer.status, 401, `${id} with "${authorization}"`);
      assert.equal(answer.body.code, 'unauthenticated');
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
    }
  }
});

test('every id of another organization gets 404, with the same body as an unknown id', async () => {
  // One record per parameter is enough: a refused operation changes nothing.
  const records: Record<string, string> = {};
  for (const { id, operation } of demanding) {
    const names = idsOf(operation);
    if (names.length === 0) continue;
    const real: Record<string, string> = {};
    for (const name of names) {
      assert.ok(creators[name], `${id}: add a creator for ${name} to this guard`);
      real[name] = records[name] ??= await creators[name](owner);
    }
    // The shared key belongs to an organization too; it only has superadmin permissions in addition.
    const others = operation.access === 'superadmin' ? [outsider] : [outsider, client];
    for (const other of others) {
      const refused = await send(other, operation, fill(operation, real));
      const absent = await send(other, operation, fill(operation, someIds(operation)));
      assert.equal(refused.status, 404, id);
      const { request_id: _, ...said } = refused.body as Record<string, unknown>;
      const { request_id: __, ...same } = absent.body as Record<string, unknown>;
      assert.deepEqual(said, same, id);
    }
  }
});

test('a person without a membership can use no operation', async () => {
  const { member, client: leaver } = await memberClient(managed, owner.organization_id, 'owner');
  await client.request('DELETE', `/v1/admin/organizations/${owner.organization_id}/members/${member.id}`);
  for (const { id, operation } of demanding) {
    const answer = await send(leaver, operation, fill(operation, someIds(operation)));
    assert.deepEqual([answer.status, answer.body.code], [403, 'user_not_provisioned'], id);
  }
});

test('no list shows records of another organization', async () => {
  for (const make of Object.values(creators)) await make(owner);
  const newcomer = organization();
  for (const { id, operation } of forAll) {
    if (
      operation.method !== 'GET' ||
      parametersOf(operation).length > 0 ||
      !operation.query ||
      !('cursor' in operation.query.shape)
    )
      continue;
    const answer = await newcomer.request<{ items: unknown[] }>('GET', operation.path);
    assert.equal(answer.status, 200, `${id}: ${answer.text}`);
    // The request log has the requests of this loop.
    const foreign = (answer.body.items as { credential_id?: string }[]).filter(
      ({ credential_id }) => credential_id !== newcomer.key,
    );
    assert.deepEqual(foreign, [], id);
  }
});

test('a malformed id in a path is a 422 that names it', async () => {
  for (const { id, operation } of forAll) {
    // Clients choose the ids of requests.
    const names = parametersOf(operation).filter((name) => name.endsWith('_id') && name !== 'request_id');
    for (const name of names) {
      const answer = await send(
        owner,
        operation,
        fill(operation, { ...someIds(operation), [name]: 'not-a-uuid' }),
      );
      assert.equal(answer.status, 422, id);
      assert.ok(answer.text.includes(`"path.${name}"`), answer.text);
    }
  }
});

test('a credential without the scope is refused with 403', async () => {
  const limited = organization({ scopes: ['nothing:read'] });
  for (const { id, operation } of forAll) {
    const answer = await send(limited, operation, fill(operation, someIds(operation)));
    if (operation.access === 'any_credential') {
      assert.equal(answer.status, operation.success.status, id);
      continue;
    }
    assert.equal(answer.status, 403, id);
    assert.equal(answer.body.code, 'insufficient_scope');
  }
});

test('operations for superadmins respond with 404 to all others', async () => {
  for (const { id, operation } of forSuperadmins) {
    const answer = await send(outsider, operation, fill(operation, someIds(operation)));
    assert.equal(answer.status, 404, id);
    assert.equal(answer.body.code, 'not_found');
  }
});

test('every declared operation is served', () => {
  for (const { id, operation } of operations) {
    const url = operation.path.replaceAll(/\{(\w+)\}/g, ':$1');
    assert.ok(app.http.hasRoute({ method: operation.method, url }), id);
  }
});
