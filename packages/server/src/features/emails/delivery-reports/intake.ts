// Takes a message that came back to a return path and applies what it tells to the email it is about.

import type { ReturnPaths } from '../send/return-path.ts';
import type { EmailStore } from '../store.ts';
import type { DeliveryReports } from './delivery-reports.ts';
import type { ReadReport } from './read-report.ts';
import type { ReportReader } from './report-reader.ts';
import type { StoreUnreadableReport } from './unreadable.ts';

export type IncomingReport = { recipient: string; raw: Buffer };

export function reportIntake(deps: {
  return_paths: ReturnPaths;
  store: EmailStore;
  delivery_reports: DeliveryReports;
  storeUnreadableReport: StoreUnreadableReport;
  reader: ReportReader;
}) {
  const { store } = deps;
  type Located = { organization_id: string; id: string };

  const byReturnPath = async (addresses: string[]): Promise<Located | null> => {
    const id = addresses.map((address) => deps.return_paths.read(address)).find((found) => found !== null);
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
      if (await deps.delivery_reports.record(email.organization_id, email.id, report, { is_certain }))
        taken++;
    }
    return taken;
  };

  return {
    /** Whether an address is one of ours for reports: decides at RCPT TO. */
    isReturnPath: (address: string): boolean => deps.return_paths.read(address) !== null,

    /** What a message reports, for mail that comes back to another address than a return path of an email. */
    read: deps.reader.read,

    /**
     * How many new events the message led to; zero for anything that is no report, or was known. A message to a signed
     * return path that is neither a report nor an automatic answer is kept, and the timeline of its email says so.
     */
    async recordFromReturnPath({ recipient, raw }: IncomingReport): Promise<number> {
      const addressed = await byReturnPath([recipient]);
      const known = addressed ? await store.recipients(addressed.organization_id, addressed.id) : [];
      const message = await deps.reader.read(raw, { recipient, known });
      const email = addressed ?? (await byReturnPath(message.report?.return_paths ?? []));
      if (!email) return 0;
      if (message.report) return apply(email, message.report, true);
      if (!message.is_understood) await deps.storeUnreadableReport(email, { ...message, raw });
      return 0;
    },

    /** For reports that come to an ordinary address: the email of the organization that it is about, if any. */
    async recordFromMailbox(
      organization_id: string,
      { recipient, raw }: IncomingReport,
    ): Promise<string | null> {
      const { report: read } = await deps.reader.read(raw);
      // What tells nothing is a letter like any other: nothing that was accepted may disappear.
      if (!read || read.reports.length === 0) return null;
      const named = await byReturnPath([recipient, ...read.return_paths]);
      // A Message-ID travels with every reply: it says which email is meant, and nothing of who says so.
      const email = named ?? (await byMessageId(organization_id, read));
      if (email?.organization_id !== organization_id) return null;
      await apply(email, read, named !== null);
      return email.id;
    },
  };
}
export type ReportIntake = ReturnType<typeof reportIntake>;
