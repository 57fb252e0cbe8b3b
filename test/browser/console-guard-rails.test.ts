// Guard rails in the console: approvals are decided with the keyboard, what waits is shown and canceled, budgets have bars.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Approval } from '@parley/contract/approvals';
import type { Budget } from '@parley/contract/budgets';
import type { Email } from '@parley/contract/email-records';
import type { Browser, Page } from 'playwright-core';
import { startTestApp } from '../../packages/server/testing/app.ts';
import { openBrowser, withoutBrowser } from './chromium.ts';
import { axeViolations, settled, type Visit, visitConsole } from './console-page.ts';

const skip = withoutBrowser;
const { client, operator, url, later } = await startTestApp();
let browser: Browser;
let visit: Visit;
let page: Page;

const send = async (subject: string, more: object = {}) => {
  const answer = await client.request<Email>('POST', '/v1/emails', {
    to: ['delivered@sandbox.test'],
    subject,
    body_text: `All of the text of ${subject}.`,
    recipient_consent: true,
    ...more,
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};
const read = async (id: string) => (await client.request<Email>('GET', `/v1/emails/${id}`)).body;
const approvalOf = async ({ hold }: Email) =>
  (await client.request<Approval>('GET', `/v1/approvals/${hold!.approval_id}`)).body;
const setPolicy = async (rules: object[]) => {
  const answer = await operator.request('PUT', '/v1/approval-policy', { rules });
  assert.equal(answer.status, 200, answer.text);
};
const everything = { name: 'Everything', when: ['always'], then: 'hold' };
const dialog = () => page.getByRole('dialog');
const menuEntry = (name: string) => page.locator('.frame > nav').getByRole('link', { name, exact: true });

before(async () => {
  if (skip) return;
  browser = await openBrowser();
  visit = await visitConsole(browser, { url, key: client.key });
  page = visit.page;
  await visit.open('/approvals', 'Approvals');
});
after(() => browser?.close());

test('the keyboard approves one email and rejects another, with the operator key kept in memory', {
  skip,
}, async () => {
  await page.getByText('Nothing waits for an approval').waitFor();
  await setPolicy([everything]);
  const [first, second, third] = [await send('one'), await send('two'), await send('three')];
  // The page and the menu follow the events.
  await menuEntry('Approvals 3 pending').waitFor();
  const entries = page.getByRole('region', { name: 'Pending approvals' }).getByRole('button');
  assert.match((await entries.first().textContent())!, /Email to delivered@sandbox\.test.*one/);
  await page.getByText('All of the text of one.').waitFor();
  for (const text of ['Everything', '$0.00', 'shared key']) await page.getByText(text).first().waitFor();
  await settled(page);
  assert.deepEqual(await axeViolations(page), []);

  await page.keyboard.press('j');
  await page.getByText('All of the text of two.').waitFor();
  await page.keyboard.press('a');
  await dialog().getByText('All of the text of two.').waitFor();
  // Letters are text while somebody types.
  await page.keyboard.type('jar');
  await page.keyboard.press('Enter');
  await dialog().getByRole('alert').getByText('approval_not_yours').waitFor();
  await dialog().getByText('Without accounts, use the operator key.', { exact: false }).waitFor();
  assert.equal((await approvalOf(second)).status, 'pending');
  await dialog().getByLabel('Operator key').fill('wrong');
  await page.keyboard.press('Enter');
  await dialog().getByRole('alert').getByText('unauthenticated').waitFor();
  await dialog().getByLabel('Operator key').fill(operator.key);
  await page.keyboard.press('Enter');
  await dialog().waitFor({ state: 'detached' });
  await menuEntry('Approvals 2 pending').waitFor();
  const { status, note, decided_by } = await approvalOf(second);
  assert.deepEqual([status, note, decided_by], ['approved', 'jar', 'operator_key']);
  await later(1);
  assert.notEqual((await read(second.id)).status, 'queued');

  // The next one took its place, and the key is not asked for again.
  await page.getByText('All of the text of three.').waitFor();
  await page.keyboard.press('k');
  await page.getByText('All of the text of one.').waitFor();
  await page.keyboard.press('r');
  await dialog().getByText('This is canceled and never sent').waitFor();
  await page.keyboard.press('Enter');
  await menuEntry('Approvals 1 pending').waitFor();
  const rejected = await read(first.id);
  assert.deepEqual([rejected.status, rejected.end_reason], ['canceled', 'approval_rejected']);
  assert.equal((await read(third.id)).status, 'queued');
  const stored = await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }));
  assert.ok(!stored.includes(operator.key));
});

