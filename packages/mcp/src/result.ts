// Turns answers of the API into what a model reads: short, the words of strangers labelled, failures with a next step.
import { ApiError, ConnectionError, TimeoutError } from '@parley/sdk';
import type { Plan } from './tool-set.ts';
import { untrusted_field } from './tool-table.ts';

export type ToolResult = {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
};

/** A mail of a megabyte would fill the model's memory; its beginning tells enough to decide. */
const text_chars = 20_000;

type Fields = Record<string, unknown>;

export function shape(value: unknown, plan: Plan | undefined): unknown {
  if (Array.isArray(value)) return value.map((each) => shape(each, plan));
  if (typeof value === 'string' && value.length > text_chars)
    return `${value.slice(0, text_chars)}\n[cut here: ${value.length - text_chars} more characters]`;
  if (typeof value !== 'object' || value === null) return value;
  const fields: Fields = {};
  const labelled: Fields = {};
  for (const [name, inner] of Object.entries(value as Fields)) {
    if (plan?.hide?.includes(name)) continue;
    (isUntrusted(plan, name, inner) ? labelled : fields)[name] = shape(inner, plan?.inside?.[name]);
  }
  if (plan?.label || Object.keys(labelled).length > 0) fields[untrusted_field] = labelled;
  return fields;
}

const isUntrusted = (plan: Plan | undefined, name: string, value: unknown): boolean =>
  plan?.label?.includes(name) === true ||
  (plan?.label_unless_phone?.includes(name) === true && value !== null && !isPhone(value));

const isPhone = (value: unknown) => typeof value === 'string' && /^\+?\d{2,20}$/.test(value);

export function success(value: Fields, note?: string): ToolResult {
  const text = JSON.stringify(value);
  return {
    content: [{ type: 'text', text }, ...(note ? [{ type: 'text' as const, text: note }] : [])],
    structuredContent: value,
  };
}

export function failure(code: string, message: string, next: string): ToolResult {
  return { content: [{ type: 'text', text: `${code}: ${message}\nNext: ${next}` }], isError: true };
}

/** What the API refused, in the words of the tool's arguments. */
export function apiFailure(error: unknown, given: Fields): ToolResult {
  if (error instanceof ApiError) {
    const problems = error.errors.map(
      ({ path, message }) => `\n- ${path.replace(/^(body|query|path)\./, '')}: ${message}`,
    );
    return failure(error.code, knownAddresses(error.message + problems.join(''), given), nextStep(error));
  }
  if (error instanceof ConnectionError)
    return failure('connection_failed', 'Parley cannot be reached.', 'Try again in a minute.');
  if (error instanceof TimeoutError)
    return failure(
      'timeout',
      'Parley did not answer in time; whether it was done is not known.',
      'Call the tool again with the same arguments: it will not be done twice.',
    );
  throw error;
}

const quoted_address = /"(?:[^"\\]|\\.)*"@[^\s<>"',;]+|[^\s<>"',;]+@[^\s<>"',;]+/g;

/** A refusal may name an address that a stranger chose, such as whom a reply would go to: only those given are repeated. */
function knownAddresses(text: string, given: Fields): string {
  if (!text.includes('@')) return text;
  const known = JSON.stringify(given).toLowerCase();
  return text.replaceAll(quoted_address, (address) =>
    known.includes(JSON.stringify(address).slice(1, -1).toLowerCase()) ? address : '[address left out]',
  );
}

function nextStep(error: ApiError): string {
  if (error.retry_after_seconds !== null)
    return `Wait ${error.retry_after_seconds} seconds, then call the tool again with the same arguments.`;
  if (error.status === 401) return 'Ask your user to connect again: the credential is no longer accepted.';
  if (error.code === 'validation_failed') return 'Correct the arguments named above and call the tool again.';
  if (error.code === 'consent_required')
    return 'Ask your user whether the recipient agreed to be contacted; pass recipient_consent true only then.';
  return error.fix;
}
