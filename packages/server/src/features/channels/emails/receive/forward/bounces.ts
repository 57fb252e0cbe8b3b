// Records bounces of forwarded mail on the timeline. They are not sent on to the original sender, who did not write to that address.
import type { Database } from '../../../../../platform/db/database.ts';
import type { ReportIntake } from '../../delivery-reports/intake.ts';
import type { StoreUnreadableReport } from '../../delivery-reports/reading/unreadable.ts';
import type { ReturnPaths } from '../../send/message/return-path.ts';
import { findReceivedEmail } from './store.ts';
import { addForwardEntry, type ForwardTimelineDeps } from './timeline.ts';

export type ForwardBounceDeps = ForwardTimelineDeps & {
  db: Database;
  return_paths: ReturnPaths;
  readReport: ReportIntake['read'];
  storeUnreadableReport: StoreUnreadableReport;
};

/** Does nothing if the recipient is not a return path of a forward. */
export async function recordForwardBounce(
  deps: ForwardBounceDeps,
  recipient: string,
  raw: Buffer,
): Promise<void> {
  const id = deps.return_paths.read(recipient);
  const email = id && (await findReceivedEmail(deps.db, id));
  if (!email) return;
  const message = await deps.readReport(raw, { recipient });
  const { report } = message;
  if (!report) {
    if (!message.is_understood) await deps.storeUnreadableReport(email, { ...message, raw });
    return;
  }
  await deps.db.transaction(async (tx) => {
    for (const { kind, recipients, detail, report_id } of report.reports) {
      if (kind !== 'bounced') continue;
      await addForwardEntry(deps, tx, email, {
        detail: { recipients, ...detail },
        dedupe_key: `forward_bounced:${report_id}`,
      });
    }
  });
}
