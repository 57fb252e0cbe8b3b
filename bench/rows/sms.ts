// Texts: creating one, receiving one from the carrier, and a page of them in a large table.
import { nil_uuid } from '@parley/contract/limits';
import type pg from 'pg';
import type { Row, Run } from '../harness.ts';
import type { BareHttp } from '../limits/bare-http.ts';
import { creates, expectRows, oneRowCommits, posts } from './one-row-commits.ts';
import { apiOnlyService, connectTo } from './service.ts';
import { id_of_n, large, pageTime, sizedTable, small } from './sized-tables.ts';

const connections = 32;
/** A carrier opens more connections than the 32 with which commits are fastest. */
const carrier_connections = 64;
const commits = `one-row commits, ${connections} connections`;
const twilio = { account: `AC${'0'.repeat(32)}`, token: 'a-token-of-the-benchmark' };
const own_number = '+14155550101';

export const smsRows: Row[] = [
  {
    name: 'sms-create',
    subject: 'POST /v1/sms, sent by other processes',
    limit: commits,
    unit: 'creates/s',
    target: { comparison: '>=', ratio: 0.8 },
    prepare: prepareCreates,
  },
  {
    name: 'sms-callbacks',
    subject: 'signed callbacks of a carrier, each with an inbound text',
    limit: `the slower of a bare Fastify POST, ${carrier_connections} connections, and ${commits}`,
    unit: 'callbacks/s',
    target: { comparison: '>=', ratio: 0.8 },
    prepare: prepareCallbacks,
  },
  {
    name: 'sms-list',
    subject: 'first page of 50 texts, large table',
    limit: `the same at ${small.toLocaleString('en')} rows`,
    unit: 'ms/page',
    target: { comparison: '<=', ratio: 1.25 },
    prepare: prepareList,
  },
];

/** Only creating texts is measured: handing them to the carrier is the work of the worker role. */
async function apiOnly(run: Run, name: string, environment: Record<string, string> = {}) {
  const service = await apiOnlyService(run, name, environment);
  const database = await connectTo(service.database_url, run.stage);
  await database.query('truncate sms_messages');
  return { service, database };
}

async function prepareCreates(run: Run) {
  const { service, database } = await apiOnly(run, 'api-only');
  return {
    limit: await oneRowCommits(run, { service, database, of: 'sms', connections }),
    subject: creates(run, {
      service,
      database,
      connections,
      path: '/v1/sms',
      body: '{"to":"+15005550001","body":"Text {number}","recipient_consent":true}',
      rows_in: ['sms_messages'],
    }),
  };
}

async function prepareCallbacks(run: Run) {
  const { service, database } = await apiOnly(run, 'on-twilio', {
    PARLEY_CARRIER: 'twilio',
    TWILIO_ACCOUNT_SID: twilio.account,
    TWILIO_AUTH_TOKEN: twilio.token,
    // No server listens there: an inbound text needs no request to the carrier.
    TWILIO_BASE_URL: 'http://127.0.0.1:1',
  });
  await database.query(
    `insert into numbers (id, organization_id, provider, provider_number_id, e164, country_code, number_type, capabilities,
                          provisioning_state, inbound_registered, currency, created_at, updated_at)
     values (gen_random_uuid(), $1, 'twilio', 'PN1', $2, 'US', 'local', '{voice,sms}', 'active', true, 'usd', now(), now())`,
    [nil_uuid, own_number],
  );
  const path = '/v1/carriers/twilio/callbacks';
  const form = {
    Body: 'Text {number}',
    From: '+14155552671',
    MessageSid: `SM${'0'.repeat(22)}{number}`,
    SmsStatus: 'received',
    To: own_number,
  };
  const encoded = Object.entries(form).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const body = encoded.join('&').replaceAll(encodeURIComponent('{number}'), '{number}');
  const signed = Object.entries(form).map(([name, value]) => name + value);

  const bare = run.stage.startSide<BareHttp, { url: string }>(
    new URL('../limits/bare-http.ts', import.meta.url),
  );
  const { url } = await bare.ask({ path, body: '{}' });
  const one_row = await oneRowCommits(run, { service, database, of: 'sms', connections });
  let received = 0;
  return {
    limit: async () => {
      const posted = await posts(
        run,
        { url, pid: bare.pid },
        {
          connections: carrier_connections,
          status: 200,
          paths: [path],
          body: JSON.stringify({ text: body }),
        },
      );
      const committed = await one_row();
      return posted.value < committed.value ? posted : committed;
    },
    subject: async () => {
      const load = {
        connections: carrier_connections,
        status: 200,
        paths: [path],
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': '{signature}' },
        body,
        signature: { key: twilio.token, text: service.url + path + signed.join('') },
        first_number: received,
      };
      const sample = await posts(run, service, load, (requests) => {
        received += requests;
      });
      await expectRows(database, 'sms_messages', received);
      return sample;
    },
  };
}

async function prepareList(run: Run) {
  const paths = ['/v1/sms', '/v1/sms?direction=inbound', '/v1/sms?status=received'];
  const side = async (rows: number) => pageTime(run, await sizedTable(run, 'sms', rows, fill), paths);
  return { limit: await side(small), subject: await side(large[run.scale]) };
}

async function fill(database: pg.Client, rows: number): Promise<void> {
  await database.query(
    `insert into sms_messages (id, organization_id, conversation_id, direction, "from", "to", body, status, segments, encoding,
                               provider, provider_message_id, requested_at, metadata, origin, is_shared_sender, attempts, claims)
     select id, $1::uuid, id, 'inbound', '+14155552671', $3, 'Text ' || n, 'received', 1, 'gsm7', 'sandbox', 'M' || n,
            to_timestamp(1780000000 + n / 1000.0), '{}', 'carrier', false, 0, 0
       from (select n, ${id_of_n} as id from generate_series(1, $2::int) n) made`,
    [nil_uuid, rows, own_number],
  );
}
