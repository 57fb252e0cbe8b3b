// What rules cost: creating texts and calls with budgets, recorded consents and an approval policy, compared with none of them.
import type { Row, Run } from '../harness.ts';
import type { Service } from '../stage.ts';
import { creates } from './one-row-commits.ts';
import { apiOnlyService, connectTo } from './service.ts';

const connections = 32;
const recipient = '+15005550001';
const operator_key = 'an-operator-key-of-the-benchmark';

const row = (name: string, noun: string, load: Load): Row => ({
  name,
  subject: `POST ${load.path} with two budgets, recorded consents and an approval policy`,
  limit: `the same ${noun} without rules`,
  unit: 'creates/s',
  target: { comparison: '>=', ratio: 0.7 },
  prepare: (run) => prepare(run, load),
});

type Load = { path: string; body: string; tables: string; rows_in: string[] };

export const sendingRulesRows: Row[] = [
  row('sms-create-with-rules', 'texts', {
    path: '/v1/sms',
    body: `{"to":"${recipient}","body":"Text {number}","recipient_consent":true}`,
    tables: 'sms_messages',
    rows_in: ['sms_messages'],
  }),
  row('call-create-with-rules', 'calls', {
    path: '/v1/calls',
    body: `{"to":"${recipient}","recipient_consent":true,"system_prompt":"Ask for their name.","metadata":{"number":"{number}"}}`,
    tables: 'calls, call_events',
    rows_in: ['calls'],
  }),
];

/** Only creating is measured: sending is the work of the worker role. */
const apiOnly = (run: Run, name: string): Promise<Service> =>
  apiOnlyService(run, name, { PARLEY_OPERATOR_KEY: operator_key });

async function prepare(run: Run, { path, body, tables, rows_in }: Load) {
  const side = async (service: Service) => {
    const database = await connectTo(service.database_url, run.stage);
    await database.query(`truncate ${tables}`);
    return creates(run, { service, database, connections, path, body, rows_in });
  };
  const ruled = await apiOnly(run, 'api-only-with-rules');
  await setRules(ruled);
  return { limit: await side(await apiOnly(run, 'api-only-without-rules')), subject: await side(ruled) };
}

/** Rules that allow everything that the row sends, but must be checked for each. */
async function setRules({ url }: Service): Promise<void> {
  const set = async (method: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${operator_key}`, 'content-type': 'application/json' };
    const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  };
  const subject = { kind: 'organization', id: null };
  for (const window of ['day', 'month']) {
    const limits = { max_count: 1_000_000_000, max_amount_micros: 1_000_000_000_000_000 };
    await set('POST', '/v1/budgets', { subject, channel: 'all', window, ...limits });
  }
  await set('PUT', '/v1/contact-rules', { consent: 'recorded' });
  await set('POST', '/v1/consents', {
    recipient,
    channels: ['sms', 'call'],
    purposes: ['conversational'],
    basis: 'express',
    source: { kind: 'verbal' },
  });
  await set('PUT', '/v1/trusted-recipients', { recipients: [recipient] });
  await set('PUT', '/v1/approval-policy', {
    rules: [
      { name: 'Expensive', when: [{ amount_over_micros: 1_000_000 }], then: 'hold' },
      { name: 'Strangers', when: ['not_vouched', { purpose: 'marketing' }], then: 'hold' },
    ],
  });
}
