// Agents in the console, by keyboard: tools and MCP servers, the editor of an agent, and a call with it that is watched and controlled.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Agent } from '@parley/contract/agents/agents';
import type { McpServer } from '@parley/contract/agents/mcp-servers';
import type { Call } from '@parley/contract/channels/calls/call-records';
import type { EmailDomain } from '@parley/contract/channels/emails/email-domains';
import type { Browser, Page } from 'playwright-core';
import { startTestApp } from '../../packages/server/testing/app.ts';
import { codedSpeech } from '../../packages/server/testing/calls.ts';
import { ok } from '../../packages/server/testing/conversations.ts';
import { fastClock } from '../../packages/server/testing/fast-clock.ts';
import { mcpStandIn } from '../../packages/server/testing/mcp-stand-in.ts';
import { scriptedModel } from '../../packages/server/testing/scripted-model.ts';
import { isSigned, jsonAnswer, toolServer } from '../../packages/server/testing/tool-server.ts';
import { openBrowser, withoutBrowser } from './chromium.ts';
import { axeViolations, settled, type Visit, visitConsole } from './console-page.ts';

const skip = withoutBrowser;
const { client, url } = await startTestApp(
  { WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8' },
  { speech: () => codedSpeech({ clock: fastClock(2) }) },
);
const report = {
  result: { day: '2026-11-20' },
  summary: 'Ana takes the free slot at ten.',
  success: true,
  success_reason: 'A slot was found.',
  evidence: { day: [2] },
};
const day_schema = { type: 'object', properties: { day: { type: ['string', 'null'], format: 'date' } } };
const endpoint = await toolServer();
endpoint.answer('/slots', jsonAnswer({ result: { free: ['10:00'] } }));
const model = await scriptedModel([
  { when: /free on Friday/, calls: [{ name: 'check_slots', arguments: { day: '2026-11-20' } }] },
  { when: /10:00/, say: 'At ten.' },
  { is_of_result: true, when: /Transcript:/, say: JSON.stringify(report) },
]);
const crm = await mcpStandIn();
crm.state.tools = ['get_order', 'cancel_order'].map((name) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object' },
}));
let browser: Browser;
let visit: Visit;
let page: Page;

const dialog = () => page.getByRole('dialog');
const press = (name: string, within: Pick<Page, 'getByRole'> = page) =>
  within.getByRole('button', { name, exact: true }).press('Enter');
const openPart = (name: string) => page.getByRole('tab', { name, exact: true }).press('Enter');
const panel = () => page.getByRole('tabpanel');
const agentNow = async () => (await ok<{ items: Agent[] }>(client, 'GET', '/v1/agents')).items[0]!;

before(async () => {
  if (skip) return;
  await ok(client, 'PUT', '/v1/providers/llm', {
    provider: 'openai-compatible',
    api_key: 'sk-model',
    params: { base_url: model.base_url, model: 'm' },
  });
  browser = await openBrowser();
  visit = await visitConsole(browser, { url, key: client.key });
  page = visit.page;
});
after(() => browser?.close());