test('a decision that somebody else made first is shown with what to do next', { skip }, async () => {
  await page.getByText('All of the text of three.').waitFor();
  await page.keyboard.press('a');
  await dialog().waitFor();
  const { items } = (await client.request<{ items: Approval[] }>('GET', '/v1/approvals?status=pending')).body;
  await operator.request('POST', `/v1/approvals/${items[0]!.id}/reject`, {});
  await page.keyboard.press('Enter');
  await dialog().getByRole('alert').getByText('approval_already_decided').waitFor();
  await dialog().getByText('Read the approval: its status says what happened.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('Nothing waits for an approval').waitFor();
});

test('a scheduled email says why it waits, moves to another time and is canceled', { skip }, async () => {
  await setPolicy([]);
  await later(2);
  const hour = 3_600_000;
  const { body: clock } = await client.request<{ now: string }>('GET', '/v1/sandbox/clock');
  const inHours = (count: number) => new Date(Date.parse(clock.now) + count * hour).toISOString();
  const { id } = await send('Later', { scheduled_at: inHours(2) });
  await visit.go(`/emails/${id}`);
  const notice = page.getByRole('region', { name: 'Why the email waits' });
  await notice.getByText('Not sent yet.').waitFor();
  await notice.getByRole('button', { name: 'Change the time' }).click();
  await dialog().getByLabel('Send at (UTC)').fill(inHours(5).slice(0, 16));
  await page.keyboard.press('Enter');
  await page.getByText('It has a new time.').waitFor();
  assert.equal((await read(id)).scheduled_at?.slice(0, 16), inHours(5).slice(0, 16));
  await notice.getByRole('button', { name: 'Cancel the email' }).click();
  await dialog().getByRole('button', { name: 'Cancel the email' }).click();
  await notice.waitFor({ state: 'detached' });
  assert.equal((await read(id)).status, 'canceled');
});

test('a rule is built without JSON, tried on the last days, saved and changed', { skip }, async () => {
  await visit.go('/approvals?part=policy');
  await page.getByRole('button', { name: 'Add a rule' }).click();
  await dialog().getByLabel('Name').fill('Crowds');
  await dialog().getByLabel('calls').uncheck();
  await dialog().getByLabel('Nobody vouched for a recipient').uncheck();
  await dialog().getByRole('button', { name: 'Add rule' }).click();
  await dialog().getByText('Choose at least one condition.').waitFor();
  await dialog().getByRole('checkbox', { name: 'Always' }).check();
  await dialog().getByLabel('Or more recipients than').fill('5');
  await dialog().getByLabel('Expires after hours').fill('8');
  await dialog().getByRole('button', { name: 'Add rule' }).click();
  await page.getByRole('cell', { name: 'always, or more than 5 recipients' }).waitFor();
  await page.getByRole('button', { name: 'Try it on the last 7 days' }).click();
  await page.getByText(/^Would have held \d of \d\.$/).waitFor();
  await page.getByText(/^Crowds: \d$/).waitFor();
  assert.deepEqual(await axeViolations(page), []);
  await page.getByRole('button', { name: 'Save policy' }).click();
  await page.getByText('The policy is saved.', { exact: false }).waitFor();
  const rules = async () =>
    (await client.request<{ rules: object[] }>('GET', '/v1/approval-policy')).body.rules;
  const crowds = {
    name: 'Crowds',
    subjects: [{ kind: 'any' }],
    channels: ['emails', 'sms'],
    when: ['always', { recipients_over: 5 }],
    then: 'hold',
    approvers: [{ kind: 'role', id: 'admin' }],
    decide_by: ['console'],
    expires_in_seconds: 28_800,
  };
  assert.deepEqual(await rules(), [crowds]);

  // A change keeps everything that the form does not show for it.
  await page.getByRole('button', { name: 'Edit Crowds' }).click();
  await dialog().getByLabel('Then').selectOption('allow');
  await dialog().getByRole('button', { name: 'Change rule' }).click();
  const saved = page.waitForResponse((response) => response.request().method() === 'PUT');
  await page.getByRole('button', { name: 'Save policy' }).click();
  assert.equal((await saved).status(), 200);
  assert.deepEqual(await rules(), [{ ...crowds, then: 'allow' }]);
});

test('quiet hours are set for calls and read back', { skip }, async () => {
  await visit.go('/quiet-hours');
  await page.getByLabel('Limit calls to a time of day').check();
  await page.getByLabel('calls from').fill('22:00');
  await page.getByLabel('sun').uncheck();
  await page.getByRole('button', { name: 'Save quiet hours' }).click();
  await page.getByRole('alert').getByText('Expected from before to', { exact: false }).first().waitFor();
  await page.getByLabel('calls from').fill('09:00');
  await page.getByLabel('At other times').selectOption('refuse');
  assert.deepEqual(await axeViolations(page), []);
  await page.getByRole('button', { name: 'Save quiet hours' }).click();
  await page.getByText('The quiet hours are saved.', { exact: false }).waitFor();
  const { body } = await client.request<object>('GET', '/v1/quiet-hours');
  assert.deepEqual(body, {
    calls: { from: '09:00', to: '21:00', days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
    sms: null,
    on_violation: 'refuse',
    exempt: ['reply_60m'],
    default_zone: null,
  });
});

test('a budget is set, its bar follows what is sent, and it is changed and deleted', { skip }, async () => {
  await visit.go('/budgets');
  await page.getByText('No budgets yet').waitFor();
  await page.getByRole('button', { name: 'Set a budget' }).click();
  await dialog().getByLabel('Channel').selectOption('emails');
  await dialog().getByLabel('Calls and messages').fill('4');
  await dialog().getByLabel('Cost in dollars').fill('2.5');
  await page.keyboard.press('Enter');
  const bar = page.getByRole('meter', { name: 'Count of Organization, emails per day' });
  await bar.waitFor();
  await later(2);
  await send('counted');
  await page.getByText('1 of 4').waitFor();
  assert.equal(await bar.getAttribute('value'), '25');
  await page.getByText('$0.00 of $2.50').waitFor();
  await settled(page);
  assert.deepEqual(await axeViolations(page), []);

  await page.getByRole('button', { name: 'Edit Organization, emails per day' }).click();
  await dialog().getByLabel('Calls and messages').fill('2');
  await dialog().getByLabel('Cost in dollars').fill('');
  await page.keyboard.press('Enter');
  await page.getByText('1 of 2').waitFor();
  const { body } = await client.request<{ items: Budget[] }>('GET', '/v1/budgets');
  assert.deepEqual(
    body.items.map(({ max_count, max_amount_micros }) => [max_count, max_amount_micros]),
    [[2, null]],
  );
  // Without the operator key the server asks for it again.
  await page.getByRole('button', { name: 'Forget the operator key' }).click();
  await page.getByRole('button', { name: 'Delete Organization, emails per day' }).click();
  await dialog().getByRole('button', { name: 'Delete budget' }).click();
  await dialog().getByRole('alert').getByText('person_required').waitFor();
  await dialog().getByLabel('Operator key').fill(operator.key);
  await page.keyboard.press('Enter');
  await page.getByText('No budgets yet').waitFor();
  visit.assertClean();
});
