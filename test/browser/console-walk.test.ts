// A person uses the whole product from the console: mail, texts, calls, numbers, webhooks, the clock.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { startTestApp } from '../../packages/server/testing/app.ts';
import { codedSpeech, place } from '../../packages/server/testing/calls.ts';
import { fastClock } from '../../packages/server/testing/fast-clock.ts';
import { respondWith, startReceiver } from '../../packages/server/testing/receiver.ts';
import { createEvents, deliveriesOf, newPath, subscribe } from '../../packages/server/testing/webhooks.ts';
import { openBrowser, withoutBrowser } from './chromium.ts';
import { type Visit, visitConsole } from './console-page.ts';

// Twice real time: fast, but slow enough for the clicks of the test.
const app = await startTestApp({}, { speech: () => codedSpeech({ clock: fastClock(2) }) });
const skip = withoutBrowser;
let browser: Browser;
let visit: Visit;
let page: Page;

before(async () => {
  if (skip) return;
  // A microphone that plays a tone, and no question whether the page may use it.
  browser = await openBrowser([
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    '--autoplay-policy=no-user-gesture-required',
  ]);
  visit = await visitConsole(browser, { url: app.url, key: app.client.key });
  page = visit.page;
});
after(() => browser?.close());

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const agree = () => page.getByLabel('The recipient has agreed to be contacted').check();