test('a tool is created with its secret shown once, tried, and gets a new secret', { skip }, async () => {
  await visit.open('/tools', 'Tools');
  await page.getByText('No tools yet').waitFor();
  await press('Create a tool');
  await dialog().getByLabel('Name', { exact: false }).first().fill('check_slots');
  await dialog().getByLabel('Description').fill('Free slots on a day.');
  await dialog().getByLabel('URL').fill(`${endpoint.url}/slots`);
  await press('Add a header', dialog());
  await dialog().getByLabel('Name of header 1').fill('X-Key');
  await dialog().getByLabel('Value of header 1').fill('a-header-value');
  await dialog().getByLabel('What it does').selectOption('read');
  const parameters = dialog().getByLabel('Arguments that the model writes');
  await parameters.fill('{"type": "object", ');
  await press('Create tool', dialog());
  await dialog().getByRole('alert').getByText('The arguments: expected JSON.', { exact: false }).waitFor();
  await parameters.fill('{"type": "object", "properties": {"day": {"$ref": "#/days"}}}');
  await press('Create tool', dialog());
  await dialog().getByRole('alert').getByText('schema_not_supported').waitFor();
  assert.deepEqual(await axeViolations(page, { without_menu: true }), []);
  await parameters.fill(JSON.stringify({ ...day_schema, required: ['day'] }));
  await press('Create tool', dialog());

  const secret = page.getByRole('region', { name: 'Signing secret of check_slots' }).locator('code');
  const first = (await secret.textContent())!;
  assert.match(first, /^whsec_/);
  await press('Try check_slots');
  await dialog().getByLabel('Arguments').fill('{"day": "2026-11-20"}');
  await press('Send one request', dialog());
  const answer = dialog().getByRole('region', { name: 'Answer of the tool' });
  await answer.getByText('{"free":["10:00"]}').waitFor();
  const [sent] = endpoint.at('/slots');
  assert.ok(isSigned(sent!, first));
  assert.equal(sent!.headers['x-key'], 'a-header-value');
  assert.equal(sent!.body.is_test, true);
  endpoint.answer('/slots', jsonAnswer({ message: 'closed' }, 500));
  await press('Send one request', dialog());
  await answer.getByText('500', { exact: false }).waitFor();
  endpoint.answer('/slots', jsonAnswer({ result: { free: ['10:00'] } }));
  await page.keyboard.press('Escape');

  await press('New secret');
  await press('New secret', dialog());
  await page.waitForFunction((old) => document.querySelector('.card code')?.textContent !== old, first);
  assert.match((await secret.textContent())!, /^whsec_/);
  await press('I have stored it');
  await secret.waitFor({ state: 'detached' });
});

test('tools of an MCP server are allowed one by one', { skip }, async () => {
  await page.getByRole('tab', { name: 'MCP servers' }).press('Enter');
  await page.getByText('No MCP servers yet').waitFor();
  await press('Add an MCP server');
  await dialog().getByLabel('Name', { exact: false }).first().fill('crm');
  await dialog().getByLabel('URL').fill(crm.url);
  await press('Add server', dialog());
  const row = page.getByRole('row', { name: /crm/ });
  await row.getByText('0 of 2').waitFor();
  await press('Tools of crm');
  await dialog().getByRole('checkbox', { name: 'get_order' }).check();
  await dialog().getByLabel('Permission for get_order').selectOption('read:none');
  assert.deepEqual(await axeViolations(page, { without_menu: true }), []);
  await press('Save allowed tools', dialog());
  await row.getByText('1 of 2').waitFor();
  const [server] = (await ok<{ items: McpServer[] }>(client, 'GET', '/v1/mcp-servers')).items;
  assert.deepEqual(server!.allow, [{ name: 'get_order', effect: 'read', approval: 'none' }]);
});

test('a change of the consent of texts keeps that they need an approval', { skip }, async () => {
  const send_sms = { type: 'send_sms', approval: 'required' };
  const { id } = await ok<Agent>(client, 'POST', '/v1/agents', { name: 'Careful', tools: [send_sms] });
  await visit.go(`/agents/${id}?part=tools`, 'Careful');
  await panel().getByLabel('People have already agreed to texts').check();
  await press('Save tools', panel());
  await page.getByText('Version 2', { exact: false }).waitFor();
  assert.deepEqual((await agentNow()).tools, [{ ...send_sms, consent: 'configured' }]);

  await panel().getByRole('switch', { name: 'Send a text' }).uncheck();
  await panel().getByRole('switch', { name: 'Send a text' }).check();
  await panel().getByRole('switch', { name: 'Send an email' }).check();
  await press('Save tools', panel());
  await page.getByText('Version 3', { exact: false }).waitFor();
  assert.deepEqual((await agentNow()).tools, [
    { ...send_sms, consent: 'configured' },
    { type: 'send_email' },
  ]);
  assert.equal((await client.request('DELETE', `/v1/agents/${id}`)).status, 204);
});

