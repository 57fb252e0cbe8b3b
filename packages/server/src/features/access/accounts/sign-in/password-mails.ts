// Password reset by mail. The request only enqueues a job, so that it takes as long for addresses without an account.
import type { Database } from '../../../../platform/db/database.ts';
import type { Job, JobHandler, Jobs } from '../../../../platform/jobs.ts';
import type { SystemMailSender } from '../../../../platform/system-mail.ts';
import { noPasswordMail, passwordLinkMail } from '../account-mails.ts';
import type { AccountStore } from '../account-store.ts';
import type { AccountEngine } from '../engine.ts';

const job_kind = 'mail_password_link';

export function passwordMails(deps: {
  db: Database;
  jobs: Pick<Jobs, 'enqueue'>;
  store: AccountStore;
  mail: SystemMailSender;
  engine(): Promise<AccountEngine>;
  baseUrl(): string;
}) {
  const { db, store, mail } = deps;

  async function run({ id, payload }: Job): Promise<void> {
    const { email } = payload as { email: string };
    const account = await store.findAccount(email);
    // An address that was never verified has no account.
    if (!account?.verified) return;
    const base_url = deps.baseUrl();
    const send = (message: { kind: string; subject: string; text: string }) =>
      db.transaction((tx) => mail.send(tx, { to: email, organization_id: null, reference: id, ...message }));
    // Not even a link is created: it would be stored until the mail is sent.
    if (await mail.isReceivedHere(email)) return;
    if (account.is_external && !account.has_password) return send(noPasswordMail(base_url));
    const { token } = await (await deps.engine()).passwordToken(account.id);
    await send(passwordLinkMail(base_url, `${base_url}/auth/passwords/${token}`));
  }

  const jobs: JobHandler[] = [{ kind: job_kind, max_attempts: 5, run }];

  return {
    jobs,
    async request(email: string): Promise<void> {
      mail.requireTransport();
      await deps.jobs.enqueue(db, { kind: job_kind, payload: { email: email.toLowerCase() } });
    },
  };
}
export type PasswordMails = ReturnType<typeof passwordMails>;
