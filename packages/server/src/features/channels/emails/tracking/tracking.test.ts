// Tracking: the pixel and the links of HTML bodies, and visits to them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { EmailStatistics } from '@parley/contract/channels/emails/email-statistics';
import { parseDocument } from 'htmlparser2';
import { startTestApp } from '../../../../../testing/app.ts';
import { disturbedDatabase } from '../../../../../testing/disturbed-database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import { readLinks, trackedHtml } from './tracked-html.ts';

// Started before the first test: the runner ends the file when no test is waiting.
const { client, url, organization } = await startTestApp();

const rewrite = (html: string) =>
  trackedHtml(html, readLinks(html), { linkTo: (target) => `https://t.test/?to=${target}`, pixel_url: null });

describe('rewriting an HTML body', () => {
  test('changes links to pages and no other byte', () => {
    const cases: [string, string][] = [
      ['<a href="https://a.test/">x</a>', '<a href="https://t.test/?to=https://a.test/">x</a>'],
      ["<A HREF='http://a.test'>x</A>", '<A HREF="https://t.test/?to=http://a.test">x</A>'],
      ['<a href=https://a.test>x</a>', '<a href="https://t.test/?to=https://a.test">x</a>'],
      [
        '<a\n title="href=no" href = " https://a.test ">x',
        '<a\n title="href=no" href = "https://t.test/?to=https://a.test">x',
      ],
      ['<a href="https://a.test/?a=1&amp;b=2">', '<a href="https://t.test/?to=https://a.test/?a=1&amp;b=2">'],
      [
        '<a href="https://a.test" href="https://b.test">',
        '<a href="https://t.test/?to=https://a.test" href="https://b.test">',
      ],
      [
        '<a href=https://a.test/?b=c&d="e">x</a> unsubscribe',
        '<a href="https://t.test/?to=https://a.test/?b=c&amp;d=&quot;e&quot;">x</a> unsubscribe',
      ],
      [
        '<map><area href="https://a.test"></map>',
        '<map><area href="https://t.test/?to=https://a.test"></map>',
      ],
    ];
    for (const [html, expected] of cases) assert.equal(rewrite(html), expected);
  });

  test('does not change anything else', () => {
    for (const html of [
      '<a href="mailto:a@b.test">x</a>',
      '<a href="tel:+123">x</a>',
      '<a href="#top">x</a>',
      '<a href="/relative">x</a>',
      '<a href="javascript:alert(1)">x</a>',
      '<a href="{{link}}">x</a>',
      '<a href="https://a.test/{{id}}">x</a>',
      '<a href="https://a.test/unsubscribe?u=1">x</a>',
      '<a href="https://a.test/p/1">Click <b>here to</b> Unsubscribe</a>',
      '<a href="https://a.test/p/1"><img alt="Abmelden"></a>',
      '<a href="https://[not a host/">x</a>',
      '<a data-no-track href="https://a.test">x</a>',
      '<a>x</a>',
      '<a href>x</a>',
      '<link href="https://a.test/style.css">',
      '<style>a { content: "<a href=https://a.test>" }</style>',
      '<script>"<a href=https://a.test>"</script>',
      '<textarea><a href="https://a.test"></textarea>',
      '<!-- <a href="https://a.test"> -->',
      '<!--[if mso]><a href="https://a.test"><![endif]-->',
      '<p title="<a href=https://a.test>">x</p>',
      'plain < text & nothing',
      '',
    ])
      assert.equal(rewrite(html), html);
  });

  test('tracks only the first thousand links', () => {
    const link = '<a href="https://a.test/">x</a>';
    const tracked = '<a href="https://t.test/?to=https://a.test/">x</a>';
    assert.equal(rewrite(link.repeat(1002)), tracked.repeat(1000) + link.repeat(2));
  });

  test('puts the pixel before the end of the body, or at the end of the text', () => {
    const withPixel = (html: string) =>
      trackedHtml(html, readLinks(html), { linkTo: null, pixel_url: 'https://t.test/p' });
    assert.match(
      withPixel('<body><p>x</p></body></html>'),
      /<p>x<\/p><img src="https:\/\/t\.test\/p"[^>]*><\/body><\/html>$/,
    );
    assert.match(withPixel('<p>x</p>'), /<p>x<\/p><img [^>]*>$/);
    assert.match(withPixel('<title></body></title><p>x'), /<p>x<img [^>]*>$/);
  });

  test('does not change the element tree of hostile markup', () => {
    for (const html of [
      '<a <a href="https://a.test">',
      '<a href="https://a.test',
      '<a/href="https://a.test"/>',
      '<a href=""><a href=\'',
      '<a x=">" href="https://a.test">',
    ])
      assert.equal(parseDocument(rewrite(html)).children.length, parseDocument(html).children.length, html);
  });
});

const send = async (body: object, of = client) => {
  const answer = await of.request<Email>('POST', '/v1/emails', {
    recipient_consent: true,
    to: ['bob@example.org'],
    subject: 'Tracked',
    ...body,
  });
  assert.equal(answer.status, 201, answer.text);
  const outbox = await of.request<{ items: { resource_id: string; message: { html: string | null } }[] }>(
    'GET',
    '/v1/sandbox/outbox?channel=email',
  );
  const { html } = outbox.body.items.find((item) => item.resource_id === answer.body.id)!.message;
  return { email: answer.body, html: html ?? '' };
};
type Entry = { kind: string; detail: Record<string, unknown> };
const visits = async (id: string, of = client) =>
  (await of.request<{ items: Entry[] }>('GET', `/v1/emails/${id}/events`)).body.items.filter(({ kind }) =>
    ['opened', 'clicked'].includes(kind),
  );
