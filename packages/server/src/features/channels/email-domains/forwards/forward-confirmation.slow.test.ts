// Forward addresses: the owner must confirm first, can stop at any time, and gets a limited number of mails.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EmailDomain } from '@parley/contract/channels/emails/email-domains';
import type { Email } from '@parley/contract/channels/emails/email-records';
import { type Client, startTestApp } from '../../../../../testing/app.ts';
import {
  confirmationMails,
  confirmInSandbox,
  forwardLinks,
  submitForm,
} from '../../../../../testing/forwards.ts';
import { sql } from '../../../../platform/db/sql.ts';

const { app, client, operator, db, organization, later, url } = await startTestApp();
const day = 86_400;
let created = 0;
const newAddress = () => `ana${++created}@home.test`;

type Answer = EmailDomain & { code: string; detail?: string };
const domain = async (of: Client): Promise<EmailDomain> => {
  const { body } = await of.request<EmailDomain>('POST', '/v1/email-domains', {
    kind: 'service_mail',
    local_prefix_user: `box${++created}`,
    local_prefix_org: 'acme',
  });
  return body;
};
const patch = async (of: Client, id: string, body: object) => {
  const answer = await of.request<Answer>('PATCH', `/v1/email-domains/${id}`, body);
  await app.jobs.drain();
  return answer;
};
const resendRequest = async (of: Client, id: string, address: string) => {
  const path = `/v1/email-domains/${id}/forward-confirmations`;
  const answer = await of.request<Answer>('POST', path, { address });
  await app.jobs.drain();
  return answer;
};
const state = async (of: Client, id: string) => {
  const { body } = await of.request<EmailDomain>('GET', `/v1/email-domains/${id}`);
  return [body.forward_to, body.forward_pending];
};
/** A domain with one forward address that is requested but not confirmed. */
const pending = async () => {
  const own = organization();
  const address = newAddress();
  const { id, default_address } = await domain(own);
  assert.equal((await patch(own, id, { forward_to: [address] })).status, 200);
  return { own, address, id, default_address };
};
const confirmed = async () => {
  const forward = await pending();
  await confirmInSandbox(client, forward.address);
  return forward;
};
const receive = async (of: Client, to: string, subject: string): Promise<string> => {
  const answer = await of.request<Email>('POST', '/v1/sandbox/inbound-emails', {
    from: 'bob@example.org',
    to: [to],
    subject,
    body_text: 'Hello',
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.id;
};
type Handed = { to: string[]; message: { subject?: string } };
const handed = async (of: Client, subject: string) => {
  const { body } = await of.request<{ items: Handed[] }>('GET', '/v1/sandbox/outbox?limit=200');
  return body.items.filter(({ message }) => message.subject === subject).flatMap(({ to }) => to);
};
/** The recipients of the forwards of one received message. */
const forwardedTo = async (of: Client, to: string) => {
  const subject = `Message ${++created}`;
  await receive(of, to, subject);
  await app.jobs.drain();
  return handed(of, subject);
};
const failures = async (of: Client, email_id: string) => {
  const { body } = await of.request<{ items: { kind: string; detail: Record<string, unknown> }[] }>(
    'GET',
    `/v1/emails/${email_id}/events`,
  );
  return body.items.filter(({ kind }) => kind === 'forward_failed').map(({ detail }) => detail.check);
};

describe('a forward address (R2)', () => {
  test('gets no mail before its owner confirmed by the mailed link, which works once', async () => {
    const { own, address, id, default_address } = await pending();
    assert.deepEqual(await state(own, id), [[], [address]]);
    assert.deepEqual(await forwardedTo(own, default_address), []);
    const [links, ...more] = await confirmationMails(client, address);
    assert.deepEqual(more, []);

    // A mail scanner opens every link.
    const page = await fetch(links!.confirm);
    assert.equal(page.status, 200);
    assert.match(
      await page.text(),
      new RegExp(`${address.replace('.', '\\.')}[\\s\\S]*<form method="post">`),
    );
    const policy = "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
    assert.equal(page.headers.get('content-security-policy'), policy);
    assert.equal(page.headers.get('cache-control'), 'no-store, private');
    assert.equal((await fetch(links!.stop)).status, 200);
    assert.deepEqual(await state(own, id), [[], [address]]);
    assert.deepEqual(await forwardedTo(own, default_address), []);

    assert.equal((await submitForm(links!.confirm)).status, 200);
    assert.deepEqual(await state(own, id), [[address], []]);
    assert.deepEqual(await forwardedTo(own, default_address), [address]);
    assert.equal((await submitForm(links!.confirm)).status, 404);
    assert.equal((await fetch(links!.confirm)).status, 404);
  });

  test('on a verified domain or address of the same organization needs no confirmation', async () => {
    const [own, other] = [organization(), organization()];
    const [from, to, not_own] = [await domain(own), await domain(own), await domain(other)];
    const addresses = [to.default_address, newAddress()];
    const foreign = await patch(own, from.id, { forward_to: [not_own.default_address] });
    assert.deepEqual([foreign.status, foreign.body.code], [422, 'address_received_here']);
    const { body } = await patch(own, from.id, { forward_to: addresses });
    assert.deepEqual([body.forward_to, body.forward_pending], [[addresses[0]], [addresses[1]]]);
    assert.deepEqual(await confirmationMails(client, to.default_address), []);
    await own.request('DELETE', `/v1/email-domains/${to.id}`);
    assert.deepEqual(await state(own, from.id), [[], addresses]);
  });

  test('can be stopped by its owner at any time, also for messages in the queue', async () => {
    const { own, address, id, default_address } = await confirmed();
    const [links] = await confirmationMails(client, address);
    await operator.request('PATCH', '/v1/admin/kill-switch', { emails: true });
    const subject = 'On its way';
    let email_id = '';
    try {
      email_id = await receive(own, default_address, subject);
      await app.jobs.drain();
      assert.deepEqual(await handed(own, subject), []);
      assert.equal((await submitForm(links!.stop)).status, 200);
      assert.equal((await submitForm(links!.stop)).status, 200);
    } finally {
      await operator.request('PATCH', '/v1/admin/kill-switch', { emails: false });
    }
    await later(120);
    assert.deepEqual(await handed(own, subject), []);
    assert.deepEqual(await failures(own, email_id), ['confirmation']);
    assert.deepEqual(await state(own, id), [[], [address]]);
    assert.deepEqual(await forwardedTo(own, default_address), []);
  });

  test('whose owner refused gets no request for 30 days, also not for another domain', async () => {
    const { own, address, id } = await pending();
    const [links] = await confirmationMails(client, address);
    assert.equal((await submitForm(links!.stop)).status, 200);
    assert.equal((await submitForm(links!.confirm)).status, 404, 'a refusal ends the other link');
    const refused = await resendRequest(own, id, address);
    assert.deepEqual([refused.status, refused.body.code], [409, 'forward_refused']);
    await patch(own, id, { forward_to: [] });
    await patch(own, id, { forward_to: [address.toUpperCase()] });
    await patch(own, (await domain(own)).id, { forward_to: [address] });
    assert.equal((await confirmationMails(client, address)).length, 1);
    await later(31 * day);
    await app.jobs.drain();
    assert.equal((await resendRequest(own, id, address)).status, 200);
  });

  test('that is removed loses its confirmation; another spelling keeps it', async () => {
    const { own, address, id, default_address } = await confirmed();
    const spelled = address.replace('ana', 'Ana');
    assert.deepEqual((await patch(own, id, { forward_to: [spelled, address] })).body.forward_to, [spelled]);
    assert.deepEqual(await forwardedTo(own, default_address), [spelled]);
    await patch(own, id, { forward_to: [] });
    const back = await patch(own, id, { forward_to: [address] });
    assert.deepEqual([back.body.forward_to, back.body.forward_pending], [[], [address]]);
    assert.deepEqual(await forwardedTo(own, default_address), []);
    await confirmInSandbox(client, address);
    assert.deepEqual(await state(own, id), [[address], []]);
  });

  test('that is suppressed gets neither a request nor forwards', async () => {
    const { own, address, default_address } = await confirmed();
    const suppress = (recipient: string) => own.request('POST', '/v1/email-suppressions', { recipient });
    assert.equal((await suppress(address)).status, 201);
    const email_id = await receive(own, default_address, 'Suppressed');
    await app.jobs.drain();
    assert.deepEqual(await handed(own, 'Suppressed'), []);
    assert.deepEqual(await failures(own, email_id), ['suppression']);
    const unwanted = newAddress();
    await suppress(unwanted);
    const { id } = await domain(own);
    await patch(own, id, { forward_to: [unwanted] });
    assert.deepEqual(await confirmationMails(client, unwanted), []);
    assert.equal((await resendRequest(own, id, unwanted)).body.code, 'recipient_suppressed');
  });

  test('that was stored before confirmations existed is pending, and its owner gets a request automatically', async () => {
    const own = organization();
    const address = newAddress();
    const { id, default_address } = await domain(own);
    await db.run(sql`update email_domains set forward_to = array[${address}] where id = ${id}`);
    assert.deepEqual(await state(own, id), [[], [address]]);
    assert.deepEqual(await forwardedTo(own, default_address), []);
    await later(601);
    await later(601);
    assert.equal((await confirmationMails(client, address)).length, 1);
    await confirmInSandbox(client, address);
    assert.deepEqual(await forwardedTo(own, default_address), [address]);
  });
});

describe('the link of a confirmation mail (R2)', () => {
  test('expires after seven days and then looks like one that never existed', async () => {
    const { own, address, id } = await pending();
    const [links] = await confirmationMails(client, address);
    await later(7 * day + 60);
    const pages = [
      links!.confirm,
      `${url}/f/c/${'x'.repeat(43)}`,
      `${url}/f/c/short`,
      `${url}/f/s/${'x'.repeat(43)}`,
    ];
    const answers = await Promise.all(
      pages
        .flatMap((page) => [fetch(page), submitForm(page)])
        .map(async (sent) => {
          const answer = await sent;
          return [answer.status, await answer.text()];
        }),
    );
    assert.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1);
    assert.equal(answers[0]![0], 404);
    assert.deepEqual(await state(own, id), [[], [address]]);
    assert.equal((await submitForm(links!.stop)).status, 200, 'the one that stops has no end');
  });

  test('becomes invalid with a newer one, while every stop link keeps working', async () => {
    const { own, address, id } = await pending();
    const [first] = await confirmationMails(client, address);
    assert.equal((await resendRequest(own, id, address)).status, 200);
    const [second] = await confirmationMails(client, address);
    assert.notEqual(second!.confirm, first!.confirm);
    assert.equal((await submitForm(first!.confirm)).status, 404);
    assert.equal((await submitForm(second!.confirm)).status, 200);
    assert.equal((await submitForm(first!.stop)).status, 200);
    assert.deepEqual(await state(own, id), [[], [address]]);
  });

  test('is stored hashed', async () => {
    const { address } = await pending();
    const [links] = await confirmationMails(client, address);
    const rows = await db.rows<{ token_hash: string }>(sql`select token_hash from email_forward_tokens`);
    const stored = JSON.stringify(rows);
    for (const link of [links!.confirm, links!.stop]) assert.ok(!stored.includes(link.slice(-43)));
  });
});

describe('confirmation mails (R2)', () => {
  test('go to one address at most three times a day, and only while it is pending', async () => {
    const { own, address, id } = await pending();
    assert.equal((await resendRequest(own, id, address)).status, 200);
    assert.equal((await resendRequest(own, id, address)).status, 200);
    const fourth = await resendRequest(own, id, address);
    assert.deepEqual([fourth.status, fourth.body.code], [429, 'rate_limited']);
    assert.ok(Number(fourth.headers.get('retry-after')) > 3600);
    assert.equal((await confirmationMails(client, address)).length, 3);
    await confirmInSandbox(client, address);
    assert.equal((await resendRequest(own, id, address)).body.code, 'forward_not_pending');
    assert.equal((await resendRequest(own, id, newAddress())).body.code, 'forward_not_pending');
    assert.equal((await resendRequest(organization(), id, address)).status, 404);
  });

  test('of all organizations go to one address at most ten times a day, and no organization learns that', async () => {
    const address = newAddress();
    for (let n = 0; n < 12; n++) {
      const own = organization();
      const answer = await patch(own, (await domain(own)).id, { forward_to: [address] });
      assert.deepEqual([answer.status, answer.body.forward_pending], [200, [address]]);
    }
    assert.equal((await confirmationMails(client, address)).length, 10);
  });

  test('are limited per organization', async () => {
    const own = organization();
    let mails = 0;
    for (let n = 0; n < 6; n++) {
      const addresses = Array.from({ length: 10 }, newAddress);
      await patch(own, (await domain(own)).id, { forward_to: addresses });
      for (const address of addresses) mails += (await confirmationMails(client, address)).length;
    }
    assert.equal(mails, 50);
  });

  test('name the address and the forwarded mailbox, and explain how to stop', async () => {
    const { own, address, default_address } = await pending();
    assert.deepEqual(
      await confirmationMails(own, address),
      [],
      'S16: the organization does not see the link',
    );
    const { body } = await client.request<{ items: (Handed & { message: { text: string } })[] }>(
      'GET',
      '/v1/sandbox/outbox?channel=email',
    );
    const { message } = body.items.find(({ to }) => to[0] === address)!;
    assert.ok(message.subject!.includes(default_address));
    assert.ok(message.text.includes(default_address) && message.text.includes(address));
    assert.match(message.text, /stop the forwarding at any time/);
    assert.ok(forwardLinks(message.text));
  });
});

describe('the rate of forwarding (R2)', () => {
  test('has a maximum that the operator sets', async () => {
    const own = organization();
    const { id } = await domain(own);
    const over = await patch(own, id, { forward_rate_per_hour: 201 });
    assert.deepEqual([over.status, over.body.code], [422, 'forward_rate_too_high']);
    assert.match(over.body.detail!, /200/);
    assert.equal((await patch(own, id, { forward_rate_per_hour: 200 })).body.forward_rate_per_hour, 200);
    // Stored before there was a maximum.
    await db.run(sql`update email_domains set forward_rate_per_hour = 100000 where id = ${id}`);
    const { body } = await own.request<EmailDomain>('GET', `/v1/email-domains/${id}`);
    assert.equal(body.forward_rate_per_hour, 200);
  });

  test('never exceeds the maximum, whatever the domain has stored', async () => {
    const strict = await startTestApp({ PARLEY_FORWARD_PER_HOUR_MAX: '1' });
    const own = strict.organization();
    const [from, to] = [await domain(own), await domain(own)];
    assert.equal(from.forward_rate_per_hour, 1);
    await own.request('PATCH', `/v1/email-domains/${from.id}`, { forward_to: [to.default_address] });
    for (const subject of ['First', 'Second']) await receive(own, from.default_address, subject);
    await strict.app.jobs.drain();
    assert.deepEqual(await handed(own, 'First'), [to.default_address]);
    assert.deepEqual(await handed(own, 'Second'), []);
  });
});