test('a mail to bounced@ is sent, and its thread and the chart update live', { skip }, async () => {
  const overview = await visitConsole(browser, { url: app.url, key: app.client.key });
  await overview.open('/', 'Overview');
  const plot = overview.page.getByRole('img', { name: /^Emails by hour/ });
  await overview.page.getByRole('img', { name: 'Emails by hour: 0 sent, 0 delivered, 0 bounced' }).waitFor();
  await overview.page.getByText('Live', { exact: true }).waitFor();
  await overview.page.getByText(/settings are missing before this server can reach real people/).click();
  const missing = overview.page.getByRole('list', { name: 'What is missing to go live' });
  await missing.getByText('PARLEY_CARRIER', { exact: true }).waitFor();
  await missing.getByText(/^parley providers set llm/).waitFor();

  await visit.open('/compose', 'Compose');
  await page.getByLabel('To', { exact: false }).first().fill('bounced@sandbox.test');
  await page.getByLabel('Subject').fill('Will it arrive?');
  await page.getByRole('textbox', { name: 'Text' }).fill('Probably not.');
  await button('Send email').click();
  await page.getByText('Please confirm that the recipient has agreed.').waitFor();
  await agree();
  await button('Send email').click();
  await page.getByRole('heading', { level: 1, name: 'Will it arrive?' }).waitFor();
  await page.locator('.timeline').getByText('bounced', { exact: true }).waitFor();
  await page.locator('summary .badge', { hasText: 'bounced' }).waitFor();
  await page.getByText('Probably not.').waitFor();

  await overview.page.getByRole('img', { name: /1 sent, 0 delivered, 1 bounced/ }).waitFor();
  await overview.page.getByText('email.bounced').waitFor();
  assert.equal(await plot.count(), 1);
  overview.assertClean();
  await overview.close();

  await page.getByRole('tab', { name: 'Headers' }).click();
  await page.getByText('Message-ID', { exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Raw' }).click();
  await page.getByText('MIME-Version: 1.0').waitFor();

  await visit.go('/suppressions', 'Suppressions');
  await page.getByText('bounced@sandbox.test', { exact: true }).waitFor();
  await visit.go('/emails?status=bounced', 'Emails');
  await page.getByRole('link', { name: 'Will it arrive?' }).waitFor();
  assert.equal(await page.getByLabel('Status').inputValue(), 'bounced');
});

test('a received mail shows its check results and is replied to in its thread', { skip }, async () => {
  await visit.go('/sandbox', 'Sandbox');
  await button('Receive an email').click();
  await page.getByRole('dialog').getByLabel('Subject').fill('Are you open?');
  await page.getByRole('dialog').getByRole('textbox', { name: 'Text' }).fill('On Sunday, I mean.');
  await button('Receive email').click();
  await page.getByRole('heading', { level: 1, name: 'Are you open?' }).waitFor();
  await page.getByRole('list', { name: 'Verdicts' }).getByText('DKIM not checked').waitFor();
  await page.getByRole('textbox', { name: 'Text' }).fill('We are not, sorry.');
  await agree();
  await button('Send reply').click();
  await page.getByText('→ bob@example.org').waitFor();
});

test('a rule keeps the mail of a sender apart, and the quarantine releases it', { skip }, async () => {
  await visit.go('/receive-rules', 'Receiving');
  await button('Add a rule').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('From').selectOption({ label: 'A domain' });
  await dialog.getByLabel('Domain').fill('offers.example');
  await dialog.getByLabel('Action').selectOption({ label: 'Put into quarantine' });
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByText('The rule applies within two seconds.').waitFor();
  const email = { from: 'deals@offers.example', subject: 'Cheaper coffee', text: 'Only today.' };
  const received = await app.client.request('POST', '/v1/sandbox/inbound-emails', email);
  assert.equal(received.status, 201, received.text);
  await page.getByRole('link', { name: 'Cheaper coffee' }).waitFor();
  await page.getByRole('button', { name: 'Release Cheaper coffee' }).click();
  await page.getByText('The quarantine is empty').waitFor();
  await visit.go('/emails', 'Emails');
  await page.getByRole('link', { name: 'Cheaper coffee' }).waitFor();
});

test('a number is quoted, bought and assigned to an agent', { skip }, async () => {
  await visit.go('/agents', 'Agents');
  await button('Create an agent').click();
  await page.getByRole('dialog').getByLabel('Name').fill('Receptionist');
  await page.getByRole('dialog').getByRole('button', { name: 'Create agent' }).click();
  await page.getByRole('heading', { level: 1, name: 'Receptionist' }).waitFor();

  await visit.go('/numbers', 'Numbers');
  await button('Buy a number').click();
  await button('Find numbers').click();
  const offer = page.getByRole('list', { name: 'Offers' }).getByRole('listitem').first();
  const e164 = (await offer.locator('strong').textContent())!;
  await offer.getByRole('button', { name: 'Buy' }).click();
  await page.getByText(`You bought ${e164}.`).waitFor();
  const choice = page.getByLabel(`Agent for calls to ${e164}`);
  await choice.selectOption({ label: 'Receptionist' });
  await page.getByText('Saved.', { exact: true }).waitFor();
  const { body } = await app.client.request<{ items: { e164: string; voice_agent_id: string | null }[] }>(
    'GET',
    '/v1/numbers',
  );
  assert.equal(body.items.length, 1);
  assert.ok(body.items[0]!.voice_agent_id);
});

test('the phone rings in the browser; answered by typing, both sides are in the transcript', {
  skip,
}, async () => {
  await visit.go('/compose?channel=call', 'Compose');
  await page
    .getByLabel('Instructions for the agent')
    .fill('Ask for their name. Then ask for their address. Then ask when they come.');
  await agree();
  await button('Place call').click();
  // It rings on every page.
  await page.getByRole('heading', { level: 1, name: 'Call to +15005550210' }).waitFor();
  const phone = page.getByRole('region', { name: 'Phone' });
  await phone.getByText('is calling you').waitFor();
  await phone.getByRole('button', { name: 'Answer' }).click();
  await phone.getByLabel('Say').fill('Hello, this is Ana speaking.');
  await phone.getByRole('button', { name: 'Speak' }).click();
  const log = page.locator('#main').getByRole('log', { name: 'Transcript' });
  await log.locator('.bubble:not(.ours)', { hasText: 'Hello, this is Ana speaking.' }).waitFor();
  await log.locator('.bubble.ours').first().waitFor();
  await phone.getByText('Keys').click();
  await phone.getByRole('button', { name: 'Press 5' }).click();
  await phone.getByRole('button', { name: 'Hang up' }).click();
  await page.getByText('The person hung up.').waitFor();
  await page.locator('.timeline').getByText('digits pressed').waitFor();
  await phone.waitFor({ state: 'detached' });

  // The waveform is there, and a line of the transcript seeks in it.
  await page.getByRole('img', { name: /^Waveform/ }).waitFor();
  await page.getByRole('button', { name: 'Play', exact: true }).and(page.locator(':enabled')).waitFor();
  await log.getByRole('button').last().click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
});

test('with the microphone on, audio flows in both directions', { skip }, async () => {
  const talking = await visitConsole(browser, { url: app.url, key: app.client.key });
  await place(app.client, '+15005550210', { ring_timeout_seconds: 60, first_message: 'Good evening.' });
  await talking.open('/sandbox', 'Sandbox');
  await talking.page.getByRole('button', { name: 'Answer', exact: true }).first().click();
  const [socket] = await Promise.all([
    talking.page.waitForEvent('websocket'),
    talking.page.getByRole('button', { name: 'Use the microphone' }).click(),
  ]);
  const [heard, said] = await Promise.all([
    socket.waitForEvent('framereceived', ({ payload }) => payload.length > 0),
    socket.waitForEvent('framesent', ({ payload }) => payload.length > 0),
  ]);
  assert.equal(said.payload.length, 320, 'twenty milliseconds of 16-bit samples');
  assert.equal(heard.payload.length % 2, 0);
  await talking.page.getByRole('button', { name: 'Hang up' }).click();
  await talking.page.getByText('It rings on every page').waitFor();
  talking.assertClean();
  await talking.close();
});

test('a person calls the number, and the agent’s side appears during the call', { skip }, async () => {
  await visit.go('/sandbox', 'Sandbox');
  await button('Receive a call').click();
  await button('Receive call').click();
  await page.getByRole('heading', { level: 1, name: 'Call from +14155550123' }).waitFor();
  await page.getByRole('log', { name: 'Transcript' }).locator('.bubble.ours').first().waitFor();
  await button('Hang up').click();
  await page.getByText('The call was ended through the API.').waitFor();
});

test('a text gets a reply from the other side, and its segments are counted', { skip }, async () => {
  await visit.go('/compose?channel=sms', 'Compose');
  await page.getByLabel('To', { exact: false }).first().fill('+15005550007');
  await page.getByRole('textbox', { name: 'Text' }).fill('ä'.repeat(161));
  await page.getByText('161 characters · 2 segments · GSM-7').waitFor();
  await page.getByRole('textbox', { name: 'Text' }).fill('Hello 👋');
  await page.getByText('1 segment · UCS-2').waitFor();
  await agree();
  await button('Send text').click();
  await page.getByRole('heading', { level: 1, name: 'SMS' }).waitFor();
  await page.locator('.bubble:not(.ours)', { hasText: 'Hello 👋' }).first().waitFor();
});

test('a webhook fails, the clock shows it, and a redelivery reaches the receiver', { skip }, async () => {
  let status = 500;
  const seen: string[] = [];
  const receiver = createServer((request, answer) => {
    seen.push(String(request.headers['x-service-delivery']));
    request.resume().on('end', () => {
      answer.statusCode = status;
      answer.end('<b>no</b>');
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => receiver.once('listening', resolve));
  after(() => receiver.close());
  const target = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;

  await visit.go('/webhooks', 'Webhooks');
  await button('Add a webhook').click();
  await page.getByRole('dialog').getByLabel('URL').fill(target);
  await page.getByRole('dialog').getByRole('button', { name: 'Add webhook' }).click();
  await page.getByText('shown only once').waitFor();
  await page.getByRole('link', { name: target }).click();
  await button('Send a test event').click();
  await page.getByRole('cell', { name: 'bad status 500' }).waitFor();

  await visit.go('/sandbox', 'Sandbox');
  for (const label of ['+30 s', '+10 min', '+24 h']) {
    await button(label).click();
    await page.getByText('All due work has run.').last().waitFor();
    await page.getByRole('button', { name: label, exact: true }).and(page.locator(':enabled')).waitFor();
  }
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: target }).waitFor();
  await page.getByRole('cell', { name: 'dead', exact: true }).waitFor();

  status = 200;
  await page.getByRole('row', { name: /dead/ }).getByRole('button', { name: 'Redeliver' }).click();
  await page.getByRole('cell', { name: 'delivered', exact: true }).waitFor();
  assert.equal(new Set(seen).size, 1, 'every attempt has the same delivery id');
  await page.getByRole('link', { name: /\(test\)/ }).click();
  await page.getByText(/^Attempt \d+: accepted \(200\)$/).waitFor();
});

test('deliveries that failed since a time are retried and arrive, and no older ones', { skip }, async () => {
  const receiver = await startReceiver();
  const path = newPath();
  receiver.on(path, respondWith(500, 'not now'));
  const { id } = await subscribe(app.client, receiver.url + path);
  const die = async (count: number) => {
    const before = receiver.at(path).length;
    await createEvents(app.client, { count });
    await receiver.arrived(path, before + count);
    await app.later(2 * 86_400);
  };
  await die(1);
  const { body: clock } = await app.client.request<{ now: string }>('GET', '/v1/sandbox/clock');
  await die(3);
  const dead = await deliveriesOf(app.client, id, '?status=dead');
  assert.equal(dead.length, 4);
  receiver.on(path, respondWith(200));
  const before = receiver.at(path).length;

  await visit.go(`/webhooks/${id}`, receiver.url + path);
  const replay = async (since?: string) => {
    await button('Retry failed').click();
    if (since) await page.getByLabel('Since (UTC)').fill(since);
    await button('Retry deliveries').click();
  };
  await replay(clock.now.slice(0, 16));
  await page.getByText('3 deliveries are being retried.').waitFor();
  const arrived = (await receiver.arrived(path, before + 3)).slice(before);
  assert.deepEqual(
    new Set(arrived.map(({ headers }) => headers['x-service-delivery'])),
    new Set(dead.slice(0, 3).map((delivery) => delivery.id)),
  );

  await page.getByRole('cell', { name: 'delivered', exact: true }).nth(2).waitFor();
  assert.equal(await page.getByRole('cell', { name: 'dead', exact: true }).count(), 1);

  await replay();
  await page.getByText('1 delivery is being retried.').waitFor();
  await page.getByRole('cell', { name: 'dead', exact: true }).waitFor({ state: 'detached' });
  const all = await receiver.arrived(path, before + 4);
  assert.equal(all.at(-1)!.headers['x-service-delivery'], dead[3]!.id);
});

test('every other page opens, and its forms work', { skip }, async () => {
  await visit.open('/contacts', 'Contacts');
  await button('Add a contact').click();
  await page.getByRole('dialog').getByLabel('Name').fill('Ana Sousa');
  await page.getByRole('dialog').getByLabel('Email').fill('ana@example.com');
  await button('Add contact').click();
  await page.getByRole('cell', { name: 'Ana Sousa', exact: true }).waitFor();
  await page.getByLabel('Search contacts').fill('nobody');
  await page.getByText('No matching contacts').waitFor();
  assert.match(page.url(), /q=nobody/);

  await visit.go('/domains', 'Domains');
  await button('Add a domain').click();
  await page.getByRole('dialog').getByLabel('Domain').fill('mail.example.com');
  await button('Add domain').click();
  await page.getByRole('heading', { level: 1, name: 'mail.example.com' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Copy the value' }).count(), 5);
  // The owner of a forward address must confirm first (R2).
  await page.getByLabel('Also forward to').fill('ana@home.test');
  await button('Save').click();
  await page.getByText('Waiting for confirmation').waitFor();
  await button('Send again').click();
  await page.getByText('The mail to ana@home.test was sent again.').waitFor();

  await visit.go('/providers', 'Providers');
  await button('Set a language model provider').click();
  await page.getByRole('dialog').getByLabel('API key').fill('sk-a-key-that-ends-in-9876');
  await button('Set provider').click();
  await page.getByText('…9876').waitFor();

  await visit.go('/admin', 'Admin');
  // U7: stopping asks first, and everybody sees on every page that a person stopped the channel.
  await button('Stop texts').click();
  await page.getByText('Stop texts for all organizations?').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  assert.equal(await page.getByRole('alert').count(), 0);
  await button('Stop texts').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop texts' }).click();
  await page.getByText('The change takes effect everywhere within a second.').waitFor();
  await page.getByRole('alert').getByText('Texts stopped.').waitFor();
  await visit.go('/calls', 'Calls');
  await page.getByRole('alert').getByText('Texts stopped.').waitFor();
  await visit.go('/admin', 'Admin');
  await button('Open texts').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Open texts' }).click();
  // Without accounts an agent may have the key of this page, so only the operator opens a channel.
  await page.getByLabel('Operator key').fill(app.operator.key);
  await button('Open texts').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Open texts' }).click();
  await button('Stop texts').waitFor();
  await page.getByRole('alert').waitFor({ state: 'detached' });
  for (const [tab, text] of [
    ['Organizations and caps', 'Shared key'],
    ['Pool', '+15005550100'],
    ['Funds', 'Credit an organization'],
    ['Audit log', 'kill_switch'],
  ] as const) {
    await page.getByRole('tab', { name: tab }).click();
    await page.getByText(text).first().waitFor();
  }

  await visit.go('/api-keys', 'API keys');
  // U9: a server with a shared key has keys with fewer rights, too.
  await page.getByText('No keys yet').waitFor();
  await button('Create a key').click();
  await page.getByRole('dialog').getByLabel('Purpose').fill('Front desk');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.getByText('Key Front desk').waitFor();
  await page.getByText('Front desk', { exact: true }).waitFor();

  await visit.go('/connect', 'Connect');
  await page.getByText('claude mcp add').waitFor();
  await page.getByRole('tab', { name: 'Tools' }).click();
  await page.getByRole('button', { name: /^whoami/ }).click();
  await button('Try it').click();
  await page.getByText('"auth_kind": "shared_key"').waitFor();

  await visit.go('/webhooks?part=events', 'Webhooks');
  await page.getByRole('heading', { level: 2, name: 'email.received.suppressed' }).waitFor();
});

test('the last action is shown as a working command', { skip }, async () => {
  await visit.open('/contacts', 'Contacts');
  await page.getByText('The last action of this page as a command').click();
  const command = page.locator('.last-action pre');
  assert.match((await command.textContent())!, /^curl .*\/v1\/contacts\?limit=200/);
  await page.getByText('TypeScript', { exact: true }).click();
  assert.match((await command.textContent())!, /await parley\.contacts\.list\(/);
  await page.getByText('CLI', { exact: true }).click();
  assert.match((await command.textContent())!, /^npm run -s parley -- contacts list --limit 200/);
  visit.assertClean();
});