const links = (html: string) => [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map((match) => match[1]!);

describe('visits', () => {
  test('to the pixel and to links are recorded with address and user agent, and clicks redirect', async () => {
    const own = organization();
    const { email, html } = await send(
      { body_html: '<body><a href="https://shop.example/?a=1&amp;b=2">x</a></body>' },
      own,
    );
    const [link, pixel] = links(html);
    const agent = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Reader' };
    const opened = await fetch(pixel!, { headers: agent });
    assert.equal(opened.headers.get('content-type'), 'image/gif');
    assert.match(opened.headers.get('cache-control')!, /no-store/);
    const clicked = await fetch(link!, { headers: agent, redirect: 'manual' });
    assert.equal(clicked.status, 302);
    assert.equal(clicked.headers.get('location'), 'https://shop.example/?a=1&b=2');
    await fetch(pixel!, { headers: agent });
    const [open, click] = await visits(email.id, own);
    assert.deepEqual(open, {
      ...open,
      kind: 'opened',
      detail: { ip_address: '127.0.0.1', user_agent: agent['user-agent'], machine: false },
    });
    assert.equal(click!.kind, 'clicked');
    assert.equal(click!.detail.link, 'https://shop.example/?a=1&b=2');
    const { totals, rates } = (await own.request<EmailStatistics>('GET', '/v1/emails/stats')).body;
    assert.deepEqual(
      [totals.opened, totals.unique_opened, totals.clicked, totals.unique_clicked],
      [2, 1, 1, 1],
    );
    assert.deepEqual([rates.open, rates.click], [1, 1]);
  });

  test('redirect to any URL that a browser can open', async () => {
    const pages: Record<string, string> = {
      'https://e.test/日本?q=é': 'https://e.test/%E6%97%A5%E6%9C%AC?q=%C3%A9',
      'https://münchen.test/x': 'https://xn--mnchen-3ya.test/x',
      'https://e.test/a\nb\u0001': 'https://e.test/ab',
      'https://e.test/a b%20c#d': 'https://e.test/a%20b%20c#d',
    };
    for (const [written, location] of Object.entries(pages)) {
      const { html } = await send({ body_html: `<a href="${written}">x</a>` });
      const clicked = await fetch(links(html)[0]!, { redirect: 'manual' });
      assert.deepEqual([clicked.status, clicked.headers.get('location')], [302, location]);
    }
  });

  test('of programs are marked, and a HEAD request counts nothing', async () => {
    const { email, html } = await send({ body_html: '<p>x</p>' });
    const [pixel] = links(html);
    await fetch(pixel!, { method: 'HEAD' });
    assert.deepEqual(await visits(email.id), []);
    await fetch(pixel!, { headers: { 'user-agent': 'Mozilla/5.0' } });
    assert.equal((await visits(email.id))[0]!.detail.machine, true);
  });

  test('in large numbers use two connections at most, and stop at the maximum length of the timeline', async () => {
    const { db, watched } = await disturbedDatabase(/from emails .* for update$/s);
    const busy_app = await startTestApp({}, { db });
    const { email, html } = await send({ body_html: '<p>x</p>' }, busy_app.client);
    const [pixel] = links(html);
    await Promise.all(Array.from({ length: 50 }, () => fetch(pixel!).then((answer) => answer.bytes())));
    assert.ok(watched.most === 1 || watched.most === 2, String(watched.most));
    await db.run(sql`
      insert into email_events (id, organization_id, email_id, kind, occurred_at, detail, dedupe_key, counted)
      select gen_random_uuid(), organization_id, id, 'opened', now(), '{}', 'opened:' || n, '{opened}'
        from emails, generate_series(1, 948) n where id = ${email.id}`);
    const opened = async () =>
      (
        await db.maybe<{ count: number }>(
          sql`select count(*)::int as count from email_events where email_id = ${email.id}`,
        )
      )?.count;
    assert.equal(await opened(), 999);
    for (let i = 0; i < 3; i++) assert.equal((await fetch(pixel!)).status, 200);
    assert.equal(await opened(), 1000);
  });

  test('with a forged or damaged token do not redirect', async () => {
    const { html } = await send({ body_html: '<a href="https://shop.example/">x</a>' });
    const [link] = links(html);
    const token = link!.split('/').at(-1)!;
    const forged = Buffer.from(token, 'base64url');
    forged.write('https://evil.example/', 32);
    for (const bad of [forged.toString('base64url'), `${token}A`, token.slice(0, -1), 'x', '']) {
      const answer = await fetch(`${url}/t/c/${bad}`, { redirect: 'manual' });
      assert.ok([403, 404].includes(answer.status), String(answer.status));
      assert.equal(answer.headers.get('location'), null);
    }
    const as_pixel = await fetch(`${url}/t/o/${token}`);
    assert.equal(as_pixel.status, 200);
  });

  test('are not tracked if the caller turned tracking off, nor in plain text', async () => {
    const html = '<a href="https://shop.example/">x</a>';
    assert.equal((await send({ body_html: html, track_opens: false, track_clicks: false })).html, html);
    assert.match(
      (await send({ body_html: html, track_clicks: false })).html,
      /^<a href="https:\/\/shop\.example\/">x<\/a><img/,
    );
    assert.equal((await send({ body_text: 'https://shop.example/' })).html, '');
  });
});
