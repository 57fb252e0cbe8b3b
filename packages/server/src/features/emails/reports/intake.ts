// Takes a message that came back to a return path and applies what it tells to the email it is about.
import type { Afterlife } from '../afterlife.ts';
import type { ReturnPaths } from '../return-path.ts';
import type { EmailStore } from '../store.ts';
import { readReport } from './read-report.ts';

export type IncomingReport = { recipient: string; raw: Buffer };

export function reportIntake(deps: { return_paths: ReturnPaths; store: EmailStore; afterlife: Afterlife }) {
  return {
    /** Whether an address is one of ours for reports: decides at RCPT TO. */
    isReturnPath: (address: string): boolean => deps.return_paths.read(address) !== null,

    /** How many new events the message led to; zero for anything that is no report, or was known. */
    async take({ recipient, raw }: IncomingReport): Promise<number> {
      const read = await readReport(raw);
      if (!read) return 0;
      const email_id = [recipient, ...read.return_paths]
        .map((address) => deps.return_paths.read(address))
        .find((id) => id !== null);
      const email = email_id ? await deps.store.locate({ id: email_id }) : null;
      if (!email) return 0;
      let taken = 0;
      for (const report of read.reports) {
        if (await deps.afterlife.record(email.organization_id, email.id, report)) taken++;
      }
      return taken;
    },
  };
}
export type ReportIntake = ReturnType<typeof reportIntake>;
