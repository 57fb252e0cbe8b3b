// Reads the answer of an HTTP tool: JSON, text, or nothing.
import { cleanText, failed, type ToolOutcome } from '../runtime/index.ts';

const max_say_chars = 500;
const max_instruct_chars = 2000;

/** Compact JSON or text, as the model gets it. */
export const contentOf = (result: unknown): string =>
  cleanText(typeof result === 'string' ? result : (JSON.stringify(result) ?? 'null'));

/** `bytes` is the whole body. */
export function readAnswer(content_type: string, bytes: Buffer): ToolOutcome {
  if (bytes.length === 0) return { outcome: 'done', content: 'done' };
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return failed('invalid_result', 'The answer is not valid UTF-8.');
  }
  const type = content_type.split(';')[0]!.trim().toLowerCase();
  if (type === 'text/plain') return { outcome: 'done', content: contentOf(text) };
  if (type !== 'application/json' && !type.endsWith('+json'))
    return failed('invalid_result', 'The answer is neither JSON nor text/plain.');
  try {
    return fromJson(JSON.parse(text));
  } catch {
    return failed('invalid_result', 'The answer is not valid JSON.');
  }
}

function fromJson(value: unknown): ToolOutcome {
  const is_wrapped =
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, 'result');
  if (!is_wrapped) return { outcome: 'done', content: contentOf(value) };
  const { result, say, instruct } = value as { result: unknown; say?: unknown; instruct?: unknown };
  return {
    outcome: 'done',
    content: contentOf(result),
    ...(typeof say === 'string' && say.trim() !== '' && { say: cleanText(say, max_say_chars) }),
    ...(typeof instruct === 'string' &&
      instruct.trim() !== '' && { instruct: cleanText(instruct, max_instruct_chars) }),
  };
}
