// Turns answers of the API into what a model reads: short, the words of strangers labelled, failures with a next step.
import { ApiError, ConnectionError, TimeoutError } from '@parley/sdk';
import { textOfHtml } from './text-of-html.ts';
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
    const shown = shape(bodyText(value as Fields, name, inner), plan?.inside?.[name]);
    (plan?.label?.includes(name) ? labelled : fields)[name] = shown;
  }
  if (plan?.label) fields[untrusted_field] = labelled;
  return fields;
}

/** An email that came as HTML alone still has words. */
const bodyText = (record: Fields, name: string, value: unknown): unknown =>
  name === 'body_text' && value === null && typeof record.body_html === 'string'
    ? textOfHtml(record.body_html)
    : value;

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
export function apiFailure(error: unknown): ToolResult {
  if (error instanceof ApiError) {
    const problems = error.errors.map(
      ({ path, message }) => `\n- ${path.replace(/^(body|query|path)\./, '')}: ${message}`,
    );
    return failure(error.code, error.message + problems.join(''), nextStep(error));
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

function nextStep(error: ApiError): string {
  if (error.retry_after_seconds !== null)
    return `Wait ${error.retry_after_seconds} seconds, then call the tool again with the same arguments.`;
  if (error.status === 401) return 'Ask your user to connect again: the credential is no longer accepted.';
  if (error.code === 'validation_failed') return 'Correct the arguments named above and call the tool again.';
  if (error.code === 'consent_required')
    return 'Ask your user whether the recipient agreed to be contacted; pass recipient_consent true only then.';
  return error.fix;
}