test('an agent is created and edited part by part, with the errors of the server', { skip }, async () => {
  await visit.go('/agents', 'Agents');
  await press('Create an agent');
  await dialog().getByLabel('Name').fill('Desk');
  await press('Create agent', dialog());
  await page.getByRole('heading', { level: 1, name: 'Desk' }).waitFor();
  await panel().getByLabel('Instructions').fill('You answer for {{practice}}.');
  await panel().getByLabel('First sentence on a call').fill('Good morning.');
  await panel().getByLabel('Start calls with the sentence').uncheck();
  await panel().getByLabel('Time zone').fill('Europe/Lisbon');
  await press('Add a variable', panel());
  await panel().getByLabel('Name of variable 1').fill('practice');
  await panel().getByLabel('Value of variable 1').fill('the café');
  await press('Save conversation', panel());
  await page.getByText('Version 2', { exact: false }).waitFor();

  await openPart('Tools');
  await panel().getByRole('switch', { name: 'Press keys' }).uncheck();
  await panel().getByRole('switch', { name: 'Send a text' }).check();
  await panel().getByLabel('People have already agreed to texts').check();
  await panel().getByRole('checkbox', { name: 'check_slots' }).check();
  await panel().getByRole('checkbox', { name: 'crm' }).check();
  await panel().getByLabel('Only these tools of crm').fill('get_order');
  await press('Save tools', panel());
  await page.getByText('Version 3', { exact: false }).waitFor();

  await openPart('Destinations');
  await press('Add a destination', panel());
  await dialog().getByLabel('Name').fill('billing');
  await dialog().getByLabel('Phone number').fill('+15005550211');
  await dialog().getByLabel('Mode').selectOption('blind');
  await press('Save destination', dialog());
  await dialog().getByText('Please confirm that the recipient has agreed.').waitFor();
  assert.deepEqual(await axeViolations(page, { without_menu: true }), []);
  await dialog().getByLabel('The recipient has agreed').check();
  await press('Save destination', dialog());
  await panel().getByRole('cell', { name: 'billing', exact: true }).waitFor();

  await openPart('Result');
  await panel().getByLabel('A call is successful when').fill('A slot was found.');
  const schema = panel().getByLabel('Data to take from each call');
  await schema.fill('{"type": "array"}');
  await press('Save result', panel());
  await panel().getByRole('alert').getByText('schema_not_supported').waitFor();
  await schema.fill(JSON.stringify(day_schema));
  await press('Save result', panel());
  await page.getByText('Version 5', { exact: false }).waitFor();

  await openPart('Texts and emails');
  await panel().getByLabel('Replies', { exact: true }).selectOption('approve');
  await panel().getByLabel('It is silent at night').check();
  await press('Save replies', panel());
  await page.getByText('Version 6', { exact: false }).waitFor();
  await openPart('Limits');
  await panel().getByRole('spinbutton', { name: 'Texts' }).fill('1');
  await panel().getByLabel('When an answering machine answers').selectOption('hang_up');
  await press('Save limits', panel());
  await page.getByText('Version 7', { exact: false }).waitFor();

  await openPart('Relay');
  await panel()
    .getByLabel('Address of the relay')
    .fill(`${endpoint.url.replace('http', 'ws')}/relay`);
  await panel()
    .getByLabel(/^Secret/)
    .fill('a-relay-secret');
  await press('Add a parameter', panel());
  await panel().getByLabel('Name of parameter 1').fill('desk');
  await panel().getByLabel('Value of parameter 1').fill('7');
  await panel().getByLabel('When it ends the call with data').selectOption('billing');
  await panel().getByLabel('The language model takes over').check();
  assert.deepEqual(await axeViolations(page, { without_menu: true }), []);
  await press('Save relay', panel());
  await page.getByText('Version 8', { exact: false }).waitFor();
  const { relay } = (await agentNow()).engines;
  assert.deepEqual(
    [relay?.parameters, relay?.on_end, relay?.fallback, relay?.interruptible],
    [{ desk: '7' }, { transfer: 'billing' }, true, 'any'],
  );
  await panel().getByLabel('Address of the relay').fill('');
  await press('Save relay', panel());
  await page.getByText('Version 9', { exact: false }).waitFor();
  assert.equal((await agentNow()).engines.relay, null);

  const agent = await agentNow();
  assert.deepEqual(agent.variables, { practice: 'the café' });
  assert.deepEqual(
    agent.tools.map(({ type }) => type),
    ['end_call', 'send_sms', 'tool', 'mcp'],
  );
  assert.deepEqual(agent.tools[1], { type: 'send_sms', consent: 'configured' });
  const [{ phone, transfer }] = agent.destinations as [Agent['destinations'][number]];
  assert.deepEqual([phone, transfer.mode, transfer.brief], ['+15005550211', 'blind', 'summary']);
  assert.deepEqual(agent.result_schema, day_schema);
  assert.equal(agent.messaging.reply_mode, 'approve');
  assert.deepEqual(agent.messaging.quiet_hours, { from: '21:00', to: '08:00', applies_to: 'initiated' });
  assert.deepEqual([agent.limits.texts, agent.limits.tool_calls], [1, 30]);
  assert.equal(agent.voicemail.action, 'hang_up');
  assert.equal(agent.timezone, 'Europe/Lisbon');
});

