// Reports about conversations of agents: typed data, a summary and success, for calls, texts and emails.
import type { Row } from '../../../platform/db/database.ts';
import type { Report } from './read-report.ts';

export { makeReport, type ReportOutcome } from './make-report.ts';
export type { Report } from './read-report.ts';
export type { ReportInput, Wanted } from './report-request.ts';

/** Failures of the model that may pass are tried again, up to this many times in all. */
export const report_attempts = 3;
/** Two requests of 30 seconds each. */
export const report_lease_seconds = 90;

/** As the columns of a result. */
export const reportColumns = (report: Report | null): Row => ({
  result: report?.result ? JSON.stringify(report.result) : null,
  evidence: report?.evidence ? JSON.stringify(report.evidence) : null,
  summary: report?.summary ?? null,
  success: report?.success ?? null,
  success_reason: report?.success_reason ?? null,
});

type UsedTool = { name: string; status: string; detail: string | null };

/** How the calls of tools ended, for the model that reports. */
export const toolLines = (tool_calls: readonly UsedTool[]): string[] =>
  tool_calls.map(
    ({ name, status, detail }) => `${name} ${status}${detail ? ` (${JSON.stringify(detail)})` : ''}`,
  );

/** YYYY-MM-DD, which is how Swedish dates are written. */
export const dateIn = (timezone: string, at: Date): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: timezone }).format(at);
