// Email over SMTP to a sink, through the whole service: unsigned against one-row commits, signed against one signing thread.
import type pg from 'pg';
import { costing, type Row, type Run, type Side } from '../harness.ts';
import type { PlainNodemailer } from '../limits/plain-nodemailer.ts';
import type { RsaSigning } from '../limits/rsa-signing.ts';
import type { Service } from '../stage.ts';
import { expectRows, oneRowCommits } from './one-row-commits.ts';
import { connectTo } from './service.ts';

/** Requests use as many connections as the bare POST; commits use the number at which they are fastest. */
const request_connections = 64;
const commit_connections = 32;
export const signed_body = 'It left our house this morning. '.repeat(60);
/** V8 keeps optimizing for about this many emails, which takes longer than the warm-up of the harness. */
export const warm_up_emails = { quick: 1000, normal: 12_000, full: 12_000 };

export const smtpMailRows: Row[] = [
  {
    name: 'email-smtp',
    subject: `POST /v1/emails over SMTP to a sink, unsigned, ${request_connections} connections`,
    limit: `one-row commits, ${commit_connections} connections`,
    unit: 'emails/s',
    // A send is two commits (the email before the hand-over, its outcome after it) and an SMTP transaction between them.
    target: { comparison: '>=', ratio: 0.3 },
    prepare: prepareUnsigned,
  },
  {
    name: 'email-signed',
    subject: 'POST /v1/emails, signed, over SMTP to a sink',
    limit: 'RSA-2048 signatures of one thread',
    unit: 'emails/s',
    target: { comparison: '>=', ratio: 0.8 },
    prepare: prepareSigned,
  },
];

async function prepareUnsigned(run: Run) {
  const mail = await startMailService(run, { is_signed: false });
  const { service, database } = mail;
  return {
    limit: await oneRowCommits(run, { service, database, of: 'email', connections: commit_connections }),
    subject: await sends(run, mail, 'It left our house this morning.'),
  };
}

async function prepareSigned(run: Run) {
  const mail = await startMailService(run, { is_signed: true });
  const signer = run.stage.startSide<RsaSigning, { signatures: number; seconds: number }>(
    new URL('../limits/rsa-signing.ts', import.meta.url),
  );
  const plain = run.stage.startSide<PlainNodemailer, { sent: number; seconds: number }>(
    new URL('../limits/plain-nodemailer.ts', import.meta.url),
  );
  return {
    limit: () =>
      costing([signer.pid], async () => {
        const { signatures, seconds } = await signer.ask({ duration_ms: run.window_ms });
        return { operations: signatures, value: signatures / seconds };
      }),
    subject: await sends(run, mail, signed_body),
    peers: {
      nodemailer: () =>
        costing([plain.pid], async () => {
          const { sent, seconds } = await plain.ask({
            port: mail.sink_port,
            duration_ms: run.window_ms,
            body: signed_body,
          });
          return { operations: sent, value: sent / seconds };
        }),
    },
  };
}

type MailService = {
  service: Service;
  database: pg.Client;
  is_signed: boolean;
  sink_port: number;
  /** The messages that the sink accepted so far, and how many of them were signed. */
  arrived(): Promise<{ accepted: number; signed: number }>;
};

export async function startMailService(
  run: Run,
  { is_signed, environment = {} }: { is_signed: boolean; environment?: Record<string, string> },
): Promise<MailService> {
  const sink = run.stage.startSide<Record<string, never>, { port: number; accepted: number; signed: number }>(
    new URL('../limits/mail-sink.ts', import.meta.url),
  );
  const { port } = await sink.ask({});
  const service = await run.stage.startService({
    data_dir: await run.stage.makeFolder(),
    environment: { PARLEY_SMTP_URL: `smtp://127.0.0.1:${port}`, ...environment },
  });
  const created = await fetch(`${service.url}/v1/email-domains`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'custom', domain: 'bench.example' }),
  });
  if (created.status !== 201) throw new Error(await created.text());
  // There is no DNS here, so the domain is marked as verified in the database. A domain without a key sends unsigned mail.
  const database = await connectTo(service.database_url, run.stage);
  await database.query(
    `update email_domains set verification_status = 'verified' ${is_signed ? '' : ', dkim_selector = null, dkim_private_key = null'}`,
  );
  return { service, database, is_signed, sink_port: port, arrived: () => sink.ask({}) };
}

/** Sends emails until the window ends. Every confirmed email must have reached the sink and be stored as sent. */
export async function sends(
  run: Run,
  mail: MailService,
  body: string,
  /** Emails that others sent with the service. */
  others: () => number = () => 0,
): Promise<Side> {
  const { service, database } = mail;
  let sent = 0;
  const send = async (duration_ms: number, max_requests: number) => {
    const { requests, seconds } = await run.load({
      url: service.url,
      connections: request_connections,
      duration_ms,
      max_requests,
      method: 'POST',
      paths: ['/v1/emails'],
      headers: { authorization: `Bearer ${service.key}` },
      body: `{"recipient_consent":true,"to":["p{number}@sink.test"],"subject":"Order {number}","body_text":${JSON.stringify(body)}}`,
      first_number: sent,
      status: 201,
    });
    sent += requests;
    return { requests, seconds };
  };
  await send(60_000, warm_up_emails[run.scale]);
  return async () => {
    const before = await mail.arrived();
    let confirmed = 0;
    const sample = await costing([service.pid], async () => {
      const { requests, seconds } = await send(run.window_ms, 50_000);
      confirmed = requests;
      return { operations: requests, value: requests / seconds };
    });
    const after = await mail.arrived();
    const [accepted, signed] = [after.accepted - before.accepted, after.signed - before.signed];
    if (accepted < confirmed || signed !== (mail.is_signed ? accepted : 0))
      throw new Error(`${confirmed} were confirmed, ${accepted} arrived, ${signed} of them signed`);
    await expectRows(database, `emails where status = 'sent'`, sent + others());
    return sample;
  };
}
