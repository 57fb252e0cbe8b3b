// What signed mail is compared with: nodemailer as its manual recommends, with a pool and DKIM.
import { generateKeyPairSync } from 'node:crypto';
import { createTransport } from 'nodemailer';
import { answerQuestions } from '../side-process.ts';

export type PlainNodemailer = { port: number; duration_ms: number; body: string };

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
let transport: ReturnType<typeof createTransport> | undefined;

answerQuestions<PlainNodemailer, { sent: number; seconds: number }>(async ({ port, duration_ms, body }) => {
  transport ??= createTransport({
    host: '127.0.0.1',
    port,
    pool: true,
    maxConnections: 20,
    maxMessages: 1_000_000,
    ignoreTLS: true,
    dkim: { domainName: 'bench.example', keySelector: 's', privateKey },
  } as never);
  const start = performance.now();
  let sent = 0;
  const sendUntilDeadline = async () => {
    while (performance.now() - start < duration_ms) {
      await transport!.sendMail({
        from: 'a@bench.example',
        to: 'b@sink.test',
        subject: `Order ${sent}`,
        text: body,
      });
      sent++;
    }
  };
  await Promise.all(Array.from({ length: 32 }, sendUntilDeadline));
  return { sent, seconds: (performance.now() - start) / 1000 };
});
