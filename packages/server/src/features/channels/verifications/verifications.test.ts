// Registration with the sandbox carrier: documents, rejection, correction, approval, expiry, and texts of registered numbers.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { PhoneNumber } from '@parley/contract/channels/numbers/numbers';
import type {
  RequirementSet,
  Verification,
  VerificationEvent,
} from '@parley/contract/channels/numbers/verification-records';
import type { Client } from '../../../../testing/app.ts';
import { startTestApp } from '../../../../testing/app.ts';
import { startFakeClamd } from '../../../../testing/fake-clamd.ts';
import { sql } from '../../../platform/db/sql.ts';

type Problem = { code: string; errors?: { path: string; code: string }[] };

const clamd = await startFakeClamd();
const { app, db, url, client, operator, organization, later, data_dir } = await startTestApp({
  PARLEY_CLAMD_ADDRESS: clamd.address,
});

const marker = 'SECRET-CONTENT-OF-A-DOCUMENT';
const pdf = Buffer.from(`%PDF-1.4 ${marker}`);
const address = { street: '1 Rue X', city: 'Paris', postal_code: '75001', country_code: 'FR' };
const in_france = {
  country_code: 'FR',
  number_type: 'local',
  subject_name: 'Example SARL',
  address,
  answers: { birth_date: '1980-12-31' },
};

const create = async (of: Client, body: object): Promise<Verification> => {
  const made = await of.request<Verification>('POST', '/v1/verifications', body);
  assert.equal(made.status, 201, made.text);
  return made.body;
};
const read = async (of: Client, { id }: { id: string }): Promise<Verification> =>
  (await of.request<Verification>('GET', `/v1/verifications/${id}`)).body;
const submit = (of: Client, { id }: { id: string }) =>
  of.request<Verification & Problem>('POST', `/v1/verifications/${id}/submit`);
const settled = async (of: Client, verification: { id: string }) => {
  await app.jobs.drain();
  return read(of, verification);
};
const kindsOf = async (of: Client, { id }: { id: string }): Promise<string[]> => {
  const path = `/v1/verifications/${id}/events`;
  const { body } = await of.request<{ items: VerificationEvent[] }>('GET', path);
  return body.items.map(({ kind }) => kind).reverse();
};
const statuses = ({ requirements }: Verification) =>
  Object.fromEntries(requirements.map(({ key, status }) => [key, status]));

type Upload = { content?: Buffer; requirement?: string; document_type?: string; fields?: string };
async function upload(of: Client, { id }: { id: string }, part: Upload = {}) {
  const form = new FormData();
  form.append('file', new Blob([part.content ?? pdf]), 'passport of Jane.pdf');
  form.append('requirement', part.requirement ?? 'proof_of_address');
  form.append('document_type', part.document_type ?? 'utility_bill');
  if (part.fields !== undefined) form.append('fields', part.fields);
  const headers = { authorization: `Bearer ${of.key}` };
  const answer = await fetch(`${url}/v1/verifications/${id}/documents`, {
    method: 'POST',
    headers,
    body: form,
  });
  return { status: answer.status, body: (await answer.json()) as Problem & { id: string } };
}

const objects = async () => {
  const folder = join(data_dir, 'objects', 'verifications');
  const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return files.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
};

