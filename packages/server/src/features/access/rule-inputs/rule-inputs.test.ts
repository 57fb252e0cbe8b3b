// What rules read is guarded like the rules: a program cannot pass a rule by changing contacts, domains, zones, prices or lists.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { EmailDomain } from '@parley/contract/channels/emails/email-domains';
import type { Contact } from '@parley/contract/rules/people/contacts';
import type { ReceiveRule } from '@parley/contract/rules/receive-rules';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { startDns } from '../../../../testing/dns-server.ts';
import { addMember, asPerson, managedOrganization } from '../../../../testing/managed.ts';
import { sql } from '../../../platform/db/sql.ts';
import { default_sms_sender } from '../../../providers/carrier/sandbox/index.ts';

type Problem = { code: string; fix: string };
type Sent = Problem & { hold: { kind: string } | null };

const dns = await startDns();
const app = await startTestApp({
  PARLEY_MANAGED: 'on',
  PARLEY_DNS_SERVERS: dns.address,
  PARLEY_MAIL_HOST: 'mx.parley.test',
});

/** A person and a key of the same new organization. */
function organization() {
  const organization_id = randomUUID();
  return {
    person: app.organization({ organization_id, credential_kind: 'session' }),
    program: app.organization({ organization_id }),
  };
}

const outcome = ({ status, body }: { status: number; body: Partial<Problem> }) =>
  status < 300 ? status : [status, body.code];
const text = async (of: Client, to: string, more: object = {}) =>
  of.request<Sent>('POST', '/v1/sms', { to, body: 'Hello', recipient_consent: true, ...more });
const email = async (of: Client, to: string) =>
  of.request<Sent>('POST', '/v1/emails', {
    to: [to],
    subject: 'Hello',
    body_text: 'Hi',
    recipient_consent: true,
  });
const holdOf = async (sent: Promise<{ status: number; text: string; body: Sent }>) => {
  const { status, body, text: answer } = await sent;
  assert.equal(status, 201, answer);
  return body.hold?.kind ?? null;
};
const refuseStrangers = async (person: Client) => {
  const rules = [{ name: 'Strangers', when: ['not_vouched'], then: 'refuse' }];
  const set = await person.request('PUT', '/v1/approval-policy', { rules });
  assert.equal(set.status, 200, set.text);
};
const not_allowed = [403, 'not_allowed_by_policy'];
const person_required = [403, 'person_required'];

async function customDomain(of: Client): Promise<EmailDomain> {
  const name = `d${randomUUID().slice(0, 8)}.example.org`;
  const { body } = await of.request<EmailDomain>('POST', '/v1/email-domains', {
    kind: 'custom',
    domain: name,
  });
  const dkim = body.dns_records.find(({ purpose }) => purpose === 'dkim')!;
  dns.records.set(dkim.name, { TXT: [dkim.value] });
  return body;
}
const verify = async (of: Client, { id }: EmailDomain) => {
  const answer = await of.request<EmailDomain>('POST', `/v1/email-domains/${id}/verify`);
  assert.equal(answer.body.verification_status, 'verified', answer.text);
  return answer.body;
};

