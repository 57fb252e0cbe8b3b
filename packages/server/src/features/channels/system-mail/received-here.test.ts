// Mail with a code or a link for one person never goes where programs read: no address that this server receives for gets it.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { EmailDomain } from '@parley/contract/channels/emails/email-domains';
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { Approval } from '@parley/contract/rules/approvals/approvals';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { startMailApp } from '../../../../testing/mail-app.ts';
import { addMember, asPerson, managedOrganization } from '../../../../testing/managed.ts';
import { relayOf } from '../../../../testing/scripted-relay.ts';
import { deliver, rawMessage } from '../../../../testing/smtp-client.ts';
import { password, signUp, visitor } from '../../../../testing/visitor.ts';
import { sql } from '../../../platform/db/sql.ts';

const settings = {
  PARLEY_MANAGED: 'on',
  PARLEY_SIGN_UP: 'open',
  PARLEY_TRUSTED_PROXIES: '127.0.0.1',
};
const app = await startTestApp(settings);
const { client, db, url } = app;
const acme = await managedOrganization(app);
const rival = await managedOrganization(app);
let created = 0;
const newName = () => `domain${++created}.example`;

async function addDomain(of: Client, domain: string): Promise<string> {
  const answer = await of.request<EmailDomain>('POST', '/v1/email-domains', { kind: 'custom', domain });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.id;
}
const setVerified = (id: string) =>
  db.run(sql`update email_domains set verification_status = 'verified' where id = ${id}`);
async function receivingDomain(of: Client = acme.client, domain = newName()): Promise<string> {
  await setVerified(await addDomain(of, domain));
  return domain;
}

type Outbox = { items: { to: string[]; message: { subject: string; text: string } }[] };
/** What the service mailed to the address, as the operator of a sandbox sees it. */
async function mailsTo(address: string): Promise<Outbox['items']> {
  await app.app.jobs.drain();
  const { body } = await client.request<Outbox>('GET', '/v1/sandbox/outbox?channel=email&limit=200');
  return body.items.filter(({ to }) => to[0]?.toLowerCase() === address.toLowerCase());
}
const invite = (email: string) =>
  client.request<{ code: string; fix: string }>(
    'POST',
    `/v1/admin/organizations/${acme.organization.id}/invitations`,
    { email },
  );
const forgot = (email: string) => visitor(url).send('/auth/passwords/forgot', { email });
const newSignUp = (email: string) => visitor(url).send('/auth/sign-up', { name: 'Ana', email, password });