/** The tables with a row that contains the text. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await db.rows<{ name: string }>(sql`
    select table_schema || '."' || table_name || '"' as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`);
  const found: string[] = [];
  for (const { name } of tables) {
    const row = await db.maybe(
      sql`select 1 from ${sql.raw(name)} t where t::text like ${`%${text}%`} limit 1`,
    );
    if (row) found.push(name);
  }
  return found;
}

test('the whole way: requirements, documents, rejection, correction, approval, number, campaign, text', async () => {
  const asked = await client.request<RequirementSet>(
    'GET',
    '/v1/verifications/requirements?country_code=FR&number_type=local',
  );
  assert.deepEqual(
    asked.body.requirements.map(({ key, input }) => `${key}:${input}`),
    ['subject_name:text', 'address:address', 'birth_date:date', 'proof_of_address:document'],
  );
  const draft = await create(client, { ...in_france, subject_name: 'Rejected once SARL', answers: {} });
  assert.deepEqual([draft.state, draft.waiting_for], ['draft', 'you']);
  assert.deepEqual(statuses(draft), {
    subject_name: 'given',
    address: 'given',
    birth_date: 'missing',
    proof_of_address: 'missing',
  });
  const early = await submit(client, draft);
  assert.deepEqual([early.status, early.body.code], [422, 'verification_incomplete']);
  assert.deepEqual(
    early.body.errors!.map(({ path }) => path),
    ['requirements.birth_date', 'requirements.proof_of_address'],
  );

  const patched = { answers: { birth_date: '1980-12-31' } };
  await client.request('PATCH', `/v1/verifications/${draft.id}`, patched);
  assert.equal((await upload(client, draft)).status, 201);
  const [stored] = await objects();
  assert.ok(stored && !(await readFile(stored)).includes(marker), 'the content is encrypted');
  assert.deepEqual(await tablesWith('1980-12-31'), []);
  assert.equal((await submit(client, draft)).status, 200);

  const rejected = await settled(client, draft);
  assert.deepEqual([rejected.state, rejected.waiting_for], ['rejected', 'you']);
  assert.match(rejected.rejection_reason!, /could not be read.*register/);
  assert.equal(statuses(rejected).proof_of_address, 'rejected');
  assert.deepEqual(await objects(), [], 'the carrier has the document');
  assert.equal((await submit(client, draft)).body.code, 'verification_incomplete');
  await client.request('PATCH', `/v1/verifications/${draft.id}`, patched);
  assert.equal((await upload(client, draft)).status, 201);
  await submit(client, draft);
  const approved = await settled(client, draft);
  assert.deepEqual([approved.state, approved.attempt, approved.waiting_for], ['approved', 2, null]);
  assert.deepEqual(
    (await kindsOf(client, draft)).filter((kind) => kind !== 'changed'),
    [
      ...['created', 'submit_requested', 'submitted', 'rejected'],
      ...['reopened', 'submit_requested', 'submitted', 'approved'],
    ],
  );

  const bought = await client.request<PhoneNumber>('POST', '/v1/numbers', { country_code: 'FR' });
  assert.deepEqual([bought.status, bought.body.provisioning_state], [201, 'active'], bought.text);
  await app.jobs.drain();
  const joined = await client.request<PhoneNumber>('GET', `/v1/numbers/${bought.body.id}`);
  assert.equal(joined.body.messaging_service_sid, `sandbox-service-${client.organization_id}`);
  assert.equal(joined.body.sms_registration.state, 'not_required');
  await registerForTexts();

  assert.deepEqual(await objects(), []);
  assert.deepEqual(await tablesWith(marker), []);
  assert.deepEqual(await tablesWith('1980-12-31'), []);
  assert.deepEqual(await tablesWith('passport of Jane'), []);
});

const brand = {
  kind: 'us_brand',
  subject_name: 'Example Inc',
  address: { ...address, country_code: 'US' },
  registration_number: '12-3456789',
  answers: { website: 'https://example.com', contact_email: 'a@example.com', company_type: 'private' },
};
const campaign = {
  kind: 'us_campaign',
  subject_name: 'Slow reminders',
  answers: {
    description: 'Reminders of appointments that customers have made with us.',
    message_flow: 'Customers agree to texts when they make an appointment on the web page.',
    message_samples: ['Your appointment is tomorrow at 9.', 'Your appointment was moved to 10.'],
  },
};

async function registerForTexts(): Promise<void> {
  const order = { country_code: 'US', e164: '+15005554701' };
  const { body: number } = await client.request<PhoneNumber>('POST', '/v1/numbers', order);
  await app.jobs.drain();
  const state = async () => {
    const { body } = await client.request<PhoneNumber>('GET', `/v1/numbers/${number.id}`);
    return body.sms_registration.state;
  };
  const text = { to: '+15005550001', from: order.e164, body: 'Hi', recipient_consent: true };
  assert.equal(await state(), 'missing');
  const refused = await client.request<Problem>('POST', '/v1/sms', text);
  assert.deepEqual([refused.status, refused.body.code], [422, 'sender_not_registered']);
  const alone = await client.request<Problem>('POST', '/v1/verifications', campaign);
  assert.equal(alone.body.code, 'brand_required');
  const made = await settled(client, await create(client, brand));
  assert.equal(made.state, 'approved');
  const sent = await create(client, { ...campaign, brand_verification_id: made.id });
  assert.equal((await settled(client, sent)).state, 'submitted');
  await later(3700);
  assert.equal((await read(client, sent)).state, 'in_review');
  assert.equal(await state(), 'missing');
  await later(86_400);
  assert.equal((await read(client, sent)).state, 'approved');
  assert.equal(await state(), 'registered');
  assert.equal((await client.request('POST', '/v1/sms', text)).status, 201);
}

describe('a document', () => {
  test('is refused when it is too large, of another type, infected or not asked for', async () => {
    const own = organization();
    const draft = await create(own, { ...in_france, submit: false });
    const codeOf = async (part: Upload) => {
      const { status, body } = await upload(own, draft, part);
      return [status, body.code];
    };
    const large = Buffer.concat([pdf, Buffer.alloc(5 * 1024 * 1024)]);
    assert.deepEqual(await codeOf({ content: large }), [413, 'document_too_large']);
    const word = Buffer.from('PK\x03\x04 a word processor');
    assert.deepEqual(await codeOf({ content: word }), [422, 'document_type_not_allowed']);
    const infected = Buffer.concat([pdf, Buffer.from(clamd.virus)]);
    assert.deepEqual(await codeOf({ content: infected }), [422, 'document_infected']);
    assert.deepEqual(await codeOf({ content: Buffer.from(`%PDF- ${clamd.failure}`) }), [
      503,
      'document_scan_failed',
    ]);
    assert.deepEqual(await codeOf({ document_type: 'selfie' }), [422, 'document_type_not_allowed']);
    assert.deepEqual(await codeOf({ requirement: 'birth_date' }), [422, 'validation_failed']);
    assert.deepEqual(await codeOf({ fields: '[1]' }), [422, 'validation_failed']);
    assert.deepEqual(await codeOf({ content: Buffer.alloc(0) }), [422, 'file_missing']);
    assert.deepEqual((await read(own, draft)).documents, []);
    assert.deepEqual(await objects(), [], 'nothing was stored');
  });

  test('can be deleted, and is deleted after 72 hours without a submission', async () => {
    const own = organization();
    const draft = await create(own, in_france);
    const first = await upload(own, draft, {
      document_type: 'register_extract',
      fields: '{"document_number":"1"}',
    });
    assert.equal(first.status, 201);
    const path = `/v1/verifications/${draft.id}/documents/${first.body.id}`;
    assert.equal((await organization().request('DELETE', path)).status, 404);
    assert.equal((await own.request('DELETE', path)).status, 204);
    assert.deepEqual(await objects(), []);
    await upload(own, draft);
    assert.equal((await objects()).length, 1);
    await later(73 * 3600);
    assert.deepEqual(await objects(), []);
    assert.equal(statuses(await read(own, draft)).proof_of_address, 'missing');
  });

  test('is deleted when its organization is deleted or the verification is canceled', async () => {
    const own = organization();
    const canceled = await create(own, in_france);
    await upload(own, canceled);
    const answer = await own.request<Verification>('POST', `/v1/verifications/${canceled.id}/cancel`);
    assert.equal(answer.body.state, 'canceled');
    assert.deepEqual(await objects(), []);
    assert.equal((await upload(own, canceled)).body.code, 'verification_not_editable');
    const gone = await create(own, in_france);
    await upload(own, gone);
    await submit(own, gone);
    await db.run(sql`delete from verifications where id = ${gone.id}`);
    await later(3700);
    assert.deepEqual(await objects(), []);
  });
});

describe('answers', () => {
  test('must fit what the carrier asks for', async () => {
    const own = organization();
    const refused = await own.request<Problem>('POST', '/v1/verifications', {
      ...brand,
      answers: { website: 'no url', contact_email: 'x', company_type: 'club', shoe_size: '42' },
    });
    assert.equal(refused.body.code, 'validation_failed');
    assert.deepEqual(
      refused.body.errors!.map(({ path }) => path),
      ['website', 'contact_email', 'company_type', 'shoe_size'].map((key) => `body.answers.${key}`),
    );
  });

  test('cannot change after the submission', async () => {
    const own = organization();
    const waiting = await settled(own, await create(own, { ...brand, subject_name: 'Waiting Inc' }));
    const patch = { answers: { website: 'https://example.org' } };
    const late = await own.request<Problem>('PATCH', `/v1/verifications/${waiting.id}`, patch);
    assert.deepEqual([late.status, late.body.code], [409, 'verification_not_editable']);
  });
});

describe('after the submission', () => {
  test('problems that the carrier’s own check finds keep it a draft', async () => {
    const own = organization();
    const draft = await settled(own, await create(own, { ...brand, subject_name: 'Incomplete Inc' }));
    assert.deepEqual([draft.state, draft.waiting_for], ['draft', 'you']);
    assert.equal(draft.requirements.filter(({ status }) => status === 'rejected').length, 2);
  });

  test('an approval that expires is announced 30 and 7 days before, ends, and can be renewed', async () => {
    const own = organization();
    const made = await settled(own, await create(own, { ...brand, subject_name: 'Expires Inc' }));
    assert.equal(made.state, 'approved');
    const reminders = async () =>
      (await kindsOf(own, made)).filter((kind) => kind === 'action_required').length;
    assert.equal(await reminders(), 1);
    await later(10 * 86_400);
    assert.equal(await reminders(), 1);
    await later(14 * 86_400);
    assert.equal(await reminders(), 2);
    await later(7 * 86_400);
    const ended = await read(own, made);
    assert.deepEqual([ended.state, ended.rejection_reason], ['rejected', 'The approval has expired.']);
    await submit(own, made);
    const renewed = await settled(own, made);
    assert.deepEqual([renewed.state, renewed.attempt], ['approved', 2]);
  });

  test('a contact who must confirm is named', async () => {
    const own = organization();
    const made = await settled(own, await create(own, { ...brand, subject_name: 'Contact Inc' }));
    assert.deepEqual([made.state, made.waiting_for], ['in_review', 'contact']);
    await later(3700);
    assert.equal((await read(own, made)).state, 'approved');
  });
});

describe('a verification from the carrier’s console', () => {
  const path = `/v1/admin/organizations/${client.organization_id}/verifications`;
  const body = { kind: 'number', country_code: 'DE', subject_name: 'Example GmbH' };

  test('is recorded by a superadmin after it was read at the carrier, once', async () => {
    const reference = { ...body, provider_verification_id: 'sandbox-approved-1' };
    const made = await operator.request<Verification>('POST', path, reference);
    assert.deepEqual([made.status, made.body.state], [201, 'approved'], made.text);
    const again = await operator.request<Verification>('POST', path, reference);
    assert.equal(again.body.id, made.body.id);
    const unknown = await operator.request<Problem>('POST', path, {
      ...body,
      provider_verification_id: 'BU-unknown',
    });
    assert.deepEqual([unknown.status, unknown.body.code], [422, 'reference_not_found']);
  });

  test('cannot be recorded by an organization itself', async () => {
    const reference = { ...body, provider_verification_id: 'sandbox-approved-1' };
    assert.equal((await organization().request('POST', path, reference)).status, 404);
  });
});
