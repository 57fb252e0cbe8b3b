// Who may delete a suppression: people always, programs what a program added as long as nobody refused since.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { default_sms_sender } from '../../../providers/carrier/sandbox/index.ts';

type Problem = { code: string };
const app = await startTestApp();

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
const text = (of: Client, to: string) =>
  of.request<Problem>('POST', '/v1/sms', { to, body: 'Hello', recipient_consent: true });
const person_required = [403, 'person_required'];

type Listed = { items: { id: string; recipient: string; reason: string }[] };
const sms_path = '/v1/sms/suppressions';
const email_path = '/v1/email-suppressions';

describe('suppressions that programs add', () => {
  const add = async (of: Client, path: string, recipient: string, more: object = {}) => {
    const answer = await of.request<{ id: string }>('POST', path, { recipient, ...more });
    assert.equal(answer.status, 201, answer.text);
    return `${path}/${answer.body.id}`;
  };
  const remove = async (of: Client, path: string) => outcome(await of.request<Problem>('DELETE', path));
  const inboundFrom = (of: Client, from: string) => (body: string) =>
    of.request('POST', '/v1/sandbox/inbound-sms', { from, to: default_sms_sender, body });

  test('S9: a program deletes what a program added, not what a person added', async () => {
    const { person, program } = organization();
    const other = app.organization({ organization_id: program.organization_id });
    for (const [path, recipient] of [
      [sms_path, '+14155553211'],
      [email_path, 'own@example.org'],
    ] as const) {
      assert.equal(await remove(program, await add(program, path, recipient)), 204);
      assert.equal(await remove(other, await add(program, path, recipient)), 204, 'another program');
      await add(program, path, recipient);
      assert.equal(await remove(program, await add(program, path, recipient)), 204, 'added twice');
      const by_person = await add(person, path, recipient);
      assert.equal(await add(program, path, recipient), by_person);
      assert.deepEqual(await remove(program, by_person), person_required);
      assert.equal(await remove(person, by_person), 204);
      // Added by a program first, and then by a person.
      const both = await add(program, path, recipient);
      assert.equal(await add(person, path, recipient), both);
      assert.deepEqual(await remove(program, both), person_required);
    }
  });

  test('S9: an entry on top of a STOP does not make it one that a program deletes', async () => {
    const { person, program } = organization();
    const to = '+14155553212';
    const inbound = inboundFrom(program, to);
    const by_number = `${sms_path}?recipient=${encodeURIComponent(to)}`;
    assert.equal(outcome(await text(program, to)), 201);
    await inbound('STOP');
    const path = await add(program, sms_path, to);
    for (const each of [path, by_number]) assert.deepEqual(await remove(program, each), person_required);
    assert.equal(await remove(person, by_number), 204);
  });

  test('S9: a later STOP takes an entry of a program, also from one that the recipient wrote to before', async () => {
    const { person, program } = organization();
    const to = '+14155553213';
    const inbound = inboundFrom(program, to);
    const by_number = `${sms_path}?recipient=${encodeURIComponent(to)}`;
    assert.equal(outcome(await text(program, to)), 201);
    const path = await add(program, sms_path, to);
    await app.later(2);
    await inbound('Are you open on Monday?');
    await app.later(2);
    await inbound('STOP');
    for (const each of [path, by_number]) assert.deepEqual(await remove(program, each), person_required);
    await app.later(2);
    await inbound('Write to me again, please.');
    assert.equal(await remove(program, path), 204);
    assert.equal(outcome(await text(program, to)), 201);
    // The same for an entry of a person.
    const of_person = await add(person, sms_path, to);
    await app.later(2);
    await inbound('STOP');
    assert.deepEqual(await remove(program, of_person), person_required);
  });

  test('S9: a bounce or a refusal of every contact takes an entry of a program', async () => {
    const { program } = organization();
    for (const [recipient, reason] of [
      ['bounced@example.org', 'hard_bounce'],
      ['gone@example.org', 'unsubscribe'],
    ] as const) {
      const path = await add(program, email_path, recipient);
      assert.equal(await add(program, email_path, recipient, { reason }), path);
      assert.deepEqual(await remove(program, path), person_required, reason);
      const list = await program.request<Listed>('GET', email_path);
      assert.equal(list.body.items.find((each) => each.recipient === recipient)?.reason, 'manual');
    }
    const phone_e164 = '+14155553214';
    const path = await add(program, sms_path, phone_e164);
    const contact = { name: 'Ida', phone_e164, do_not_contact: true };
    assert.equal((await program.request('POST', '/v1/contacts', contact)).status, 201);
    assert.deepEqual(await remove(program, path), person_required);
  });

  test('S9: deleting an entry of a program leaves what else was recorded about the recipient', async () => {
    const { program } = organization();
    const recipient = '+14155553215';
    const consent = await program.request<{ id: string }>('POST', '/v1/consents', {
      recipient,
      channels: ['sms'],
      purposes: ['transactional'],
      basis: 'express',
      source: { kind: 'web_form', text_shown: 'I agree to texts.' },
    });
    assert.equal(consent.status, 201, consent.text);
    await program.request('POST', `/v1/consents/${consent.body.id}/revoke`, {});
    assert.equal(await remove(program, await add(program, sms_path, recipient)), 204);
    const { body } = await program.request<{ status: string }>('GET', `/v1/consents/${consent.body.id}`);
    assert.equal(body.status, 'revoked');
  });
});
