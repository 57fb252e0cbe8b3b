// The inbox by keyboard alone: reading, answering, sorting out, the person and the search, on a wide screen and on a phone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Conversation } from '@parley/contract/inbox/conversations';
import type { Browser, Page } from 'playwright-core';
import { startTestApp } from '../../packages/server/testing/app.ts';
import {
  conversationReads,
  ok,
  receiveEmail,
  sendText,
} from '../../packages/server/testing/conversations.ts';
import { openBrowser, withoutBrowser } from './chromium.ts';
import { axeViolations, settled, type Visit, visitConsole } from './console-page.ts';

const skip = withoutBrowser;
const test_app = await startTestApp();
const { client, operator, url, later } = test_app;
const reads = conversationReads(test_app);
const ana = { name: 'Ana Sousa', email: 'ana@example.org', phone_e164: '+14155550123' };
const bob = 'bob@example.net';
let browser: Browser;
let visit: Visit;
let page: Page;
let ours: string;
let agent_id: string;

const receiveText = (body: string) =>
  ok(client, 'POST', '/v1/sandbox/inbound-sms', { from: ana.phone_e164, to: ours, body });
const conversationOf = async (title: string) => {
  const found = (await reads.list(client)).find((each) => each.title === title);
  assert.ok(found, title);
  return found;
};
/** Reads until what the page did has happened. */
async function becomes(title: string, holds: (conversation: Conversation) => boolean): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    if (holds(await conversationOf(title))) return;
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
  assert.fail(JSON.stringify(await conversationOf(title)));
}
const rows = () => page.getByRole('list', { name: 'Conversations' }).getByRole('link');
const messages = () => page.getByRole('region', { name: 'Messages' });
const dialog = () => page.getByRole('dialog');
const press = async (...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};
const focusedText = () => page.evaluate(() => document.activeElement?.textContent ?? '');
/** The focused row is the one with this title, and the focus can be seen. */
async function rowHasFocus(title: string): Promise<void> {
  const row = rows().filter({ hasText: title }).first();
  await page.waitForFunction(
    (text) =>
      document.activeElement?.matches('a[data-conversation]') &&
      document.activeElement.textContent?.includes(text),
    title,
  );
  assert.notEqual(await row.evaluate((element) => getComputedStyle(element).outlineStyle), 'none');
}
/** Presses Tab until the element has the focus. */
async function tabTo(name: string): Promise<void> {
  for (let tries = 0; tries < 40; tries++) {
    const label = await page.evaluate(() => {
      const element = document.activeElement as HTMLInputElement | null;
      return element?.labels?.[0]?.textContent ?? element?.ariaLabel ?? element?.textContent ?? '';
    });
    if (label.startsWith(name)) return;
    await press('Tab');
  }
  assert.fail(`${name} cannot be reached`);
}

before(async () => {
  if (skip) return;
  await ok(client, 'POST', '/v1/contacts', ana);
  const agent = { name: 'Desk', system_prompt: 'Help.' };
  agent_id = (await ok<{ id: string }>(client, 'POST', '/v1/agents', agent)).id;
  await receiveEmail(client, { from: `Bob <${bob}>`, subject: 'Invoice 7', body_text: 'Is it paid?' });
  await receiveEmail(client, {
    from: `Ana <${ana.email}>`,
    subject: 'A table',
    body_text: 'For two, please.',
  });
  ours = (await sendText(client, ana.phone_e164, 'On Friday?')).from;
  await receiveText('Yes, at eight.');
  await sendText(client, '+15005550002', 'Does not arrive');
  await later(2);
  browser = await openBrowser();
  visit = await visitConsole(browser, {
    url,
    key: client.key,
    context: { viewport: { width: 1440, height: 900 } },
  });
  page = visit.page;
  await visit.open('/inbox', 'Inbox');
  await settled(page);
});
after(() => browser?.close());

test('j and k choose a conversation, Enter opens it with all channels in order, and it is read', {
  skip,
}, async () => {
  await press('j');
  await rowHasFocus('+15005550002');
  await press('j', 'j', 'k');
  await rowHasFocus('Ana Sousa');
  assert.equal((await conversationOf('Ana Sousa')).unread_count, 2);
  await press('Enter');
  await messages().getByText('Yes, at eight.').waitFor();
  const texts = await messages().locator('.item-text').allTextContents();
  assert.deepEqual(texts, ['For two, please.', 'On Friday?', 'Yes, at eight.']);
  await becomes('Ana Sousa', ({ unread_count }) => unread_count === 0);
  const person = page.getByRole('region', { name: 'Person' });
  for (const text of [ana.email, ana.phone_e164, 'Emails allowed', 'Texts allowed'])
    await person.getByText(text, { exact: true }).waitFor();
  assert.deepEqual(await axeViolations(page, { without_menu: true }), []);

  // What is received now is shown at once, and read.
  await receiveText('One more thing.');
  const newest = messages().getByText('One more thing.');
  await newest.waitFor();
  const box = (await newest.boundingBox())!;
  assert.ok(box.y > 0 && box.y + box.height < 900, 'the newest message is visible');
  await becomes('Ana Sousa', ({ unread_count }) => unread_count === 0);

  // A failed text says why. Its conversation is the second one now.
  await rows().first().getByText('One more thing.').waitFor();
  await press('j', 'Enter');
  await messages().getByText('The phone was off or out of coverage for too long.').waitFor();
});

