// Receives reports that arrive as mail, finds the email that each is about, and records them.
import type { ReturnPaths } from '../send/message/return-path.ts';
import type { EmailStore } from '../store.ts';
import type { DeliveryReports } from './delivery-reports.ts';
import type { ReadReport } from './reading/read-report.ts';
import type { ReportReader } from './reading/report-reader.ts';
import type { StoreUnreadableReport } from './reading/unreadable.ts';

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
    let recorded = 0;
    for (const report of read.reports) {
      if (await deps.delivery_reports.record(email.organization_id, email.id, report, { is_certain }))
        recorded++;
    }
    return recorded;
  };

  return {
    /** Whether an address is a signed return path; the SMTP server calls it at RCPT TO. */
    isReturnPath: (address: string): boolean => deps.return_paths.read(address) !== null,

    /** Reads a report without recording it, for return paths that are not of an email (forwards). */
    read: deps.reader.read,

    /**
     * Returns the number of new reports; zero for duplicates and other mail. A message to a signed return path that is neither
     * a report nor an automatic reply is stored, and the timeline of the email refers to it.
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

    /** For reports to an ordinary address. Returns the id of the email of this organization that it is about, or null. */
    async recordFromMailbox(
      organization_id: string,
      { recipient, raw }: IncomingReport,
    ): Promise<string | null> {
      const { report: read } = await deps.reader.read(raw);
      // Without a report in it, the message is delivered like any other: accepted mail is never dropped.
      if (!read || read.reports.length === 0) return null;
      const named = await byReturnPath([recipient, ...read.return_paths]);
      // A Message-ID is in every reply, so it identifies the email but does not prove that the report is real.
      const email = named ?? (await byMessageId(organization_id, read));
      if (email?.organization_id !== organization_id) return null;
      await apply(email, read, named !== null);
      return email.id;
    },
  };
}
export type ReportIntake = ReturnType<typeof reportIntake>;
