// Makes the report about a conversation: at most two requests, the second one to repair what is invalid.
import type { CallResultError } from '@parley/contract/channels/calls/call-results';
import {
  type Llm,
  LlmFailed,
  type LlmRequest,
  type WholeReply,
  wholeReply,
} from '../../../providers/llm/llm.ts';
import type { MediaClock } from '../../../providers/media/media-clock.ts';
import { type Report, readReport, reportText } from './read-report.ts';
import { type ReportInput, type ReportWay, repairRequest, reportRequest } from './report-request.ts';

export type ReportOutcome =
  | { outcome: 'ready'; report: Report }
  /** `report`: what is good of it, such as the summary. */
  | { outcome: 'failed'; error: CallResultError; report: Report | null; is_retryable: boolean };

const request_timeout_ms = 30_000;

export type ReporterDeps = { clock: Pick<MediaClock, 'after'> };

export async function makeReport(
  deps: ReporterDeps,
  llm: Llm,
  input: ReportInput,
  stopping: AbortSignal,
): Promise<ReportOutcome> {
  const ask = (request: LlmRequest) => limitedReply(deps, llm, request, stopping);
  const way: ReportWay = llm.capabilities.structured ? 'schema' : 'tool';
  const request = reportRequest(input, way, stopping);
  const first = await ask(request);
  // Some endpoints do not support schemas although their settings say so; the tool needs no support for them.
  if (isRefusedRequest(first) && way === 'schema' && llm.capabilities.tools)
    return settled(await ask(reportRequest(input, 'tool', stopping)), input);
  const outcome = settled(first, input);
  if ('failed' in first || outcome.outcome === 'ready' || outcome.error !== 'invalid_result') return outcome;
  const problems = outcome.report?.problems ?? [];
  const repaired = settled(await ask(repairRequest(request, { text: reportText(first), problems })), input);
  if (repaired.outcome === 'ready') return repaired;
  return { ...repaired, report: repaired.report?.summary ? repaired.report : outcome.report };
}

type Asked = WholeReply | { failed: CallResultError; is_retryable: boolean };

const isRefusedRequest = (asked: Asked) =>
  'failed' in asked && asked.failed === 'llm_unavailable' && !asked.is_retryable;

/** A model that fails gives a reason; other errors are thrown, for example when the process stops. */
async function limitedReply(
  { clock }: ReporterDeps,
  llm: Llm,
  request: LlmRequest,
  stopping: AbortSignal,
): Promise<Asked> {
  const timeout = new AbortController();
  const cancel = clock.after(request_timeout_ms, () =>
    timeout.abort(new Error('the model did not report in time')),
  );
  try {
    return await wholeReply(llm, { ...request, signal: AbortSignal.any([stopping, timeout.signal]) });
  } catch (error) {
    if (stopping.aborted) throw error;
    if (timeout.signal.aborted) return { failed: 'timeout', is_retryable: true };
    if (error instanceof LlmFailed) return { failed: 'llm_unavailable', is_retryable: error.retryable };
    throw error;
  } finally {
    cancel();
  }
}

function settled(asked: Asked, input: ReportInput): ReportOutcome {
  if ('failed' in asked) {
    return { outcome: 'failed', error: asked.failed, report: null, is_retryable: asked.is_retryable };
  }
  const report = readReport(asked, input, input.turns.length);
  if (report.problems.length === 0) return { outcome: 'ready', report };
  const reasons = { refused: 'llm_refused', length: 'too_long' } as const;
  const error = asked.stopped ? reasons[asked.stopped] : 'invalid_result';
  return { outcome: 'failed', error, report, is_retryable: false };
}