test('r answers on the channel of the last message; the answers of the rules are shown; drafts stay', {
  skip,
}, async () => {
  await press('k', 'r');
  await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
  await page.keyboard.type('We reserve it');
  // Escape leaves the field, and once more the conversation; the letters are keys again.
  await press('Escape', 'Escape');
  await rowHasFocus('Ana Sousa');
  await press('j', 'j', 'Enter');
  await messages().getByText('Is it paid?').waitFor();
  await press('k', 'k', 'r');
  await page.waitForFunction(() => (document.activeElement as HTMLTextAreaElement).value === 'We reserve it');
  await press('Control+Enter');
  await page.getByText('Please confirm that the recipient has agreed.').waitFor();
  await tabTo('The recipient has agreed');
  await press('Space', 'Enter');
  await messages().locator('.ours', { hasText: 'We reserve it' }).getByText('delivered').waitFor();
  await becomes('Ana Sousa', ({ waiting_since }) => waiting_since === null);

  const everything = { name: 'Everything', when: ['always'], then: 'hold' };
  await ok(operator, 'PUT', '/v1/approval-policy', { rules: [everything] });
  await press('r');
  await page.keyboard.type('This waits');
  await press('Control+Enter');
  const held = messages().locator('.ours', { hasText: 'This waits' });
  await held.getByText('Not sent yet.').waitFor();
  await held.getByRole('link', { name: 'Decide' }).waitFor();
  await ok(operator, 'PUT', '/v1/approval-policy', { rules: [] });

  await ok(client, 'POST', '/v1/email-suppressions', { recipient: bob });
  await press('Escape', 'j', 'j', 'r');
  await page.waitForFunction(() => (document.activeElement as HTMLTextAreaElement).value === '');
  await page.keyboard.type('Yes');
  await tabTo('The recipient has agreed');
  await press('Space', 'Enter');
  await page.getByRole('alert').getByText('recipient_suppressed', { exact: false }).waitFor();
});

test('e, s and u sort out: done, snoozed and unread conversations, each in its view', { skip }, async () => {
  await press('Escape', 'Escape', 'k', 'k');
  await rowHasFocus('Ana Sousa');
  await press('u');
  await becomes('Ana Sousa', ({ unread_count }) => unread_count === 1);
  await press('s');
  await dialog().getByText('Tomorrow').waitFor();
  assert.deepEqual(await axeViolations(page, { without_menu: true }), []);
  await press('2');
  await becomes('Ana Sousa', ({ status }) => status === 'snoozed');
  // The next one takes its place and the focus.
  await rowHasFocus('+15005550002');
  await press('j', 'e');
  await becomes('Bob', ({ status }) => status === 'closed');
  await rowHasFocus('+15005550002');
  for (const [view, title] of [
    ['snoozed', 'Ana Sousa'],
    ['done', 'Bob'],
    ['unread', 'Ana Sousa'],
  ] as const) {
    await tabToView(view);
    await press('Enter');
    await rows().filter({ hasText: title }).waitFor();
    assert.equal(await rows().count(), 1, view);
  }
  await press('?');
  await dialog().getByText('Mark as unread').waitFor();
  await press('Escape');
});

async function tabToView(name: string): Promise<void> {
  const view = page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name, exact: false });
  for (let tries = 0; tries < 12; tries++) {
    const step = await view.evaluate((element) => {
      const focused = document.activeElement!;
      if (element === focused) return null;
      const is_before = element.compareDocumentPosition(focused) & Node.DOCUMENT_POSITION_FOLLOWING;
      return is_before ? 'Shift+Tab' : 'Tab';
    });
    if (step === null) return;
    await press(step);
  }
  assert.fail(`the view ${name} cannot be reached`);
}

