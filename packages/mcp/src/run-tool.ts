// Runs one tool call: validates the argument names, calls the API and converts the response.
import { type Api, type ApiResponse, type Caller, type Fields, requestOptions } from './api.ts';
import type { RepeatGuard } from './repeat-guard.ts';
import { apiFailure, failure, heldWarning, shape, success, type ToolResult } from './result.ts';
import type { CompiledTool } from './tool-set.ts';
import { passTraceOn, type TraceTool } from './trace.ts';
import { waitFor } from './waits.ts';

const upload_bytes = 6 * 1024 * 1024;

type Deps = { api: Api; repeats: RepeatGuard; trace?: TraceTool | undefined };

export function toolRunner({ api, repeats, trace = passTraceOn }: Deps) {
  return (tool: CompiledTool, input: unknown, caller: Caller): Promise<ToolResult> =>
    trace(tool.definition.name, caller.trace ?? {}, (outgoing) =>
      runTool(tool, input, { ...caller, trace: outgoing }),
    );

  async function runTool(tool: CompiledTool, input: unknown, caller: Caller): Promise<ToolResult> {
    const { definition, call } = tool;
    const problem = argumentProblem(tool, input);
    if (problem)
      return failure('invalid_arguments', problem, 'Correct the arguments and call the tool again.');
    const { idempotency_key, ...fields } = { ...call.defaults, ...(input as Fields | undefined) };
    if (call.consent && fields.recipient_consent !== true) {
      if (fields.recipient_consent !== undefined || caller.consent !== 'given') return consentMissing(caller);
      fields.recipient_consent = true;
    }
    try {
      if (call.waits_for) {
        const waited = await waitFor(tool, fields, caller, api);
        return success(waited, nothingYet(waited));
      }
      const key = call.idempotent
        ? ((idempotency_key as string | undefined) ??
          repeats.keyFor(caller.credential, definition.name, fields))
        : undefined;
      const response = await api.call(caller.credential, call, fields, {
        ...(key === undefined ? {} : { idempotency_key: key }),
        ...requestOptions(caller),
      });
      return success(shape(response.body, call.plan) as Fields, notesOf(call.method, response));
    } catch (error) {
      if (caller.signal?.aborted) throw error;
      return apiFailure(error, fields, call);
    }
  }
}
export type RunTool = ReturnType<typeof toolRunner>;

/** Of a stored wait that goes on. */
const nothingYet = ({ wait_id, status }: Fields): { note?: string } =>
  wait_id !== undefined && status === 'pending'
    ? { note: `Nothing yet. Call wait_for with wait_id ${wait_id} to go on.` }
    : {};

function notesOf(method: string, response: ApiResponse): { warning?: string; note?: string } {
  const warning = method === 'POST' ? heldWarning(response.body) : undefined;
  const note = replayNote(response);
  return { ...(warning === undefined ? {} : { warning }), ...(note === undefined ? {} : { note }) };
}

const replayNote = ({ was_replayed }: ApiResponse) =>
  was_replayed
    ? 'This was already done by an earlier call with the same arguments; nothing was sent now. To do it again on purpose, pass a new idempotency_key.'
    : undefined;

/**
 * Checks only argument names and path parameters. The API validates everything else and reports all problems together.
 */
function argumentProblem({ definition, call }: CompiledTool, input: unknown): string | null {
  if (input !== undefined && (typeof input !== 'object' || input === null || Array.isArray(input)))
    return 'The arguments must be an object.';
  const fields = (input ?? {}) as Fields;
  const { properties } = definition.inputSchema;
  const unknown = Object.keys(fields).filter((name) => !Object.hasOwn(properties, name));
  if (unknown.length > 0)
    return `${definition.name} has no argument ${unknown.join(', ')}. Its arguments are: ${Object.keys(properties).join(', ') || 'none'}.`;
  const missing = call.params.filter((name) => typeof fields[name] !== 'string' || fields[name] === '');
  if (missing.length > 0) return `${missing.join(', ')} must be a non-empty string.`;
  if (fields.idempotency_key !== undefined && !isKey(fields.idempotency_key))
    return 'idempotency_key must be 1 to 255 printable characters.';
  if (call.input === 'upload') return uploadProblem(fields);
  return null;
}

const isKey = (value: unknown) => typeof value === 'string' && /^[\x20-\x7e]{1,255}$/.test(value);

function uploadProblem({ filename, content_base64, content_type }: Fields): string | null {
  if (typeof filename !== 'string' || filename === '') return 'filename must be a non-empty string.';
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
        'The user did not confirm that the recipient agreed to be contacted. Nothing was sent.',
        'Do not try again unless the user tells you that the recipient has agreed.',
      )
    : failure(
        'consent_required',
        'recipient_consent must be true. Nothing was sent.',
        'Ask your user whether the recipient agreed to be contacted. Pass recipient_consent true only if they did.',
      );
