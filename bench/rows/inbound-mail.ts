// Inbound mail: from the socket to the commit, compared with Haraka; large messages; a large mailbox.
import type pg from 'pg';
import { costing, type Row, type Run, type Scale } from '../harness.ts';
import { startHaraka } from '../limits/haraka/start.ts';
import type { MailZone } from '../limits/mail-zone.ts';
import {
  type MailSource,
  mailSource,
  mailWithFile,
  ordinaryMail,
  recipients_per_file,
} from '../mail-source.ts';
import { memoryOf, resetPeak } from '../memory.ts';
import type { Stage } from '../stage.ts';
import { connectTo, countRows } from './service.ts';

const files_per_sample = { quick: 3, normal: 8, full: 20 };
const small = 10_000;
const large: Record<Scale, number> = { quick: 100_000, normal: 1_000_000, full: 1_000_000 };
const large_limit_mb = 60;
const large_messages = 12;
const file_bytes = 7_700_000; // 10 MiB in base64 with its line breaks.
const to = 'bob+bench@mail.localhost';

export const inboundMailRows: Row[] = [
  {
    name: 'inbound-mail',
    subject: 'receive, authenticate, parse, store and commit a signed 10 kB message',
    limit: 'Haraka: receive, SPF, DKIM, parse, store and commit',
    unit: 'messages/CPU s',
    target: { comparison: '>=', ratio: 1.4 },
    prepare: prepareReceiving,
  },
  {
    name: 'inbound-growth',
    subject: 'processor time of a received message, large mailbox',
    limit: `the same at ${small.toLocaleString('en')} stored`,
    unit: 'µs/message',
    target: { comparison: '<=', ratio: 1.25 },
    prepare: prepareGrowth,
  },
  {
    name: 'inbound-large',
    subject: 'memory used per message of 10 MiB while it is received, two at a time',
    limit: `${large_limit_mb} MB`,
    unit: 'MB',
    target: { comparison: '<=', ratio: 1 },
    undisturbed: true,
    rounds: { quick: 3, normal: 5, full: 5 },
    prepare: prepareLarge,
  },
];

const service_settings = {
  PARLEY_ROLES: 'api,smtp',
  PARLEY_INBOUND_EMAILS_PER_MINUTE: '1000000000',
  PARLEY_INBOUND_PEER_MESSAGES_PER_MINUTE: '10000000',
};

/** Creates the numbered addresses of the load generator, each in its own organization, so that no message is a duplicate. */
async function createReceivers(database: pg.Client): Promise<void> {
  await database.query(
    `insert into email_domains (id, organization_id, kind, domain, local_prefix_user, local_prefix_org, default_address,
       verification_status, dns_records, mail_from_domain, mail_from_status, provider, created_at, updated_at,
       inbound_enabled, forward_to, forward_rate_per_hour, mx_ready)
     select gen_random_uuid(), gen_random_uuid(), 'service_mail', 'mail.localhost', n || 'bob', 'bench',
            n || 'bob+bench@mail.localhost', 'verified', '[]', 'mail.localhost', 'verified', 'smtp', now(), now(), true, '{}', 60, true
       from generate_series(0, $1::int + 10) n`,
    [recipients_per_file],
  );
}

export async function startReceiving(stage: Stage, records: MailZone['records']) {
  const zone = stage.startSide<MailZone, { address: string }>(
    new URL('../limits/mail-zone.ts', import.meta.url),
  );
  const { address } = await zone.ask({ records });
  const service = await stage.startService({
    data_dir: stage.makeFolder(),
    environment: { ...service_settings, PARLEY_DNS_SERVERS: address },
  });
  const database = await connectTo(service.database_url, stage);
  await createReceivers(database);
  return { service, database, dns: address };
}

/** CPU time of one message in these processes, over new signed messages. */
async function costOf(source: MailSource, files: number, pids: number[], port: number): Promise<number> {
  const made = await Promise.all(Array.from({ length: files }, () => source.makeFile(ordinaryMail())));
  const { cpu_us_per_op } = await costing(pids, async () => {
    for (const file of made) await source.send(port, file, { to });
    return { operations: files * recipients_per_file, value: 0 };
  });
  if (!cpu_us_per_op) throw new Error('processor time is unknown on this system');
  return cpu_us_per_op;
}