describe('vouching', () => {
  test('S5: a domain that a program had verified does not vouch; one that a person had verified does', async () => {
    const { person, program } = organization();
    await refuseStrangers(person);
    const domain = await customDomain(program);
    assert.equal((await verify(program, domain)).is_vouched, false);
    const drop = `drop@${domain.domain}`;
    assert.deepEqual(outcome(await email(program, drop)), not_allowed);
    assert.equal((await verify(person, domain)).is_vouched, true);
    // Verified again by a program it keeps what the person said.
    assert.equal((await verify(program, domain)).is_vouched, true);
    assert.equal(await holdOf(email(program, `other-${drop}`)), null);
  });

  test('S5: mail is forwarded to a domain without asking only when a person had it verified', async () => {
    const { person, program } = organization();
    const domain = await customDomain(program);
    await verify(program, domain);
    const mailbox = await program.request<EmailDomain>('POST', '/v1/email-domains', {
      kind: 'service_mail',
      local_prefix_user: 'desk',
      local_prefix_org: `o${randomUUID().slice(0, 8)}`,
    });
    const path = `/v1/email-domains/${mailbox.body.id}`;
    const drop = `drop@${domain.domain}`;
    await program.request('PATCH', path, { forward_to: [drop] });
    const forwards = async () => {
      const { body } = await program.request<EmailDomain>('GET', path);
      return [body.forward_to, body.forward_pending];
    };
    assert.deepEqual(await forwards(), [[], [drop]]);
    await verify(person, domain);
    assert.deepEqual(await forwards(), [[drop], []]);
  });

  test('S5: a program cannot change the contact of a member, and what it prepared does not become the member’s', async () => {
    const { organization: own, owner, client: program } = await managedOrganization(app);
    const person = asPerson(app, owner);
    await refuseStrangers(person);
    const stranger = '+14155559001';
    const address = `${randomUUID()}@example.com`;
    const prepared = await program.request<Contact>('POST', '/v1/contacts', {
      name: 'Helper',
      email: address,
      phone_e164: stranger,
      time_zone: 'Antarctica/Casey',
    });
    assert.equal(prepared.body.is_vouched, false, prepared.text);
    const member = await addMember(app, own.id, { role: 'member', email: address });
    assert.notEqual(member.contact_id, prepared.body.id);
    const read = async (id: string) => (await program.request<Contact>('GET', `/v1/contacts/${id}`)).body;
    const [joined, left] = [await read(member.contact_id!), await read(prepared.body.id)];
    assert.deepEqual(
      [joined.kind, joined.email, joined.phone_e164, joined.is_vouched],
      ['member', address, null, true],
    );
    assert.deepEqual(
      [left.kind, left.email, left.phone_e164, left.is_vouched],
      ['contact', null, stranger, false],
    );
    assert.deepEqual(outcome(await text(program, stranger)), not_allowed);
    assert.equal(await holdOf(email(program, address)), null);
    const path = `/v1/contacts/${member.contact_id}`;
    for (const patch of [
      { phone_e164: stranger },
      { email: 'drop@evil.org' },
      { name: 'Other' },
      { time_zone: 'UTC' },
    ])
      assert.deepEqual(
        outcome(await program.request<Problem>('PATCH', path, patch)),
        person_required,
        JSON.stringify(patch),
      );
    assert.deepEqual(outcome(await program.request<Problem>('DELETE', path)), person_required);
    assert.equal((await program.request('PATCH', path, { do_not_contact: true })).status, 200, 'stricter');
    assert.equal((await person.request('PATCH', path, { phone_e164: '+14155559002' })).status, 200);
  });

  test('S5: a member whose contact a program had changed before is not vouched for by being a member', async () => {
    const { person, program } = organization();
    await refuseStrangers(person);
    const stranger = '+14155559003';
    const { body } = await program.request<Contact>('POST', '/v1/contacts', {
      name: 'Ana',
      phone_e164: stranger,
    });
    await app.db.run(sql`
      update contacts set kind = 'member' where id = ${body.id}`);
    assert.deepEqual(outcome(await text(program, stranger)), not_allowed);
  });
});

describe('limits and quiet hours', () => {
  test('S9: creating contacts does not make new recipients known', async () => {
    const { person, program } = organization();
    await person.request('PUT', '/v1/contact-rules', { new_recipients_per_day: 2 });
    const results = [];
    for (let index = 0; index < 4; index++) {
      const phone_e164 = `+1415555310${index}`;
      await program.request('POST', '/v1/contacts', { name: `New ${index}`, phone_e164 });
      results.push(outcome(await text(program, phone_e164)));
    }
    const capped = [429, 'new_recipient_capped'];
    assert.deepEqual(results, [201, 201, capped, capped]);
    const known = await person.request('POST', '/v1/contacts', { name: 'Bo', phone_e164: '+14155553109' });
    assert.equal(known.status, 201);
    assert.equal(outcome(await text(program, '+14155553109')), 201);
  });

  test('S9: a time zone that a program set only narrows quiet hours', async () => {
    const { person, program } = organization();
    const now = await app.client.request<{ now: string }>('GET', '/v1/sandbox/clock');
    // Portugal has one zone, so the prefix tells the hour. The window is closed there now, and open 12 hours away.
    const lisbon = new Date(new Date(now.body.now).toLocaleString('en-US', { timeZone: 'Europe/Lisbon' }));
    const at = (hours: number) => `${String((lisbon.getHours() + hours + 24) % 24).padStart(2, '0')}:00`;
    const [from, to] = lisbon.getHours() >= 12 ? ['00:00', '06:00'] : ['18:00', '23:59'];
    const window = { from, to };
    await person.request('PUT', '/v1/quiet-hours', { sms: window, calls: window, on_violation: 'refuse' });
    const far = Number(at(0).slice(0, 2)) >= 12 ? 'Etc/GMT+12' : 'Etc/GMT-11';
    const phone_e164 = '+351912345678';
    const quiet = [422, 'quiet_hours'];
    assert.deepEqual(outcome(await text(program, phone_e164)), quiet);
    const contact = await program.request<Contact>('POST', '/v1/contacts', {
      name: 'Rui',
      phone_e164,
      time_zone: far,
    });
    assert.equal(contact.status, 201);
    for (const time_zone of [
      'Antarctica/Casey',
      'Pacific/Kiritimati',
      'Etc/GMT+12',
      'America/New_York',
      far,
    ]) {
      await program.request('PATCH', `/v1/contacts/${contact.body.id}`, { time_zone });
      assert.deepEqual(outcome(await text(program, phone_e164)), quiet, time_zone);
    }
    // A person's zone replaces it, and a program can neither change it nor give it to another number.
    const path = `/v1/contacts/${contact.body.id}`;
    assert.equal((await person.request('PATCH', path, { time_zone: 'Europe/Lisbon' })).status, 200);
    for (const patch of [{ time_zone: far }, { time_zone: null }, { phone_e164: '+351912345679' }])
      assert.deepEqual(
        outcome(await program.request<Problem>('PATCH', path, patch)),
        person_required,
        JSON.stringify(patch),
      );
    assert.deepEqual(outcome(await program.request<Problem>('DELETE', path)), person_required);
    assert.equal((await program.request('PATCH', path, { name: 'Rui B.' })).status, 200);
  });
});

