// Signed mail over SMTP: the whole service against the rate of one signing thread, and against plain nodemailer.
import { costing, type Row, type Run } from '../harness.ts';
import type { PlainNodemailer } from '../limits/plain-nodemailer.ts';
import type { RsaSigning } from '../limits/rsa-signing.ts';
import { connectTo } from './service.ts';

const connections = 64;
const body = 'It left our house this morning. '.repeat(60);
/** For about so many V8 compiles ever more of their way; the warm-up that all rows have ends long before. */
const first_emails = { quick: 1000, normal: 12_000, full: 12_000 };

export const signedMailRows: Row[] = [
  {
    name: 'email-signed',
    subject: 'POST /v1/emails, signed, over SMTP to a sink',
    limit: 'RSA-2048 signatures of one thread',
    unit: 'emails/s',
    target: { comparison: '>=', ratio: 0.8 },
    prepare: prepareSigned,
  },
];

async function prepareSigned(run: Run) {
  const sink = run.stage.startSide<Record<string, never>, { port: number; taken: number; signed: number }>(
    new URL('../limits/mail-sink.ts', import.meta.url),
  );
  const { port } = await sink.ask({});
  const service = await run.stage.startService({
    data_dir: await run.stage.makeFolder(),
    environment: { PARLEY_SMTP_URL: `smtp://127.0.0.1:${port}` },
  });
  const headers = { authorization: `Bearer ${service.key}` };
  const made = await fetch(`${service.url}/v1/email-domains`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'custom', domain: 'bench.example' }),
  });
  if (made.status !== 201) throw new Error(await made.text());
  // No DNS here: the domain is declared proved.
  const database = await connectTo(service.database_url, run.stage);
  await database.query(`update email_domains set verification_status = 'verified'`);

  const signer = run.stage.startSide<RsaSigning, { signatures: number; seconds: number }>(
    new URL('../limits/rsa-signing.ts', import.meta.url),
  );
  const plain = run.stage.startSide<PlainNodemailer, { sent: number; seconds: number }>(
    new URL('../limits/plain-nodemailer.ts', import.meta.url),
  );
  let number = 0;
  const send = async (duration_ms: number, max_requests: number) => {
    const { requests, seconds } = await run.load({
      url: service.url,
      connections,
      duration_ms,
      max_requests,
      method: 'POST',
      paths: ['/v1/emails'],
      headers,
      body: `{"recipient_consent":true,"to":["p{number}@sink.test"],"subject":"Order {number}","body_text":${JSON.stringify(body)}}`,
      first_number: number,
      status: 201,
    });
    number += requests;
    return { requests, seconds };
  };
  await send(60_000, first_emails[run.scale]);
  return {
    limit: () =>
      costing([signer.pid], async () => {
        const { signatures, seconds } = await signer.ask({ duration_ms: run.window_ms });
        return { operations: signatures, value: signatures / seconds };
      }),
    subject: async () => {
      const before = await sink.ask({});
      let confirmed = 0;
      const sample = await costing([service.pid], async () => {
        const { requests, seconds } = await send(run.window_ms, 50_000);
        confirmed = requests;
        return { operations: requests, value: requests / seconds };
      });
      const after = await sink.ask({});
      const [taken, signed] = [after.taken - before.taken, after.signed - before.signed];
      if (taken < confirmed || signed !== taken)
        throw new Error(`${confirmed} were confirmed, ${taken} arrived, ${signed} of them signed`);
      return sample;
    },
    peers: {
      nodemailer: () =>
        costing([plain.pid], async () => {
          const { sent, seconds } = await plain.ask({ port, duration_ms: run.window_ms, body });
          return { operations: sent, value: sent / seconds };
        }),
    },
  };
}