async function prepareReceiving(run: Run) {
  const source = mailSource(run.stage);
  const { service, database, dns } = await startReceiving(run.stage, source.records);
  await database.query('create table haraka_emails (like emails including all)');
  const haraka = await startHaraka(run.stage, { dns, database_url: service.database_url });
  const files = files_per_sample[run.scale];
  const messages = files * recipients_per_file;

  return {
    limit: async () => {
      const before = await haraka.counts();
      // The database is a child of the service, which is idle meanwhile.
      const cpu_us_per_op = await costOf(source, files, [haraka.pid, service.pid], haraka.port);
      const after = await haraka.counts();
      const found = [after.stored - before.stored, after.spf - before.spf, after.dkim - before.dkim];
      if (found.some((count) => count !== messages))
        throw new Error(`Haraka stored ${found.join(', passed ')} of ${messages}: ${haraka.output()}`);
      return { value: 1e6 / cpu_us_per_op, cpu_us_per_op };
    },
    subject: async () => {
      const before = await countRows(database, 'emails');
      const cpu_us_per_op = await costOf(source, files, [service.pid], service.smtp_port);
      const stored = (await countRows(database, 'emails')) - before;
      const passed = await countRows(
        database,
        `emails where dkim_verdict = 'PASS' and spf_verdict = 'PASS' and dmarc_verdict = 'PASS'`,
      );
      if (stored !== messages || passed !== before + stored)
        throw new Error(
          `${messages} messages were sent, ${stored} stored, ${passed - before} of them passed`,
        );
      return { value: 1e6 / cpu_us_per_op, cpu_us_per_op };
    },
  };
}

/** Mail of the last thirty days, distributed over the receiving organizations. */
async function fill(database: pg.Client, rows: number): Promise<void> {
  await database.query(
    `insert into emails (id, organization_id, conversation_id, email_domain_id, direction, from_address, to_addresses,
       cc_addresses, bcc_addresses, subject, status, provider, requested_at, metadata, body_text, message_id,
       references_ids, thread_key, dedupe_key, raw_key)
     select id, d.organization_id, made.id, d.email_domain_id, 'inbound', 'p' || n || '@example.org', '{b@mail.localhost}', '{}', '{}', 'Order ' || n,
            'received', 'smtp', moment, '{}', 'It left our house this morning.', '<' || n || '@example.org>', '{}',
            substr(md5(n::text), 1, 22), md5(n::text), 'raw/in/00/' || n
       from (select n, now() - ($1::int - n) * interval '30 days' / $1::int as moment,
                    (lpad(to_hex(1780000000000 + n), 12, '0') || '70008' || substr(md5(n::text), 1, 15))::uuid as id
               from generate_series(1, $1::int) n) made
       join (select organization_id, id as email_domain_id, row_number() over () as position from email_domains) d
         on d.position = n % $2::int + 1`,
    [rows, recipients_per_file],
  );
  await database.query(`
    insert into email_events (id, organization_id, email_id, kind, occurred_at, detail, dedupe_key, counted)
    select id, organization_id, id, 'received', requested_at, '{}', 'received', '{}' from emails`);
  await database.query('vacuum analyze');
  await database.query('checkpoint');
}

async function prepareGrowth(run: Run) {
  const source = mailSource(run.stage);
  const side = async (rows: number) => {
    const { service, database } = await startReceiving(run.stage, source.records);
    await fill(database, rows);
    return async () => {
      const cpu_us_per_op = await costOf(
        source,
        files_per_sample[run.scale],
        [service.pid],
        service.smtp_port,
      );
      return { value: cpu_us_per_op, cpu_us_per_op };
    };
  };
  return { limit: await side(small), subject: await side(large[run.scale]) };
}

async function prepareLarge(run: Run) {
  const source = mailSource(run.stage);
  const { service, database } = await startReceiving(run.stage, source.records);
  let idle: number | null = null;
  return {
    limit: async () => ({ value: large_limit_mb }),
    subject: async () => {
      const stored = await countRows(database, `email_attachments where size_bytes = ${file_bytes}`);
      const file = await source.makeFile(mailWithFile(file_bytes));
      resetPeak(service.pid);
      await source.send(service.smtp_port, file, { to, messages: large_messages, connections: 2 });
      const { peak, resident } = memoryOf(service.pid);
      // Memory of the process after it has received such messages; the first sample is only the warm-up.
      idle ??= resident;
      const found =
        (await countRows(database, `email_attachments where size_bytes = ${file_bytes}`)) - stored;
      if (found !== large_messages) throw new Error(`${large_messages} files were sent, ${found} are stored`);
      return { value: Math.max(0, peak - idle) / 2 / 1024 / 1024 };
    },
  };
}
