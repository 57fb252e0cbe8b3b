// Takes a message that came back to a return path and applies what it tells to the email it is about.
import type { Afterlife } from '../afterlife.ts';
import type { ReturnPaths } from '../return-path.ts';
import type { EmailStore } from '../store.ts';
import { type ReadReport, readReport } from './read-report.ts';

export type IncomingReport = { recipient: string; raw: Buffer };

export function reportIntake(deps: { return_paths: ReturnPaths; store: EmailStore; afterlife: Afterlife }) {
  const { store } = deps;
  type Located = { organization_id: string; id: string };

  const byReturnPath = async (recipient: string, read: ReadReport): Promise<Located | null> => {
    const id = [recipient, ...read.return_paths]
      .map((address) => deps.return_paths.read(address))
      .find((found) => found !== null);
    return id ? store.locate({ id }) : null;
  };

  const byMessageId = async (organization_id: string, read: ReadReport): Promise<Located | null> => {
    for (const message_id of read.message_ids) {
      const answered = await store.answered(organization_id, { message_id });
      const located = answered && (await store.locate({ id: answered.id }));
      if (located) return located;
    }
    return null;
  };

  const apply = async (email: Located, read: ReadReport, is_certain: boolean): Promise<number> => {
    let taken = 0;
    for (const report of read.reports) {
      if (await deps.afterlife.record(email.organization_id, email.id, report, { is_certain })) taken++;
    }
    return taken;
  };

  return {
    /** Whether an address is one of ours for reports: decides at RCPT TO. */
    isReturnPath: (address: string): boolean => deps.return_paths.read(address) !== null,

    /** How many new events the message led to; zero for anything that is no report, or was known. */
    async take({ recipient, raw }: IncomingReport): Promise<number> {
      const read = await readReport(raw);
      const email = read && (await byReturnPath(recipient, read));
      return email ? apply(email, read!, true) : 0;
    },

    /** For reports that come to an ordinary address: the email of the organization that it is about, if any. */
    async takeOwn(organization_id: string, { recipient, raw }: IncomingReport): Promise<string | null> {
      const read = await readReport(raw);
      if (!read) return null;
      const named = await byReturnPath(recipient, read);
      // A Message-ID travels with every reply: it says which email is meant, and nothing of who says so.
      const email = named ?? (await byMessageId(organization_id, read));
      if (email?.organization_id !== organization_id) return null;
      await apply(email, read, named !== null);
      return email.id;
    },
  };
}
export type ReportIntake = ReturnType<typeof reportIntake>;
