// Converts responses of the API to tool results: shortened, with untrusted text labeled, and failures with a next step.
import { ApiError, ConnectionError, TimeoutError } from '@parley/sdk';
import { untrusted_field } from './record-treatment.ts';
import type { Plan, ToolCall } from './tool-set.ts';

export type ToolResult = {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
};

/** Limits long texts: a mail of a megabyte would fill the context window of the model. */
const text_chars = 20_000;

type Fields = Record<string, unknown>;

export function shape(value: unknown, plan: Plan | undefined): unknown {
  if (Array.isArray(value)) return value.map((each) => shape(each, plan));
  if (typeof value === 'string' && value.length > text_chars)
    return `${value.slice(0, text_chars)}\n[truncated: ${value.length - text_chars} more characters]`;
  if (typeof value !== 'object' || value === null) return value;
  const fields: Fields = {};
  const labeled: Fields = {};
  for (const [name, inner] of Object.entries(value as Fields)) {
    if (plan?.hide?.includes(name)) continue;
    (isUntrusted(plan, name, inner) ? labeled : fields)[name] = shape(inner, plan?.inside?.[name]);
  }
  if (plan?.label || Object.keys(labeled).length > 0) fields[untrusted_field] = labeled;
  return fields;
}

const isUntrusted = (plan: Plan | undefined, name: string, value: unknown): boolean =>
  plan?.label?.includes(name) === true ||
  (plan?.label_unless_phone?.includes(name) === true && value !== null && !isPhone(value));

const isPhone = (value: unknown) => typeof value === 'string' && /^\+?\d{2,20}$/.test(value);

/** `warning` comes first: a model must not take the record for a success. */
export function success(
  value: Fields,
  { warning, note }: { warning?: string; note?: string } = {},
): ToolResult {
  const texts = [warning, JSON.stringify(value), note].filter((text) => text !== undefined);
  return { content: texts.map((text) => ({ type: 'text', text })), structuredContent: value };
}

/** What waits was not sent. Undefined for everything else. */
export function heldWarning(record: Fields): string | undefined {
  const hold = record.hold as
    | { kind: string; until: string | null; approval_id: string | null }
    | null
    | undefined;
  const is_number = record.provisioning_state === 'pending';
  if (!hold || !(is_number || record.status === 'queued')) return undefined;
  const until = hold.until ? ` until ${hold.until}` : '';
  if (hold.kind !== 'approval') return `NOT SENT YET. It waits${until} (${hold.kind}). Do not send it again.`;
  const [done, repeat] = is_number ? ['BOUGHT', 'buy'] : ['SENT', 'send'];
  return `NOT ${done}. Held for approval ${hold.approval_id}${until}. A person decides; do not ${repeat} it again. To wait for the decision call wait_for with any_of [{"kind":"approval","approval_id":"${hold.approval_id}"}].`;
}

export function failure(code: string, message: string, next: string): ToolResult {
  return { content: [{ type: 'text', text: `${code}: ${message}\nNext: ${next}` }], isError: true };
}

/** An API error, worded with the argument names of the tool. */
export function apiFailure(error: unknown, input: Fields, call: ToolCall): ToolResult {
  if (error instanceof ApiError) {
    const problems = error.errors.map(
      ({ path, message }) => `\n- ${path.replace(/^(body|query|path)\./, '')}: ${message}`,
    );
    return failure(error.code, knownAddresses(error.message + problems.join(''), input), nextStep(error));
  }
  if (error instanceof ConnectionError)
    return failure(
      'connection_failed',
      `The connection to Parley failed; ${unknown_outcome}`,
      afterLoss(call),
    );
  if (error instanceof TimeoutError)
    return failure('timeout', `Parley did not respond in time; ${unknown_outcome}`, afterLoss(call));
  throw error;
}

const unknown_outcome = 'it is unknown whether the call succeeded.';

/** After a lost response, a second POST without an idempotency key could do the same thing twice. */
const afterLoss = ({ method, idempotent, waits_for }: ToolCall): string =>
  method !== 'POST' || idempotent || waits_for
    ? 'Call the tool again with the same arguments in a minute: nothing is done twice.'
    : 'It may have been done. Check that with a tool that reads before you call this tool again.';

const quoted_address = /"(?:[^"\\]|\\.)*"@[^\s<>"',;]+|[^\s<>"',;]+@[^\s<>"',;]+/g;

/**
 * An error may contain an address that an untrusted sender chose, such as the recipient of a reply. Only addresses from
 * the arguments are repeated.
 */
function knownAddresses(text: string, input: Fields): string {
  if (!text.includes('@')) return text;
  const input_text = JSON.stringify(input).toLowerCase();
  return text.replaceAll(quoted_address, (address) =>
    input_text.includes(JSON.stringify(address).slice(1, -1).toLowerCase()) ? address : '[address left out]',
  );
}

function nextStep(error: ApiError): string {
  if (error.retry_after_seconds !== null)
    return `Wait ${error.retry_after_seconds} seconds, then call the tool again with the same arguments.`;
  if (error.status === 401) return 'Ask your user to connect again: the credential is no longer accepted.';
  if (error.code === 'validation_failed') return 'Correct these arguments and call the tool again.';
  if (error.code === 'consent_required')
    return 'Ask your user whether the recipient agreed to be contacted. Pass recipient_consent true only if they did.';
  return error.fix;
}
