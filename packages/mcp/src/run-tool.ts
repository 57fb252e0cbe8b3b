// Carries out one tool call: checks the arguments' names, asks the API, and says what came of it.
import type { Api, ApiAnswer, Caller, Fields } from './api.ts';
import type { RepeatGuard } from './repeat-guard.ts';
import { apiFailure, failure, shape, success, type ToolResult } from './result.ts';
import type { CompiledTool } from './tool-set.ts';
import { waitFor } from './waits.ts';

const upload_bytes = 6 * 1024 * 1024;

export function toolRunner(deps: { api: Api; repeats: RepeatGuard }) {
  const { api, repeats } = deps;

  return async function runTool(tool: CompiledTool, given: unknown, caller: Caller): Promise<ToolResult> {
    const { definition, call } = tool;
    const problem = argumentProblem(tool, given);
    if (problem)
      return failure('invalid_arguments', problem, 'Correct the arguments and call the tool again.');
    const { idempotency_key, ...asked } = { ...call.defaults, ...(given as Fields | undefined) };
    if (call.consent && asked.recipient_consent !== true) {
      if (asked.recipient_consent !== undefined || caller.consent !== 'given') return consentMissing(caller);
      asked.recipient_consent = true;
    }
    try {
      if (call.waits_for) return success(await waitFor(tool, asked, caller, api));
      const key = call.idempotent
        ? ((idempotency_key as string | undefined) ??
          repeats.keyFor(caller.credential, definition.name, asked))
        : undefined;
      const answer = await api.call(caller.credential, call, asked, {
        ...(key === undefined ? {} : { idempotency_key: key }),
        ...(caller.signal ? { signal: caller.signal } : {}),
      });
      return success(shape(answer.body, call.plan) as Fields, replayNote(answer));
    } catch (error) {
      if (caller.signal?.aborted) throw error;
      return apiFailure(error, asked);
    }
  };
}
export type RunTool = ReturnType<typeof toolRunner>;

const replayNote = ({ was_replayed }: ApiAnswer) =>
  was_replayed
    ? 'This was already done by an earlier call with the same arguments; nothing was sent now. To do it again on purpose, pass a new idempotency_key.'
    : undefined;

/** Only names and what the path needs: everything else is for the API to judge, which says all problems at once. */
function argumentProblem({ definition, call }: CompiledTool, given: unknown): string | null {
  if (given !== undefined && (typeof given !== 'object' || given === null || Array.isArray(given)))
    return 'The arguments must be an object.';
  const fields = (given ?? {}) as Fields;
  const { properties } = definition.inputSchema;
  const unknown = Object.keys(fields).filter((name) => !Object.hasOwn(properties, name));
  if (unknown.length > 0)
    return `${definition.name} has no argument ${unknown.join(', ')}. It takes: ${Object.keys(properties).join(', ') || 'none'}.`;
  const missing = call.params.filter((name) => typeof fields[name] !== 'string' || fields[name] === '');
  if (missing.length > 0) return `${missing.join(', ')} must be given as text.`;
  if (fields.idempotency_key !== undefined && !isKey(fields.idempotency_key))
    return 'idempotency_key must be 1 to 255 printable characters.';
  if (call.input === 'upload') return uploadProblem(fields);
  return null;
}

const isKey = (value: unknown) => typeof value === 'string' && /^[\x20-\x7e]{1,255}$/.test(value);

function uploadProblem({ filename, content_base64, content_type }: Fields): string | null {
  if (typeof filename !== 'string' || filename === '') return 'filename must be given as text.';
  if (typeof content_base64 !== 'string' || !/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(content_base64))
    return 'content_base64 must be the file in base64.';
  if (content_base64.length * 0.75 > upload_bytes)
    return 'The file is larger than 6 MiB; upload it with the API or the command line.';
  if (content_type !== undefined && !/^[\w.+-]+\/[\w.+-]+$/.test(String(content_type)))
    return 'content_type must be a media type such as application/pdf.';
  return null;
}

const consentMissing = ({ consent }: Caller) =>
  consent === 'refused'
    ? failure(
        'consent_refused',
        'The person in charge did not confirm that the recipient agreed to be contacted. Nothing was sent.',
        'Do not try again unless the person tells you that the recipient has agreed.',
      )
    : failure(
        'consent_required',
        'recipient_consent must be true. Nothing was sent.',
        'Ask your user whether the recipient agreed to be contacted; pass recipient_consent true only then.',
      );
