// Links to decide an approval, and batches: mailed to each approver, shown whole, used once, never returned by the API.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EmailBatch } from '@parley/contract/channels/emails/email-batches';
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { Approval } from '@parley/contract/rules/approvals/approvals';
import { type Client, startTestApp } from '../../../../../testing/app.ts';
import { addMember, issueKey, managedOrganization } from '../../../../../testing/managed.ts';
import { fieldsOf, password, visitor } from '../../../../../testing/visitor.ts';

const app = await startTestApp({ PARLEY_MANAGED: 'on' });
const { client, organization, url } = app;
const { organization: own, owner } = await managedOrganization(app);
const admin = await addMember(app, own.id, { role: 'admin' });
await addMember(app, own.id, { role: 'member' });
const key = app.holder((await issueKey(app, owner)).key);
const person = organization({ organization_id: own.id, credential_kind: 'session' });
const rule = { name: 'All', when: ['always'], then: 'hold', decide_by: ['link'] };
const set = await person.request('PUT', '/v1/approval-policy', { rules: [rule] });
assert.equal(set.status, 200, set.text);

const text = '<script>alert(1)</script> & "quotes"';
const email = (to: string) => ({ recipient_consent: true, to: [to], subject: 'Offer', body_text: text });
async function held(to: string): Promise<{ email: Email; approval: Approval }> {
  const sent = await key.request<Email>('POST', '/v1/emails', email(to));
  assert.equal(sent.status, 201, sent.text);
  await app.app.jobs.drain();
  const path = `/v1/approvals/${sent.body.hold!.approval_id}`;
  return { email: sent.body, approval: (await key.request<Approval>('GET', path)).body };
}

type Outbox = { items: { to: string[]; message: { text?: string } }[] };
const linksOf = async (of: Client, to: string): Promise<string[]> =>
  (await of.request<Outbox>('GET', '/v1/sandbox/outbox?limit=200')).body.items
    .filter((item) => item.to[0] === to)
    .flatMap(({ message }) => /https?:\/\/\S+\/approvals\/decide\/[\w-]{43}/.exec(message.text ?? '') ?? []);
const post = (link: string, fields: Record<string, string>) =>
  fetch(link, { method: 'POST', body: new URLSearchParams(fields) });
/** As a person does: opens the page, ticks the box and presses a button. */
const submit = async (link: string, fields: Record<string, string>) => {
  const { form_token = '' } = fieldsOf(await (await fetch(link)).text());
  return post(link, { form_token, confirmed: 'yes', ...fields });
};

test('each approver gets a link of their own; the page shows everything as text, and opening it decides nothing', async () => {
  const { email: waiting, approval } = await held('a@example.org');
  const [link] = await linksOf(client, admin.email);
  const [other] = await linksOf(client, owner.email);
  assert.ok(link && other && link !== other);
  const page = await fetch(link);
  const html = await page.text();
  assert.equal(page.status, 200);
  assert.match(html, /a@example\.org/);
  assert.match(html, /&lt;script&gt;alert\(1\)&lt;\/script&gt; &amp; &quot;quotes&quot;/);
  assert.doesNotMatch(html, /<script/);
  assert.match(page.headers.get('content-security-policy')!, /default-src 'none'/);
  assert.equal((await key.request<Email>('GET', `/v1/emails/${waiting.id}`)).body.status, 'queued');

  const changed = await submit(link, { decision: 'approve', payload_sha256: 'another' });
  assert.equal(changed.status, 409);
  const { payload_sha256 } = approval;
  assert.equal((await submit(link, { decision: 'approve', payload_sha256 })).status, 200);
  await app.app.jobs.drain();
  const decided = (await key.request<Approval>('GET', `/v1/approvals/${approval.id}`)).body;
  assert.deepEqual(
    [decided.status, decided.decided_by, decided.decided_via],
    ['approved', admin.email, 'link'],
  );
  assert.equal((await key.request<Email>('GET', `/v1/emails/${waiting.id}`)).body.status, 'sent');
  assert.equal((await submit(link, { decision: 'reject', payload_sha256 })).status, 404);
  assert.equal((await submit(other, { decision: 'reject', payload_sha256 })).status, 409);
  assert.equal((await fetch(`${url}/approvals/decide/${'x'.repeat(43)}`)).status, 404);
});