describe('S2: an address that this server receives for', () => {
  test('S2: gets no code of a sign-up and no link for a password, and the page says what to do', async () => {
    const domain = await receivingDomain(rival.client);
    const email = `ana@${domain}`;
    const refused = await newSignUp(email);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /receives the mail of[\s\S]*address at another mail service/);
    const no_link = await forgot(email);
    assert.equal(no_link.status, 422);
    assert.match(no_link.text, /ask the operator/);
    assert.deepEqual(await mailsTo(email), []);
  });

  test('S2: is no address of a new member or an invitation, in any spelling', async () => {
    const domain = await receivingDomain();
    const idn = await receivingDomain(acme.client, `xn--bcher-kva${++created}.example`);
    const sub = `mail.${domain}`;
    await receivingDomain(rival.client, sub);
    const service = await rival.client.request<EmailDomain>('POST', '/v1/email-domains', {
      kind: 'service_mail',
      local_prefix_user: 'ana',
      local_prefix_org: `rival${++created}`,
    });
    const unicode = idn.replace(
      /^xn--bcher-kva\d+/,
      (name) => URL.parse(`http://${name}.example`)!.hostname.split('.')[0]!,
    );
    const spellings = [
      `ana@${domain}`,
      `Ana@${domain.toUpperCase()}`,
      `ana+codes@${domain}`,
      `ana@${sub}`,
      `ana@${unicode}`,
      service.body.default_address,
      service.body.default_address.replace('@', '+tag@'),
      'somebody@sandbox.test',
    ];
    for (const email of spellings) {
      const invited = await invite(email);
      assert.deepEqual([invited.status, invited.body.code], [422, 'address_received_here'], email);
      assert.match(invited.body.fix, /another mail service/);
      const path = `/v1/admin/organizations/${acme.organization.id}/members`;
      const added = await client.request<{ code: string }>('POST', path, {
        email,
        name: 'Ana',
        role: 'admin',
      });
      assert.deepEqual([added.status, added.body.code], [422, 'address_received_here'], email);
      assert.deepEqual(await mailsTo(email), []);
    }
    // With a dot at the end the name is the same, if the address is accepted at all.
    const dotted = await invite(`ana@${domain}.`);
    assert.ok(dotted.status === 422, dotted.text);
    // Another host of the same domain is not received here.
    assert.equal((await invite(`ana@other.${domain}`)).status, 201);
  });

  test('S2: gets no confirmation of a forward', async () => {
    const [own, foreign] = [await receivingDomain(), await receivingDomain(rival.client)];
    const { body: page } = await acme.client.request<{ items: EmailDomain[] }>('GET', '/v1/email-domains');
    const { id } = page.items.find((each) => each.domain === own)!;
    const changed = await acme.client.request<{ code: string }>('PATCH', `/v1/email-domains/${id}`, {
      forward_to: [`box@${foreign}`],
    });
    assert.deepEqual([changed.status, changed.body.code], [422, 'address_received_here'], changed.text);

    // The domain of the address is added after the request and before the owner confirms.
    const later = newName();
    const asked = await acme.client.request<EmailDomain>('PATCH', `/v1/email-domains/${id}`, {
      forward_to: [`box@${later}`],
    });
    assert.deepEqual(asked.body.forward_pending, [`box@${later}`]);
    assert.equal((await mailsTo(`box@${later}`)).length, 1);
    await receivingDomain(rival.client, later);
    const again = await acme.client.request<{ code: string }>(
      'POST',
      `/v1/email-domains/${id}/forward-confirmations`,
      { address: `box@${later}` },
    );
    assert.deepEqual([again.status, again.body.code], [422, 'address_received_here']);
    assert.equal((await mailsTo(`box@${later}`)).length, 1);
  });

  test('S2: gets no approval link: the policy is refused, and after a later domain the person decides in the console', async () => {
    const { organization, client: key } = await managedOrganization(app);
    const later = newName();
    const admin = await addMember(app, organization.id, { role: 'admin', email: `eva@${later}` });
    const person = asPerson(app, admin);
    const rules = [{ name: 'All', when: ['always'], then: 'hold', decide_by: ['link'] }];
    const send = async () => {
      const sent = await key.request<Email>('POST', '/v1/emails', {
        recipient_consent: true,
        to: [`${randomUUID()}@example.org`],
        subject: 'Offer',
        body_text: 'Hello',
      });
      assert.equal(sent.status, 201, sent.text);
      const path = `/v1/approvals/${sent.body.hold!.approval_id}`;
      return (await key.request<Approval>('GET', path)).body;
    };
    assert.equal((await person.request('PUT', '/v1/approval-policy', { rules })).status, 200);
    await send();
    assert.equal((await mailsTo(admin.email)).length, 1, 'an outside address gets its link');

    await receivingDomain(key, later);
    const waiting = await send();
    assert.equal((await mailsTo(admin.email)).length, 1, 'no link after the domain was added');
    const { payload_sha256 } = waiting;
    const own = await key.request<{ code: string }>('POST', `/v1/approvals/${waiting.id}/approve`, {
      payload_sha256,
    });
    assert.deepEqual([own.status, own.body.code], [403, 'approval_not_yours']);
    const decided = await person.request<Approval>('POST', `/v1/approvals/${waiting.id}/approve`, {
      payload_sha256,
    });
    assert.deepEqual([decided.status, decided.body.decided_via], [200, 'console'], decided.text);

    const again = await person.request<{ code: string; detail: string }>('PUT', '/v1/approval-policy', {
      rules,
    });
    assert.deepEqual([again.status, again.body.code], [422, 'address_received_here']);
    assert.match(again.body.detail, new RegExp(admin.email));
    const in_console = [{ ...rules[0], decide_by: ['console'] }];
    assert.equal((await person.request('PUT', '/v1/approval-policy', { rules: in_console })).status, 200);
  });

  test('S2: gets nothing that was written before its domain was added', async () => {
    const email = `ana@${newName()}`;
    const all = { calls: false, emails: true, sms: false };
    assert.equal((await app.operator.request('PATCH', '/v1/admin/kill-switch', all)).status, 200);
    assert.equal((await newSignUp(email)).status, 303);
    await app.app.jobs.drain();
    await receivingDomain(rival.client, email.split('@')[1]);
    assert.equal(
      (await app.operator.request('PATCH', '/v1/admin/kill-switch', { ...all, emails: false })).status,
      200,
    );
    await app.later(600);
    assert.deepEqual(await mailsTo(email), []);
    const row = await db.maybe<{ failure: string; is_kept: boolean }>(sql`
      select m.failure, m.message_sealed is not null as is_kept
        from system_mails m join sign_ups s on s.id::text = m.reference where s.email = ${email}`);
    assert.deepEqual(row, { failure: 'address_received_here', is_kept: false });
  });

  test('S2: its owner still signs in, and gets a link for a password from the operator', async () => {
    const email = `ana@${newName()}`;
    await signUp(app, { email, organization: 'Later' });
    await receivingDomain(rival.client, email.split('@')[1]);
    assert.equal((await forgot(email)).status, 422);
    assert.equal((await mailsTo(email)).filter(({ message }) => /passwords\//.test(message.text)).length, 0);
    assert.equal((await visitor(url).send('/auth/sign-in', { email, password })).status, 303);
    const user = await db.maybe<{ id: string }>(sql`select id from accounts.users where email = ${email}`);
    const link = await client.request<{ url: string }>('POST', `/v1/admin/users/${user!.id}/password-links`);
    const changed = await visitor(url).send(new URL(link.body.url).pathname, { password: `${password} 2` });
    assert.equal(changed.status, 303);
  });
});

describe('S2: an address that this server does not receive for gets its mail', () => {
  const getsLink = async (email: string) => {
    assert.equal((await forgot(email)).status, 200);
    return (await mailsTo(email)).some(({ message }) => /passwords\//.test(message.text));
  };
  const account = async () => {
    const [domain] = [newName()];
    const email = `ana@${domain}`;
    await signUp(app, { email });
    return { domain, email };
  };

  test('S2: also when another organization adds its domain without verifying it', async () => {
    const { domain, email } = await account();
    await addDomain(rival.client, domain);
    assert.ok(await getsLink(email));
    assert.equal((await invite(`bob@${domain}`)).status, 201);
  });

  test('S2: also when its organization only sends from the domain', async () => {
    const { domain, email } = await account();
    const id = await addDomain(acme.client, domain);
    await setVerified(id);
    const found = (status: string, mx: string[]) =>
      db.run(sql`
        update email_domains set dns_records = (
          select json_agg(case when r ->> 'purpose' = 'inbound_mx'
                               then (r::jsonb || ${JSON.stringify({ status, found: mx })}::jsonb)::json else r end)
            from json_array_elements(dns_records) r) where id = ${id}`);
    await found('wrong', ['5 mx.google.test', '10 alt.google.test']);
    assert.ok(await getsLink(email));
    await found('missing', []);
    assert.equal((await forgot(email)).status, 422);
    // As a backup behind another host, this server still receives.
    await found('wrong', ['5 mx.google.test', '10 mail.localhost']);
    assert.equal((await forgot(email)).status, 422);
    assert.equal(
      (await acme.client.request('PATCH', `/v1/email-domains/${id}`, { inbound_enabled: false })).status,
      200,
    );
    assert.equal((await forgot(email)).status, 200);
  });
});

test('S2: mail of the service that comes back to this server is refused, also in a bounce or a reply', async () => {
  const relay = await relayOf({});
  const mail_app = await startMailApp({
    ...settings,
    PARLEY_SMTP_URL: `smtp://127.0.0.1:${relay.port}`,
    PARLEY_SMTP_TLS: 'off',
  });
  const { client: key } = await managedOrganization(mail_app);
  const { default_address: to } = (
    await key.request<EmailDomain>('POST', '/v1/email-domains', {
      kind: 'service_mail',
      local_prefix_user: 'sales',
      local_prefix_org: 'acme',
    })
  ).body;
  const answer = await visitor(mail_app.url).send('/auth/sign-up', {
    name: 'Ana',
    email: 'ana@outside.example',
    password,
  });
  assert.equal(answer.status, 303);
  await mail_app.app.jobs.drain();
  const [mail] = relay.contents;
  assert.match(mail!, /\d{4} \d{4}/);
  const without_id = mail!.replace(/^Message-ID: .*\r\n/im, 'Message-ID: <other@ses.test>\r\n');
  const id = /^Parley-Service-Mail: (\S+)/m.exec(mail!)![1]!;
  const returned = rawMessage({
    headers: ['Content-Type: multipart/report; report-type=delivery-status; boundary=b'],
    body: `--b\r\nContent-Type: text/plain\r\n\r\nMailbox full\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n${without_id}\r\n--b--`,
  });
  const reply = rawMessage({ headers: [`In-Reply-To: <${id}@ses.test>`], body: '> Your code is 1234 5678' });
  const forwarded = `Received: from a by b; Sun, 15 Nov 2026 10:00:00 +0000\r\n${without_id}`;
  for (const raw of [mail!, forwarded, returned, reply])
    assert.match(await deliver(mail_app.smtp_port, { to, raw }), /^550 5\.7\.1 /);
  const invented = rawMessage({ headers: [`Parley-Service-Mail: ${randomUUID()}`] });
  assert.match(await deliver(mail_app.smtp_port, { to, raw: invented }), /^250 /);
  const list = await key.request<{ items: Email[] }>('GET', '/v1/emails?direction=inbound');
  assert.equal(list.body.items.length, 1);
});
