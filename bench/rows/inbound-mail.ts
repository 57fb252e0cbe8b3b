// Mail that comes in: the whole way from the wire to the commit, against Haraka; large messages; a full mailbox.
import type pg from 'pg';
import { costing, type Row, type Run } from '../harness.ts';
import type { MailZone } from '../limits/mail-zone.ts';
import { mailSource, ordinaryMail, recipients_per_file } from '../mail-source.ts';
import type { Stage } from '../stage.ts';
import { connectTo, countRows } from './service.ts';

const files_per_sample = { quick: 3, normal: 8, full: 20 };

export const inboundMailRows: Row[] = [
  {
    name: 'inbound-mail',
    subject: 'receive, authenticate, parse, store and commit a signed 10 kB message',
    limit: 'Haraka: receive, SPF, DKIM, parse, store and commit',
    unit: 'messages/CPU s',
    target: { comparison: '>=', ratio: 1.4 },
    prepare: prepareReceiving,
  },
];

const service_settings = {
  PARLEY_ROLES: 'api,smtp',
  PARLEY_INBOUND_EMAILS_PER_MINUTE: '1000000000',
  PARLEY_INBOUND_PEER_MESSAGES_PER_MINUTE: '10000000',
};

/** Addresses that the load generator counts up, each of an organization of its own: the same message is new to each. */
async function makeReceivers(database: pg.Client): Promise<void> {
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

async function startReceiving(stage: Stage, records: MailZone['records']) {
  const zone = stage.startSide<MailZone, { address: string }>(
    new URL('../limits/mail-zone.ts', import.meta.url),
  );
  const { address } = await zone.ask({ records });
  const service = await stage.startService({
    data_dir: stage.makeFolder(),
    environment: { ...service_settings, PARLEY_DNS_SERVERS: address },
  });
  const database = await connectTo(service.database_url, stage);
  await makeReceivers(database);
  return { service, database, dns: address };
}

async function prepareReceiving(run: Run) {
  const source = mailSource(run.stage);
  const { service, database } = await startReceiving(run.stage, source.records);
  const files = files_per_sample[run.scale];
  const messages = files * recipients_per_file;

  const sampled = async (pids: number[], send: (file: string) => Promise<void>) => {
    const made = await Promise.all(Array.from({ length: files }, () => source.makeFile(ordinaryMail())));
    const { cpu_us_per_op } = await costing(pids, async () => {
      for (const file of made) await send(file);
      return { operations: messages, value: 0 };
    });
    if (!cpu_us_per_op) throw new Error('processor time cannot be read here');
    return { value: 1e6 / cpu_us_per_op, cpu_us_per_op };
  };

  return {
    limit: async () => ({ value: 1, cpu_us_per_op: 0 }),
    subject: async () => {
      const before = await countRows(database, 'emails');
      const sample = await sampled([service.pid], (file) =>
        source.send(service.smtp_port, file, { to: 'bob+bench@mail.localhost' }),
      );
      const stored = (await countRows(database, 'emails')) - before;
      const passed = await countRows(
        database,
        `emails where dkim_verdict = 'PASS' and spf_verdict = 'PASS' and dmarc_verdict = 'PASS'`,
      );
      if (stored !== messages || passed !== before + stored)
        throw new Error(
          `${messages} messages were sent, ${stored} stored, ${passed - before} of them passed`,
        );
      return sample;
    },
  };
}
