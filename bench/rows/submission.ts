// SMTP submission against POST /v1/emails: the same signed emails to the same sink.
import { costing, type Row, type Run } from '../harness.ts';
import type { SubmissionLoad } from '../limits/submission-load.ts';
import { expectRows } from './one-row-commits.ts';
import { sends, signed_body, startMailService, warm_up_emails } from './smtp-mail.ts';

const connections = 64;

export const submissionRows: Row[] = [
  {
    name: 'smtp-submission',
    subject: `signed emails over SMTP submission with TLS, ${connections} connections`,
    limit: 'POST /v1/emails, signed, over SMTP to the same sink',
    unit: 'emails/s',
    target: { comparison: '>=', ratio: 0.7 },
    prepare,
  },
];

async function prepare(run: Run) {
  const mail = await startMailService(run, {
    is_signed: true,
    environment: {
      PARLEY_ROLES: 'api,worker,submission',
      PARLEY_SHARED_KEY_GRANTS_CONSENT: 'on',
      // More than the connections of the load, which come from one address.
      PARLEY_SUBMISSION_PEER_CONNECTIONS: '1000',
    },
  });
  const { service, database } = mail;
  const load = run.stage.startSide<SubmissionLoad, { sent: number; seconds: number }>(
    new URL('../limits/submission-load.ts', import.meta.url),
  );
  const { rows } = await database.query<{ domain: string }>('select domain from email_domains');
  const submit = (duration_ms: number, max_messages: number) =>
    load.ask({
      port: service.submission_port,
      password: service.key,
      from: `orders@${rows[0]!.domain}`,
      body: signed_body,
      connections,
      duration_ms,
      max_messages,
    });
  let submitted = 0;
  const counted = async (duration_ms: number, max_messages: number) => {
    const result = await submit(duration_ms, max_messages);
    submitted += result.sent;
    return result;
  };
  await counted(60_000, warm_up_emails[run.scale]);
  const limit = await sends(run, mail, signed_body, () => submitted);
  return {
    limit,
    subject: () =>
      costing([service.pid], async () => {
        const before = await mail.arrived();
        const { sent, seconds } = await counted(run.window_ms, 50_000);
        const after = await mail.arrived();
        const [accepted, signed] = [after.accepted - before.accepted, after.signed - before.signed];
        if (accepted < sent || signed !== accepted)
          throw new Error(`${sent} were confirmed, ${accepted} arrived, ${signed} of them signed`);
        await expectRows(
          database,
          `emails where status = 'sent' and metadata::jsonb ? 'original_message_id'`,
          submitted,
        );
        return { operations: sent, value: sent / seconds };
      }),
  };
}