describe('suppressions', () => {
  test('S9: a program lifts a STOP only after the person wrote again', async () => {
    const { person, program } = organization();
    const to = '+14155553201';
    const inbound = async (body: string) =>
      program.request('POST', '/v1/sandbox/inbound-sms', { from: to, to: default_sms_sender, body });
    assert.equal(outcome(await text(program, to)), 201);
    await inbound('STOP');
    const list = await program.request<{ items: { id: string }[] }>('GET', '/v1/sms/suppressions');
    const by_id = `/v1/sms/suppressions/${list.body.items[0]!.id}`;
    const by_number = `/v1/sms/suppressions?recipient=${encodeURIComponent(to)}`;
    for (const path of [by_id, by_number])
      assert.deepEqual(outcome(await program.request<Problem>('DELETE', path)), person_required);
    assert.deepEqual(outcome(await text(program, to)), [422, 'recipient_suppressed']);
    await app.later(2);
    await inbound('Are you open on Monday?');
    assert.equal(outcome(await program.request('DELETE', by_id)), 204);
    await inbound('STOP');
    assert.equal(outcome(await person.request('DELETE', by_number)), 204);
    assert.equal(outcome(await text(program, to)), 201);
  });

  test('S9: a program lifts no suppression of an address that says what the recipient did; a person does', async () => {
    const { person, program } = organization();
    for (const reason of ['unsubscribe', 'complaint', 'hard_bounce']) {
      const recipient = `${reason}@example.org`;
      const { body } = await program.request<{ id: string }>('POST', '/v1/email-suppressions', {
        recipient,
        reason,
      });
      const path = `/v1/email-suppressions/${body.id}`;
      assert.deepEqual(outcome(await program.request<Problem>('DELETE', path)), person_required, reason);
      assert.equal(outcome(await person.request('DELETE', path)), 204);
    }
  });
});

describe('receive rules', () => {
  test('S9: a program makes them stricter, and only a person looser', async () => {
    const { person, program } = organization();
    const settings = '/v1/receive-rules/settings';
    for (const name of ['spam', 'unauthenticated', 'virus']) {
      const loosened = await program.request<Problem>('PATCH', settings, { [name]: 'deliver' });
      assert.deepEqual(outcome(loosened), person_required, name);
    }
    assert.equal((await person.request('PATCH', settings, { spam: 'deliver' })).status, 200);
    assert.equal((await program.request('PATCH', settings, { spam: 'deliver' })).status, 200, 'no change');
    assert.equal((await program.request('PATCH', settings, { spam: 'quarantine' })).status, 200);
    const create = (of: Client, value: string, action: string, kind = 'domain') =>
      of.request<ReceiveRule & Problem>('POST', '/v1/receive-rules', {
        channel: 'email',
        match: { kind, value },
        action,
      });
    const block = await create(program, 'evil.org', 'block');
    assert.equal(block.status, 201, block.text);
    for (const action of ['allow', 'quarantine'])
      assert.deepEqual(outcome(await create(program, 'boss@evil.org', action, 'address')), person_required);
    assert.equal((await create(program, 'odd.org', 'quarantine')).status, 201, 'no rule blocks less than it');
    const path = `/v1/receive-rules/${block.body.id}`;
    for (const patch of [{ action: 'allow' }, { action: 'quarantine' }, { applies_to: 'new' }])
      assert.deepEqual(outcome(await program.request<Problem>('PATCH', path, patch)), person_required);
    assert.equal((await program.request('PATCH', path, { note: 'spam' })).status, 200);
    assert.deepEqual(outcome(await program.request<Problem>('DELETE', path)), person_required);
    assert.equal(outcome(await person.request('DELETE', path)), 204);
  });
});
