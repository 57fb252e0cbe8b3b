// Previews: a temporary URL that shows the HTML of an email unchanged, with headers that let nothing in it run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../../../testing/app.ts';

const app = await startTestApp();
const { client } = app;
type Preview = { url: string; expires_at: string };

const send = async (body: object) =>
  (
    await client.request<{ id: string }>('POST', '/v1/emails', {
      to: ['delivered@sandbox.test'],
      subject: 'hello',
      recipient_consent: true,
      ...body,
    })
  ).body.id;
const preview = (id: string, query = '') =>
  client.request<Preview>('GET', `/v1/emails/${id}/preview${query}`);

test('a preview shows the body without a credential, and its headers allow no scripts', async () => {
  const id = await send({ body_html: '<h1>Hello</h1><script>alert(1)</script>' });
  const { status, body } = await preview(id);
  assert.equal(status, 200);
  const shown = await fetch(body.url);
  assert.equal(shown.status, 200);
  assert.match(
    await shown.text(),
    /^<!doctype html><meta charset="utf-8"><base target="_blank"><h1>Hello<\/h1>/,
  );
  const policy = shown.headers.get('content-security-policy')!;
  assert.match(policy, /^default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'/);
  assert.match(policy, /sandbox allow-popups allow-popups-to-escape-sandbox$/);
  assert.equal(shown.headers.get('referrer-policy'), 'no-referrer');
  assert.equal(shown.headers.get('x-content-type-options'), 'nosniff');
});

test('remote images are allowed only on request, and changing the URL does not allow them', async () => {
  const id = await send({ body_html: '<p>x</p>' });
  const without = (await preview(id)).body.url;
  const given = (await preview(id, '?remote_images=true')).body.url;
  assert.match((await fetch(given)).headers.get('content-security-policy')!, /img-src data: https: http:/);
  for (const changed of [
    without.replace('images=off', 'images=on'),
    without.replace(id, await send({ body_html: '<p>y</p>' })),
    `${without}x`,
  ])
    assert.equal((await fetch(changed)).status, 403, changed);
});

test('a preview expires after ten minutes; a text email and one of another organization have none', async () => {
  const id = await send({ body_html: '<p>x</p>' });
  const { url, expires_at } = (await preview(id)).body;
  assert.equal((await fetch(url)).status, 200);
  await app.later(601);
  assert.equal((await fetch(url)).status, 403);
  assert.match(expires_at, /Z$/);
  assert.equal((await preview(await send({ body_text: 'plain' }))).status, 404);
  assert.equal((await app.organization().request('GET', `/v1/emails/${id}/preview`)).status, 404);
});
