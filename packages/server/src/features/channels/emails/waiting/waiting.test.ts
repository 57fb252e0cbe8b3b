// Emails that wait: scheduled, moved, canceled, stopped by a rule, and sent once when their time comes.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import { startRelayedApp } from '../../../../../testing/relayed-app.ts';
import { emailTimeline, smallest } from '../../../../../testing/sent-emails.ts';
import { sql } from '../../../../platform/db/sql.ts';
import { send_waiting_job } from './waiting-email.ts';

type Held = Email & { code: string; detail: string };

const { app, client, operator, data_dir, db, later, organization, url, relay } = await startRelayedApp();

const now_ms = async () =>
  Date.parse((await client.request<{ now: string }>('GET', '/v1/sandbox/clock')).body.now);
const inSeconds = async (seconds: number) => new Date((await now_ms()) + seconds * 1000).toISOString();
const post = (body: object, key: string = randomUUID()) =>
  client.request<Held>('POST', '/v1/emails', { ...smallest, ...body }, { 'idempotency-key': key });
const schedule = async (seconds: number, body: object = {}) => {
  const answer = await post({ scheduled_at: await inSeconds(seconds), ...body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};
async function upload(filename: string): Promise<{ id: string }> {
  const form = new FormData();
  form.append('file', new Blob(['content']), filename);
  const headers = { authorization: `Bearer ${client.key}` };
  const answer = await fetch(`${url}/v1/email-attachments`, { method: 'POST', body: form, headers });
  return (await answer.json()) as { id: string };
}
const read = async (id: string) => (await client.request<Email>('GET', `/v1/emails/${id}`)).body;
const kinds = async (id: string) => (await emailTimeline(client, id)).map(({ kind }) => kind);
const events = async (id: string) =>
  (await client.request<{ items: { type: string }[] }>('GET', `/v1/events?resource_id=${id}`)).body.items
    .map(({ type }) => type)
    .sort();
const change = (id: string, seconds: number) =>
  inSeconds(seconds).then((scheduled_at) =>
    client.request<Held>('PATCH', `/v1/emails/${id}`, { scheduled_at }),
  );
const cancel = (id: string) => client.request<Held>('POST', `/v1/emails/${id}/cancel`);
const turn = (emails: boolean) => operator.request('PATCH', '/v1/admin/kill-switch', { emails });
const sentTo = (address: string) =>
  relay.said().filter((line) => line.includes(`RCPT TO:<${address}>`)).length;
/** As an approval policy would hold it. */
const approvalHold = async (id: string, approval_id: string) => {
  const hold = { kind: 'approval', until: null, approval_id, message: 'A person must approve it.' };
  await db.run(sql`update emails set hold = ${JSON.stringify(hold)}::json where id = ${id}`);
};

beforeEach(() => turn(false));

describe('a scheduled email', () => {
  test('waits with status queued, and is sent at its time; the key keeps its first response', async () => {
    const scheduled_at = await inSeconds(3600);
    const key = randomUUID();
    const body = { to: ['scheduled@example.org'], scheduled_at };
    const answer = await post(body, key);
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.headers.get('parley-hold'), 'schedule');
    const { id, status, hold } = answer.body;
    assert.deepEqual([status, hold?.kind, hold?.until], ['queued', 'schedule', scheduled_at]);
    assert.equal(answer.body.scheduled_at, scheduled_at);
    await later(3500);
    assert.equal(sentTo('scheduled@example.org'), 0);
    assert.deepEqual(await read(id), answer.body);
    await later(101);
    assert.equal(sentTo('scheduled@example.org'), 1);
    const sent = await read(id);
    assert.deepEqual([sent.status, sent.hold, sent.scheduled_at], ['sent', null, scheduled_at]);
    assert.deepEqual(await kinds(id), ['held', 'released', 'sent', 'delivered']);
    const date = /^Date: (.*)$/m.exec(relay.contents.at(-1)!)![1]!;
    assert.ok(Date.parse(date) >= Date.parse(scheduled_at) - 1000, date);
    const again = await post(body, key);
    assert.deepEqual([again.status, again.text], [201, answer.text]);
    assert.equal(again.headers.get('parley-hold'), 'schedule');
    assert.equal(sentTo('scheduled@example.org'), 1);
  });

  test('may be 10 seconds to 30 days ahead, with any offset', async () => {
    const at = async (seconds: number) => (await post({ scheduled_at: await inSeconds(seconds) })).body;
    for (const seconds of [-60, 5, 31 * 86_400]) assert.equal((await at(seconds)).code, 'invalid_schedule');
    const elsewhere = new Date((await now_ms()) + 7_200_000).toISOString().replace('Z', '+01:00');
    const { scheduled_at, id } = (await post({ scheduled_at: elsewhere })).body;
    assert.equal(scheduled_at, new Date(elsewhere).toISOString());
    await cancel(id);
    assert.equal((await post({ scheduled_at: 'tomorrow' })).status, 422);
  });

  test('keeps its attachments', async () => {
    const file = await upload('kept.txt');
    const { id } = await schedule(29 * 86_400, { attachment_ids: [file.id], to: ['file@example.org'] });
    await db.run(
      sql`update email_attachments set expires_at = now() - interval '1 day' where id = ${file.id}`,
    );
    await app.jobs.enqueue(db, { kind: 'remove_unused_attachments' });
    await later(29 * 86_400 + 1);
    assert.equal((await read(id)).status, 'sent');
    assert.match(relay.contents.at(-1)!, /filename=kept\.txt/);
  });

  test('waits while its file cannot be read from the storage', async () => {
    const file = await upload('later.txt');
    const { id } = await schedule(60, { attachment_ids: [file.id], to: ['later@example.org'] });
    // A folder in place of the file gives an error that is not "does not exist".
    const [path] = (await readdir(join(data_dir, 'objects'), { recursive: true })).filter((each) =>
      each.includes(file.id),
    );
    const object = join(data_dir, 'objects', path!);
    await rename(object, `${object}.away`);
    await mkdir(object);
    await later(61);
    assert.deepEqual([(await read(id)).status, sentTo('later@example.org')], ['queued', 0]);
    await rmdir(object);
    await rename(`${object}.away`, object);
    await later(60);
    assert.deepEqual([(await read(id)).status, sentTo('later@example.org')], ['sent', 1]);
  });

  test('can be moved later and earlier until it is sent', async () => {
    const { id } = await schedule(600, { to: ['moved@example.org'] });
    const moved = await change(id, 7200);
    assert.equal(moved.status, 200, moved.text);
    assert.equal(moved.body.hold?.until, moved.body.scheduled_at);
    await later(700);
    assert.equal(sentTo('moved@example.org'), 0);
    assert.equal((await change(id, 60)).status, 200);
    await later(61);
    assert.equal(sentTo('moved@example.org'), 1);
    const late = await change(id, 60);
    assert.deepEqual([late.status, late.body.code], [409, 'already_handed_over']);
    await later(8000);
    assert.equal(sentTo('moved@example.org'), 1);
  });

  test('can be canceled once, and is then never sent', async () => {
    const { id } = await schedule(600, { to: ['canceled@example.org'] });
    const canceled = await cancel(id);
    assert.equal(canceled.status, 200, canceled.text);
    const { status, end_reason, hold } = canceled.body;
    assert.deepEqual([status, end_reason, hold], ['canceled', 'canceled', null]);
    assert.deepEqual([(await cancel(id)).status, (await change(id, 900)).status], [409, 409]);
    await later(1000);
    assert.equal(sentTo('canceled@example.org'), 0);
    assert.deepEqual(await events(id), ['email.canceled']);
    assert.deepEqual(await kinds(id), ['held', 'canceled']);
  });

  test('is not found by another organization', async () => {
    const { id } = await schedule(600);
    const other = organization();
    const scheduled_at = await inSeconds(60);
    assert.equal((await other.request('POST', `/v1/emails/${id}/cancel`)).status, 404);
    assert.equal((await other.request('PATCH', `/v1/emails/${id}`, { scheduled_at })).status, 404);
    await cancel(id);
  });

  test('is not sent to a recipient who was suppressed in the meantime', async () => {
    const { id } = await schedule(600, { to: ['gone@example.org'] });
    const suppressed = await client.request('POST', '/v1/email-suppressions', {
      recipient: 'gone@example.org',
    });
    assert.ok(suppressed.status < 300, suppressed.text);
    await later(601);
    const { status, end_reason } = await read(id);
    assert.deepEqual([status, end_reason], ['failed', 'not_allowed']);
    assert.deepEqual(await events(id), ['email.send_failed']);
    assert.equal(sentTo('gone@example.org'), 0);
  });
});

describe('with the kill switch on when its time comes', () => {
  test('an email waits, and is sent when the switch is off', async () => {
    const { id } = await schedule(600, { to: ['stopped@example.org'] });
    await turn(true);
    await later(601);
    await later(60);
    assert.equal((await read(id)).hold?.kind, 'kill_switch');
    assert.equal(sentTo('stopped@example.org'), 0);
    await turn(false);
    await later(31);
    assert.equal((await read(id)).status, 'sent');
    assert.deepEqual(await kinds(id), ['held', 'held', 'released', 'sent', 'delivered']);
  });

  test('it ends after 24 hours as not allowed', async () => {
    const { id } = await schedule(600, { to: ['never@example.org'] });
    await turn(true);
    await later(601);
    const waitedSince = (hours: number) =>
      db.run(
        sql`update emails set released_at = released_at - make_interval(hours => ${hours}) where id = ${id}`,
      );
    await waitedSince(23);
    await later(31);
    assert.equal((await read(id)).status, 'queued');
    await waitedSince(1);
    await later(31);
    const { status, end_reason, hold } = await read(id);
    assert.deepEqual([status, end_reason, hold], ['failed', 'not_allowed', null]);
    await turn(false);
    await later(60);
    assert.equal(sentTo('never@example.org'), 0);
  });
});

describe('a crash', () => {
  const job = (email: Email) => ({
    kind: send_waiting_job,
    payload: { organization_id: email.organization_id, email_id: email.id },
  });

  test('before the claim repeats the job, and the email is sent once', async () => {
    const email = await schedule(600, { to: ['twice@example.org'] });
    // The lease of the first run ended, so several processes run the job.
    const run_at = new Date(Date.parse(email.scheduled_at!));
    for (let n = 0; n < 5; n++) await app.jobs.enqueue(db, { ...job(email), run_at });
    await later(601);
    assert.equal(sentTo('twice@example.org'), 1);
    assert.deepEqual(await kinds(email.id), ['held', 'released', 'sent', 'delivered']);
  });

  test('between the claim and the outcome ends as unconfirmed: it may have been sent', async () => {
    const email = await schedule(600, { to: ['claimed@example.org'] });
    const deadline = new Date((await now_ms()) + 1000);
    await db.run(sql`update emails set hold = null, send_deadline = ${deadline} where id = ${email.id}`);
    await app.jobs.enqueue(db, job(email));
    await later(10);
    const { status, end_reason } = await read(email.id);
    assert.deepEqual([status, end_reason], ['failed', 'unconfirmed']);
    await later(600);
    assert.equal(sentTo('claimed@example.org'), 0);
  });
});

describe('an email that waits for an approval', () => {
  const ref = ({ organization_id, id }: Email) => ({ organization_id, id });

  test('is not sent at its time, and cannot be moved', async () => {
    const email = await schedule(600, { to: ['unapproved@example.org'] });
    await approvalHold(email.id, randomUUID());
    await later(700);
    assert.equal(sentTo('unapproved@example.org'), 0);
    assert.equal((await change(email.id, 60)).body.code, 'held');
    assert.equal((await cancel(email.id)).body.status, 'canceled');
  });

  test('is sent once after the approval, or at its time if that is later', async () => {
    for (const [to, wait_seconds] of [
      ['approved@example.org', 700],
      ['approved-early@example.org', 0],
    ] as const) {
      const email = await schedule(600, { to: [to] });
      const approval_id = randomUUID();
      await approvalHold(email.id, approval_id);
      if (wait_seconds) await later(wait_seconds);
      const release = (id: string) =>
        db.transaction((tx) => app.waiting_emails.release(tx, ref(email), { approval_id: id }));
      assert.equal(await release(randomUUID()), false);
      assert.deepEqual([await release(approval_id), await release(approval_id)], [true, false]);
      await app.jobs.drain();
      assert.equal(sentTo(to), wait_seconds ? 1 : 0);
      if (!wait_seconds) assert.equal((await read(email.id)).hold?.kind, 'schedule');
      await later(601);
      assert.equal(sentTo(to), 1);
    }
  });

  test('ends with the reason of the decision', async () => {
    const email = await schedule(600);
    await approvalHold(email.id, randomUUID());
    const reject = () =>
      db.transaction((tx) => app.waiting_emails.cancel(tx, ref(email), 'approval_rejected'));
    assert.deepEqual([await reject(), await reject()], [true, false]);
    const { status, end_reason } = await read(email.id);
    assert.deepEqual([status, end_reason], ['canceled', 'approval_rejected']);
  });

  test('shows what would be sent', async () => {
    const email = await schedule(600, {
      body_text: 'Hi',
      cc: ['Cy <cy@example.org>'],
      headers: { 'X-A': 'b' },
    });
    const payload = (await app.waiting_emails.payload(ref(email)))!;
    assert.deepEqual(
      [payload.to, payload.cc, payload.body_text, payload.scheduled_at],
      [email.to_addresses, ['cy@example.org'], 'Hi', email.scheduled_at],
    );
    assert.deepEqual(payload.more.headers, { 'X-A': 'b' });
    await cancel(email.id);
  });
});