test('the program that asked cannot read the link, and the rule allows no other way', async () => {
  const { approval } = await held('b@example.org');
  assert.deepEqual(await linksOf(key, admin.email), []);
  assert.doesNotMatch(JSON.stringify(approval), /decide\//);
  const { payload_sha256 } = approval;
  const by_session = await person.request('POST', `/v1/approvals/${approval.id}/approve`, { payload_sha256 });
  assert.deepEqual([by_session.status, by_session.body.code], [403, 'approval_not_yours']);
});

test('a member who is no longer an approver has no valid link', async () => {
  const leaving = await addMember(app, own.id, { role: 'admin' });
  await held('c@example.org');
  const [link] = await linksOf(client, leaving.email);
  assert.equal((await fetch(link!)).status, 200);
  const demoted = await person.request('PATCH', `/v1/members/${leaving.id}`, { role: 'member' });
  assert.equal(demoted.status, 200, demoted.text);
  assert.equal((await fetch(link!)).status, 404);
});

test('a batch is one approval that shows every message', async () => {
  const body = { emails: [email('d@example.org'), email('e@example.org'), email('f@example.org')] };
  const batch = await key.request<EmailBatch>('POST', '/v1/email-batches', body);
  assert.equal(batch.status, 201, batch.text);
  await app.app.jobs.drain();
  const approval = (await key.request<Approval>('GET', `/v1/approvals/${batch.body.id}`)).body;
  assert.deepEqual(approval.object, { noun: 'email_batch', id: batch.body.id });
  assert.deepEqual(approval.messages.map(({ to }) => to[0]).sort(), [
    'd@example.org',
    'e@example.org',
    'f@example.org',
  ]);
  const [link] = await linksOf(client, admin.email);
  const page = await (await fetch(link!)).text();
  for (const to of ['d', 'e', 'f']) assert.match(page, new RegExp(`${to}@example\\.org`));
  const { payload_sha256 } = approval;
  assert.equal((await submit(link!, { decision: 'approve', payload_sha256 })).status, 200);
  await app.app.jobs.drain();
  const states = (await key.request<EmailBatch>('GET', `/v1/email-batches/${batch.body.id}`)).body;
  assert.deepEqual(
    states.items.map((item) => item.status),
    ['sent', 'sent', 'sent'],
  );
});

test('S16: a program that opens the page and submits its form decides nothing without the box that a person ticks', async () => {
  const [one, two] = [await held('g@example.org'), await held('h@example.org')];
  const link = (await linksOf(client, admin.email))[1]!;
  const other = (await linksOf(client, admin.email))[0]!;
  const { payload_sha256 } = one.approval;
  const [form, other_form] = [
    fieldsOf(await (await fetch(link)).text()),
    fieldsOf(await (await fetch(other)).text()),
  ];
  assert.equal(form.confirmed, 'yes', 'the box has this value, but only if it is ticked');
  const hidden = { form_token: form.form_token!, payload_sha256 };
  const attempts: Record<string, string>[] = [
    { decision: 'approve', payload_sha256 },
    { decision: 'approve', payload_sha256, confirmed: 'yes' },
    { decision: 'approve', ...hidden },
    { decision: 'approve', ...hidden, confirmed: 'no' },
    { decision: 'approve', ...hidden, form_token: other_form.form_token!, confirmed: 'yes' },
    { decision: 'reject', ...hidden, form_token: `${form.form_token}x`, confirmed: 'yes' },
  ];
  for (const fields of attempts) {
    const answer = await post(link, fields);
    assert.equal(answer.status, 422, JSON.stringify(fields));
    assert.match(await answer.text(), /tick the box/);
  }
  for (const method of ['GET', 'HEAD']) await fetch(link, { method });
  for (const { approval } of [one, two]) {
    const now = (await key.request<Approval>('GET', `/v1/approvals/${approval.id}`)).body;
    assert.equal(now.status, 'pending');
  }
  assert.match(await (await fetch(link)).text(), /type="checkbox" name="confirmed" value="yes" required/);
  assert.equal((await submit(link, { decision: 'approve', payload_sha256 })).status, 200);
});

test('S16: by a setting only the approver who is signed in decides by the link', async () => {
  const strict = await startTestApp({
    PARLEY_MANAGED: 'on',
    PARLEY_TRUSTED_PROXIES: '127.0.0.1',
    PARLEY_APPROVAL_LINK_SIGN_IN: 'on',
  });
  const { organization: theirs, client: program } = await managedOrganization(strict);
  const approver = await addMember(strict, theirs.id, { role: 'admin' });
  const stranger = await addMember(strict, theirs.id, { role: 'member' });
  const signedIn = async ({ user_id, email: address }: typeof approver) => {
    const browser = visitor(strict.url);
    const made = await strict.client.request<{ url: string }>(
      'POST',
      `/v1/admin/users/${user_id}/password-links`,
    );
    await browser.send(new URL(made.body.url).pathname, { password });
    assert.equal((await browser.send('/auth/sign-in', { email: address, password })).status, 303);
    return browser;
  };
  const owner_person = strict.organization({ organization_id: theirs.id, credential_kind: 'session' });
  assert.equal((await owner_person.request('PUT', '/v1/approval-policy', { rules: [rule] })).status, 200);
  const sent = await program.request<Email>('POST', '/v1/emails', email('i@example.org'));
  await strict.app.jobs.drain();
  const [link] = await linksOf(strict.client, approver.email);
  const { pathname } = new URL(link!);
  const path = `/v1/approvals/${sent.body.hold!.approval_id}`;
  const { payload_sha256 } = (await program.request<Approval>('GET', path)).body;

  const anonymous = await visitor(strict.url).open(pathname);
  assert.deepEqual(
    [anonymous.status, anonymous.location],
    [303, `/auth/sign-in?next=${encodeURIComponent(pathname)}`],
  );
  assert.equal(
    (await visitor(strict.url).send(pathname, { decision: 'approve', payload_sha256 })).status,
    303,
  );
  assert.equal((await (await signedIn(stranger)).open(pathname)).status, 403);

  const browser = await signedIn(approver);
  const back = await browser.send('/auth/sign-in', { email: approver.email, password, next: pathname });
  assert.equal(back.location, pathname, 'the sign-in leads back to the link');
  const { form_token } = fieldsOf((await browser.open(pathname)).text);
  const fields = { decision: 'approve', payload_sha256, confirmed: 'yes', form_token: form_token! };
  assert.equal((await browser.send(pathname, fields, { origin: 'https://attacker.example' })).status, 403);
  assert.equal((await browser.send(pathname, fields)).status, 200);
  assert.equal((await program.request<Approval>('GET', path)).body.status, 'approved');
});