test('U8: what was changed in an agent is kept while other pages are open, until it is saved or discarded', {
  skip,
}, async () => {
  const agent = await agentNow();
  const instructions = () => panel().getByLabel('Instructions');
  await visit.open(`/agents/${agent.id}`, agent.name);
  await instructions().fill('Ask for the order number first.');
  await page.getByText('Not saved yet.').waitFor();
  await page.getByRole('link', { name: 'Calls' }).click();
  await page.getByRole('heading', { level: 1, name: 'Calls' }).waitFor();
  await page.goBack();
  await page.getByText('Not saved yet.').waitFor();
  assert.equal(await instructions().inputValue(), 'Ask for the order number first.');
  await press('Discard changes', panel());
  assert.equal(await instructions().inputValue(), agent.system_prompt ?? '');
  await page.getByText('Not saved yet.').waitFor({ state: 'detached' });

  await instructions().fill('Ask for the name first.');
  await page.reload();
  await page.getByText('Not saved yet.').waitFor();
  await press('Save conversation', panel());
  await page.getByText('Not saved yet.').waitFor({ state: 'detached' });
  assert.equal((await agentNow()).system_prompt, 'Ask for the name first.');
  await page.reload();
  await page.getByRole('heading', { level: 1, name: agent.name }).waitFor();
  assert.equal(await instructions().inputValue(), 'Ask for the name first.');
  assert.equal(await page.getByText('Not saved yet.').count(), 0);
});