test('p goes to the person: labels, assignee and merging', { skip }, async () => {
  await press('j', 'p');
  await page.waitForFunction(() => document.activeElement?.classList.contains('person-pane'));
  await tabTo('Assigned to');
  await press('ArrowDown');
  await becomes('Ana Sousa', ({ assignee }) => assignee?.id === agent_id);
  await tabTo('Add a label');
  await page.keyboard.type('vip');
  await press('Enter');
  await becomes('Ana Sousa', ({ labels }) => labels.includes('vip'));
  await tabTo('Merge');
  await press('Enter');
  await dialog().waitFor();
  await tabTo('Find a conversation');
  await page.keyboard.type('bob');
  await dialog().getByRole('radio', { name: 'Bob' }).waitFor();
  await press('Tab', 'Space', 'Enter');
  await dialog().waitFor({ state: 'detached' });
  await messages().getByText('Is it paid?').waitFor();
  assert.equal((await reads.list(client)).length, 2);
});

test('the agent of a conversation is shown: take it over, and give it back', { skip }, async () => {
  const title = await page.locator('.pane-head h2').last().innerText();
  const agent = page.getByRole('region', { name: 'Agent' });
  await agent.getByRole('button', { name: 'Take over' }).click();
  await becomes(title, (each) => each.agent_state === 'human');
  await agent.getByRole('button', { name: 'Give back to the agent' }).click();
  await becomes(title, (each) => each.agent_state === 'agent');
  await agent.getByRole('button', { name: 'Take over' }).waitFor();
});

test('the reply of an agent that waits for a person is shown with the way to decide', { skip }, async () => {
  await ok(client, 'PATCH', `/v1/agents/${agent_id}`, { messaging: { reply_mode: 'approve' } });
  const number = await ok<{ id: string; e164: string }>(client, 'POST', '/v1/numbers', {
    country_code: 'US',
  });
  await ok(client, 'PATCH', `/v1/numbers/${number.id}`, { sms_agent_id: agent_id });
  await ok(client, 'POST', '/v1/sandbox/inbound-sms', {
    from: ana.phone_e164,
    to: number.e164,
    body: 'Hello',
  });
  await later(4);
  const proposed = messages().locator('.ours', { hasText: 'How can I help you?' });
  await proposed.getByText('Not sent yet.').waitFor();
  await proposed.getByText('rule: Replies of the agent', { exact: false }).waitFor();
  await proposed.getByRole('link', { name: 'Decide' }).waitFor();
});

test('/ and Ctrl+K search from every page, and Enter opens what is found', { skip }, async () => {
  await press('Escape', '/');
  await page.keyboard.type(`from:${bob} before:never`);
  await dialog().getByText('Expected a day such as 2026-06-06').waitFor();
  for (let count = 0; count < 'before:never'.length; count++) await press('Backspace');
  await page.keyboard.type('invoice');
  const option = dialog().getByRole('option', { name: 'Invoice 7' });
  await option.waitFor();
  assert.deepEqual(await axeViolations(page, { without_menu: true }), []);
  await press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Invoice 7' }).waitFor();
  await press('Control+k');
  await page.keyboard.type('ana');
  await dialog().getByRole('option', { name: 'Contact' }).waitFor();
  await press('ArrowDown', 'Control+Enter');
  await messages().waitFor();
  assert.match(page.url(), /\/inbox\?id=/);
});

test('a phone shows one part at a time, with the same keys', { skip }, async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await visit.go('/contacts');
  await visit.go('/inbox?view=all', 'Inbox');
  const shown = async () => {
    const panes = [];
    for (const pane of ['List', 'Conversation', 'Person'])
      if (await page.getByRole('region', { name: pane, exact: true }).isVisible()) panes.push(pane);
    return panes.join();
  };
  await rows().first().waitFor();
  assert.equal(await shown(), 'List');
  await press('j', 'Enter');
  await messages().locator('.item').first().waitFor();
  assert.equal(await shown(), 'Conversation');
  assert.deepEqual(await axeViolations(page), []);
  // Without the list, j opens the next conversation.
  const first = await page.title();
  await press('j');
  await page.waitForFunction((title) => document.title !== title, first);
  await press('p');
  await page.waitForFunction(() => document.activeElement?.classList.contains('person-pane'));
  assert.equal(await shown(), 'Person');
  assert.deepEqual(await axeViolations(page), []);
  const is_too_wide = () =>
    page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
  assert.equal(await is_too_wide(), false);
  await press('Escape', 'Escape');
  await page.waitForFunction(() => document.activeElement?.matches('a[data-conversation]'));
  assert.equal(await shown(), 'List');

  // A new message opens its conversation.
  await press('n');
  await dialog().getByText('New message').waitFor();
  await page.keyboard.type('delivered@sandbox.test');
  for (const text of ['Opening hours', 'We open at eight.']) {
    await press('Tab');
    await page.keyboard.type(text);
  }
  await tabTo('The recipient has agreed');
  await press('Space', 'Enter');
  await messages().getByText('We open at eight.').waitFor();
  assert.equal(await focusedText().then((text) => text.includes('We open at eight.')), true);
  visit.assertClean();
});
