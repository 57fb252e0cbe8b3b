// Email domains over HTTP, with the whole service and a DNS server on loopback.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EmailDomain } from '@parley/contract/channels/emails/email-domains';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { disturbedDatabase } from '../../../../testing/disturbed-database.ts';
import { startDns } from '../../../../testing/dns-server.ts';
import { sql } from '../../../platform/db/sql.ts';

type Problem = { code: string; fix: string; errors?: { path: string }[] };

const dns = await startDns();
const { client, db, organization } = await startTestApp({
  PARLEY_DNS_SERVERS: dns.address,
  PARLEY_MAIL_HOST: 'mx.parley.test',
});

const create = async (of: Client, body: object) => {
  const answer = await of.request<EmailDomain>('POST', '/v1/email-domains', body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};
const refused = async (body: object, of = client) => {
  const { status, body: problem } = await of.request<Problem>('POST', '/v1/email-domains', body);
  return [status, problem.code, ...(problem.errors ?? []).map(({ path }) => path)];
};
const verify = async (of: Client, id: string) =>
  (await of.request<EmailDomain>('POST', `/v1/email-domains/${id}/verify`)).body;
const publish = (domain: EmailDomain, except: string[] = []) => {
  for (const record of domain.dns_records) {
    if (except.includes(record.purpose)) continue;
    const at = dns.records.get(record.name) ?? {};
    if (record.type === 'TXT') at.TXT = [...(at.TXT ?? []), record.value];
    else at.MX = [{ exchange: record.value, priority: record.priority! }];
    dns.records.set(record.name, at);
  }
};
const statuses = (domain: EmailDomain) =>
  Object.fromEntries(domain.dns_records.map((record) => [record.purpose, record.status]));

describe('a service_mail domain', () => {
  test('is built from its prefixes and verified immediately', async () => {
    const domain = await create(client, {
      kind: 'service_mail',
      local_prefix_user: 'Ana',
      local_prefix_org: 'acme',
    });
    assert.equal(domain.default_address, 'ana+acme@mail.localhost');
    assert.equal(domain.verification_status, 'verified');
    assert.equal(domain.receive_ready, true);
    assert.deepEqual(domain.dns_records, []);
    assert.deepEqual((await client.request('GET', `/v1/email-domains/${domain.id}`)).body, domain);
    assert.deepEqual(await verify(client, domain.id), domain);
  });

  test('needs prefixes from the request or the settings; otherwise 503', async () => {
    assert.deepEqual((await refused({ kind: 'service_mail' })).slice(0, 2), [
      503,
      'service_mail_prefix_missing',
    ]);
    assert.deepEqual((await refused({ kind: 'service_mail', local_prefix_user: 'ana' })).slice(0, 2), [
      503,
      'service_mail_prefix_missing',
    ]);
    const other = await startTestApp({
      PARLEY_SERVICE_MAIL_PREFIX_USER: 'agent',
      PARLEY_SERVICE_MAIL_PREFIX_ORG: 'house',
      PARLEY_SERVICE_MAIL_DOMAIN: 'mail.parley.test',
    });
    const domain = await create(other.client, { kind: 'service_mail', local_prefix_org: 'own' });
    assert.equal(domain.default_address, 'agent+own@mail.parley.test');
  });

  test('refuses a domain, invalid prefixes, and an address that exists', async () => {
    const kind = 'service_mail';
    const prefixes = { local_prefix_user: 'ana', local_prefix_org: 'acme' };
    assert.deepEqual(await refused({ kind, domain: 'x.example.com' }), [
      422,
      'domain_not_allowed',
      'body.domain',
    ]);
    for (const bad of ['', 'a+b', 'a b', '.a', 'a..b', 'ä', 'x'.repeat(31), 'a\nb', 'a@b']) {
      assert.deepEqual(
        await refused({ kind, ...prefixes, local_prefix_user: bad }),
        [422, 'invalid_prefix', 'body.local_prefix_user'],
        bad,
      );
    }
    assert.deepEqual(
      await refused({ kind, domain: 'a.test', local_prefix_user: 'a+b', local_prefix_org: 'x/y' }),
      [422, 'domain_not_allowed', 'body.domain', 'body.local_prefix_user', 'body.local_prefix_org'],
    );
    assert.deepEqual((await refused({ kind, ...prefixes }, organization())).slice(0, 2), [
      409,
      'email_domain_taken',
    ]);
  });
});

describe('a custom domain', () => {
  test('returns the DNS records to publish, with a real key whose private part is sealed', async () => {
    const domain = await create(client, { kind: 'custom', domain: 'Records.Example.com.' });
    assert.equal(domain.domain, 'records.example.com');
    assert.equal(domain.verification_status, 'pending');
    assert.deepEqual(
      domain.dns_records.map(({ purpose, type, name, priority }) => [purpose, type, name, priority]),
      [
        ['dkim', 'TXT', `parley-${domain.id.slice(-12)}._domainkey.records.example.com`, null],
        ['mail_from_mx', 'MX', 'bounce.records.example.com', 10],
        ['mail_from_spf', 'TXT', 'bounce.records.example.com', null],
        ['dmarc', 'TXT', '_dmarc.records.example.com', null],
        ['inbound_mx', 'MX', 'records.example.com', 10],
      ],
    );
    const [row] = await db.rows<{ dkim_private_key: string }>(
      sql`select dkim_private_key from email_domains where id = ${domain.id}`,
    );
    assert.match(row!.dkim_private_key, /^v1\.test\./);
  });

  test('refuses prefixes, a missing name, and names that no organization can own', async () => {
    const kind = 'custom';
    assert.deepEqual(await refused({ kind }), [422, 'domain_required', 'body.domain']);
    for (const prefix of ['local_prefix_user', 'local_prefix_org'])
      assert.deepEqual(await refused({ kind, domain: 'a.example.com', [prefix]: 'x' }), [
        422,
        'prefix_not_allowed',
        `body.${prefix}`,
      ]);
    assert.deepEqual(await refused({ kind, local_prefix_user: 'a', local_prefix_org: 'b' }), [
      422,
      'prefix_not_allowed',
      'body.local_prefix_user',
      'body.local_prefix_org',
      'body.domain',
    ]);
    for (const domain of [
      '',
      'com',
      'co.uk',
      'localhost',
      '127.0.0.1',
      'a_b.com',
      '-a.com',
      'a b.com',
      'mail.localhost',
      'x.sandbox.test',
      'mx.parley.test',
      `${'a'.repeat(200)}.com`,
    ])
      assert.deepEqual(await refused({ kind, domain }), [422, 'invalid_domain', 'body.domain'], domain);
  });

  test('is refused if the text is not exactly a host name; it is never rewritten (M9)', async () => {
    const refusals = [
      'x.test\r\ny',
      'x.test/p',
      'x1%2etest.test',
      'x.test\ty',
      '\nx.test',
      'x.test ',
      ' x.test',
      'x.test?q',
      'x.test#f',
      'x.test\\p',
      'x.test:8080',
      'user@x.test',
      'user:pw@x.test',
      'https://x.test',
      'x..test',
      '.x.test',
      'x.test..',
      'x-.test',
      `${'a'.repeat(64)}.test`,
      `${'a.'.repeat(127)}test`,
      `${'é'.repeat(60)}.test`,
      'x\u00ad.test',
      'x\ufe0f.test',
      'x\u200b.test',
      'x\u2060y.test',
      'x\uff0fp.test',
      'x\uff05.test',
      'x\uff20y.test',
      'xn--.test',
      '0x7f.1',
      '1.2.3',
      '[::1]',
      '*.x.test',
    ];
    for (const domain of refusals)
      assert.deepEqual(
        await refused({ kind: 'custom', domain }),
        [422, 'invalid_domain', 'body.domain'],
        JSON.stringify(domain),
      );
  });

  test('may be an international name, which is stored in its DNS form (M9)', async () => {
    const own = organization();
    for (const [typed, kept] of [
      ['BÜCHER.example', 'xn--bcher-kva.example'],
      ['straße.example', 'xn--strae-oqa.example'],
      ['例え.example', 'xn--r8jz45g.example'],
      ['XN--BCHER-KVA.example.org', 'xn--bcher-kva.example.org'],
    ] as const)
      assert.equal((await create(own, { kind: 'custom', domain: typed })).domain, kept);
  });

  test('is verified by real DNS queries, record by record', async () => {
    const domain = await create(client, { kind: 'custom', domain: 'all.example.net' });
    publish(domain);
    const verified = await verify(client, domain.id);
    assert.equal(verified.verification_status, 'verified');
    assert.equal(verified.mail_from_status, 'verified');
    assert.equal(verified.receive_ready, true);
    assert.ok(verified.verified_at);
    assert.deepEqual(Object.values(statuses(verified)), Array(5).fill('verified'));
    const again = await verify(client, domain.id);
    assert.equal(again.verified_at, verified.verified_at);
  });

  test('reports which record is missing and which is wrong', async () => {
    const domain = await create(client, { kind: 'custom', domain: 'some.example.net' });
    publish(domain, ['dkim', 'mail_from_spf', 'inbound_mx', 'dmarc']);
    const dkim = domain.dns_records[0]!;
    dns.records.set(dkim.name, { TXT: ['v=DKIM1; p=AAAA'] });
    dns.records.set('some.example.net', {
      MX: [
        { exchange: 'mx.parley.test', priority: 20 },
        { exchange: 'mx.other.test', priority: 10 },
      ],
    });
    const checked = await verify(client, domain.id);
    assert.equal(checked.verification_status, 'failed');
    assert.deepEqual(statuses(checked), {
      dkim: 'wrong',
      mail_from_mx: 'verified',
      mail_from_spf: 'missing',
      dmarc: 'missing',
      inbound_mx: 'wrong',
    });
    assert.deepEqual(checked.dns_records[0]!.found, ['v=DKIM1; p=AAAA']);
    dns.records.set(dkim.name, { TXT: ['something else', dkim.value.replaceAll('; ', ';')] });
    const later = await verify(client, domain.id);
    assert.equal(later.verification_status, 'verified');
    assert.equal(later.receive_ready, false);
  });

  test('a DNS failure changes nothing', async () => {
    const domain = await create(client, { kind: 'custom', domain: 'calm.example.net' });
    publish(domain);
    await verify(client, domain.id);
    dns.failing.add(domain.dns_records[0]!.name);
    const kept = await verify(client, domain.id);
    assert.equal(kept.verification_status, 'verified');
    assert.equal(statuses(kept).dkim, 'unknown');
    dns.failing.add('*');
    const answer = await client.request<Problem>('POST', `/v1/email-domains/${domain.id}/verify`);
    assert.deepEqual([answer.status, answer.body.code], [503, 'dns_unavailable']);
    dns.failing.clear();
    assert.equal((await verify(client, domain.id)).verification_status, 'verified');
  });

  test('stays verified when an older, slower check ends with less information', async () => {
    const { db, next } = await disturbedDatabase();
    const own = (
      await startTestApp({ PARLEY_DNS_SERVERS: dns.address, PARLEY_MAIL_HOST: 'mx.parley.test' }, { db })
    ).client;
    const domain = await create(own, { kind: 'custom', domain: 'slow.example.net' });
    publish(domain);
    dns.failing.add(domain.dns_records.find(({ purpose }) => purpose === 'dkim')!.name);
    let quick: EmailDomain | undefined;
    next({
      statement: /update email_domains set verification_status/,
      async before() {
        dns.failing.clear();
        quick = await verify(own, domain.id);
      },
    });
    const slow = await verify(own, domain.id);
    assert.equal(quick!.verification_status, 'verified');
    assert.deepEqual([statuses(slow).dkim, slow.verification_status], ['unknown', 'verified']);
    assert.equal(slow.verified_at, quick!.verified_at);
  });

  test('is checked as receivers do: one SPF record, read up to "all", and one DMARC policy', async () => {
    const domain = await create(client, { kind: 'custom', domain: 'spf.example.net' });
    const [spf, dmarc] = ['mail_from_spf', 'dmarc'].map(
      (purpose) => domain.dns_records.find((record) => record.purpose === purpose)!,
    );
    const ours = spf!.value.split(' ')[1]!;
    const policy = 'v=DMARC1; p=reject';
    for (const [texts, expected] of [
      [[`v=spf1 +${ours} include:other.test -all`], 'verified'],
      [[spf!.value, 'something else'], 'verified'],
      [[spf!.value, 'v=spf1 a -all'], 'wrong'],
      [[`v=spf1 -all ${ours}`], 'wrong'],
      [[`v=spf1 -${ours} -all`], 'wrong'],
    ] as const) {
      dns.records.set(spf!.name, { TXT: [...texts] });
      assert.equal(statuses(await verify(client, domain.id)).mail_from_spf, expected, texts.join(', '));
    }
    for (const [texts, expected] of [
      [[policy], 'verified'],
      [[policy, policy], 'wrong'],
    ] as const) {
      dns.records.set(dmarc!.name, { TXT: [...texts] });
      assert.equal(statuses(await verify(client, domain.id)).dmarc, expected);
    }
  });

  test('verified by one organization cannot be claimed by another one', async () => {
    const [first, second, third] = [organization(), organization(), organization()];
    const mine = await create(first, { kind: 'custom', domain: 'mine.example.net' });
    const theirs = await create(second, { kind: 'custom', domain: 'mine.example.net' });
    publish(mine);
    publish(theirs);
    assert.equal((await verify(first, mine.id)).verification_status, 'verified');
    const late = await second.request<Problem>('POST', `/v1/email-domains/${theirs.id}/verify`);
    assert.deepEqual([late.status, late.body.code], [409, 'email_domain_taken']);
    assert.deepEqual((await refused({ kind: 'custom', domain: 'MINE.example.net' }, third)).slice(0, 2), [
      409,
      'email_domain_taken',
    ]);
    assert.deepEqual((await refused({ kind: 'custom', domain: 'mine.example.net' }, first)).slice(0, 2), [
      409,
      'email_domain_taken',
    ]);
    assert.equal((await first.request('DELETE', `/v1/email-domains/${mine.id}`)).status, 204);
    assert.equal((await verify(second, theirs.id)).verification_status, 'verified');
  });

  test('can send from any of its addresses once it is verified, until it is deleted', async () => {
    const own = organization();
    const domain = await create(own, { kind: 'custom', domain: 'send.example.net' });
    const email = {
      recipient_consent: true,
      to: ['a@b.test'],
      subject: 'Hi',
      from: 'sales@send.example.net',
    };
    const early = await own.request<Problem>('POST', '/v1/emails', email);
    assert.deepEqual([early.status, early.body.code], [422, 'from_not_allowed']);
    publish(domain);
    await verify(own, domain.id);
    const sent = await own.request<{ from_address: string }>('POST', '/v1/emails', email);
    assert.equal(sent.status, 201, sent.text);
    assert.equal(sent.body.from_address, 'sales@send.example.net');
    const { from: _, ...plain } = email;
    const by_default = await own.request<{ from_address: string }>('POST', '/v1/emails', plain);
    assert.equal(by_default.body.from_address, 'agent@send.example.net');
    const other = await organization().request<Problem>('POST', '/v1/emails', email);
    assert.equal(other.body.code, 'from_not_allowed');
    await own.request('DELETE', `/v1/email-domains/${domain.id}`);
    const late = await own.request<Problem>('POST', '/v1/emails', email);
    assert.deepEqual([late.status, late.body.code], [422, 'from_not_allowed']);
    const by_another = await own.request<{ from_address: string }>('POST', '/v1/emails', plain);
    assert.notEqual(by_another.body.from_address, 'agent@send.example.net');
  });
});

test('the receive settings of a domain can be changed field by field', async () => {
  const domain = await create(client, {
    kind: 'service_mail',
    local_prefix_user: 'in',
    local_prefix_org: 'box',
  });
  const patch = async (body: object) =>
    client.request<EmailDomain & Problem>('PATCH', `/v1/email-domains/${domain.id}`, body);
  const changed = (await patch({ forward_to: ['Ana <ana@example.com>'], inbound_enabled: false })).body;
  assert.deepEqual([changed.forward_to, changed.forward_pending], [[], ['ana@example.com']]);
  assert.equal(changed.inbound_enabled, false);
  assert.equal(changed.receive_ready, false);
  assert.equal(changed.forward_rate_per_hour, domain.forward_rate_per_hour);
  assert.equal((await patch({ forward_rate_per_hour: 5 })).body.forward_rate_per_hour, 5);
  assert.equal((await patch({ forward_to: ['a@b.test,c@d.test'] })).body.code, 'invalid_email_address');
  assert.equal((await patch({ forward_rate_per_hour: -1 })).status, 422);
  assert.equal((await patch({ domain: 'x.com' })).status, 422);
});