test('a call to me shows the tools, takes words and notes, and ends with a result', { skip }, async () => {
  await press('Call me with this agent');
  await dialog().getByText('The phone of this console').waitFor();
  assert.deepEqual(await axeViolations(page, { without_menu: true }), []);
  await press('Call me now', dialog());
  await page.getByRole('heading', { level: 1, name: 'Call to +15005550210' }).waitFor();
  const phone = page.getByRole('region', { name: 'Phone' });
  await press('Answer', phone);
  const log = page.locator('#main').getByRole('log', { name: 'Transcript' });
  const speak = async (text: string) => {
    await phone.getByLabel('Say').fill(text);
    await phone.getByLabel('Say').press('Enter');
  };
  await speak('Hello.');
  await log.getByText('Good morning.').waitFor();
  await speak('Are you free on Friday?');
  const timeline = page.locator('.timeline');
  const use = timeline.getByRole('listitem').filter({ hasText: 'check_slots' });
  await use.getByText(/HTTP tool · done in \d+ ms/).waitFor();
  await use.getByText('{"day":"2026-11-20"}').waitFor();
  await log.getByText('At ten.').waitFor();

  await page.getByLabel('Words that the agent says').fill('The door is open.');
  await press('Say');
  await log.locator('.bubble', { hasText: 'The door is open.' }).getByText('by request').waitFor();
  await page.getByLabel('Note that only the agent reads').fill('Parking is free.');
  await press('Instruct');
  await timeline.getByText('instructed').waitFor();
  await page.getByLabel('Keys to press').fill('12w#');
  await press('Press keys');
  await timeline.getByText('digits sent').waitFor();
  await press('Transfer');
  assert.equal(await dialog().getByLabel('To').inputValue(), 'billing');
  await dialog().getByLabel('Reason, for the colleague').fill('Invoice 17.');
  await press('Transfer the call', dialog());
  await page.getByText('connected', { exact: true }).waitFor();
  await log.getByText('Colleague').first().waitFor();
  await timeline.getByText('transfer connected').waitFor();
  await settled(page);
  assert.deepEqual(await axeViolations(page, { without_menu: true }), []);
  await press('Hang up', phone);

  await page.getByText('Ana takes the free slot at ten.', { exact: true }).waitFor();
  await page.getByText('reached', { exact: true }).waitFor();
  await page.getByText('A slot was found.', { exact: true }).waitFor();
  const data = page.getByRole('region', { name: 'Data from the call' });
  await data.getByRole('cell', { name: '2026-11-20' }).waitFor();
  await page.getByLabel('Words that the agent says').waitFor({ state: 'detached' });
  const [call] = (await ok<{ items: Call[] }>(client, 'GET', '/v1/calls')).items;
  assert.equal(call!.agent_id, (await agentNow()).id);
  await page.getByRole('link', { name: 'Desk', exact: true }).waitFor();
});

test('a domain gets agents that answer its mail', { skip }, async () => {
  const { id: domain_id, domain } = await ok<EmailDomain>(client, 'POST', '/v1/email-domains', {
    kind: 'custom',
    domain: 'desk.example.com',
  });
  await visit.go(`/domains/${domain_id}`, domain);
  const agent_id = (await agentNow()).id;
  await page.getByLabel('Agent of all other addresses').selectOption('Desk');
  await press('Add an address');
  await page.getByLabel('Address 1, before @desk.example.com').fill('billing');
  assert.deepEqual(await axeViolations(page, { without_menu: true }), []);
  await press('Save agents');
  await page.getByText('The agents are saved.').waitFor();
  const saved = await ok<EmailDomain>(client, 'GET', `/v1/email-domains/${domain_id}`);
  assert.deepEqual(
    [saved.email_agent_id, saved.agent_addresses],
    [agent_id, [{ local_part: 'billing', agent_id }]],
  );
});

test('on a phone the agent, its call and the tools have no violation and do not scroll sideways', {
  skip,
}, async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  const check = async (what: string) => {
    await settled(page);
    assert.deepEqual(await axeViolations(page, { without_menu: true }), [], what);
    const is_too_wide = await page.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll('.main, .table-scroll')].some(
        ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
      ),
    );
    assert.equal(is_too_wide, false, what);
  };
  await check('domain');
  await visit.go('/agents', 'Agents');
  await page.getByRole('link', { name: 'Desk', exact: true }).press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Desk' }).waitFor();
  await openPart('Tools');
  await check('agent');
  await visit.go('/tools', 'Tools');
  await page.getByText('check_slots').waitFor();
  await check('tools');
  visit.assertClean();
});
