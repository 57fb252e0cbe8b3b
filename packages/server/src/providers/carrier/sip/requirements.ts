// The extensions that a peer requires of us (RFC 3261 section 8.2.2.3): 420 for those that we do not have.
import type { IncomingRequestMessage } from './sipjs/core/index.js';

/** Extensions that we have. A caller that requires reliable ringing (100rel) must call without it. */
export const supported_extensions: readonly string[] = ['timer'];

const option_tag = /^[A-Za-z0-9!%*+.`'~_-]{1,64}$/;
const max_tags = 20;

/** The response to a request that requires more than we can do; null where we can serve it. */
export function refusalOfRequirements(message: IncomingRequestMessage) {
  // ACK and CANCEL get no response of their own. A BYE is obeyed: a call must end when the other side has hung up.
  if (message.method === 'ACK' || message.method === 'CANCEL' || message.method === 'BYE') return null;
  const tags = requiredTags(message.getHeaders('require'));
  const missing = tags.filter((tag) => !supported_extensions.includes(tag.toLowerCase()));
  if (missing.length === 0) return null;
  const readable = missing.filter((tag) => option_tag.test(tag)).slice(0, max_tags);
  return {
    statusCode: 420,
    extraHeaders: readable.length > 0 ? [`Unsupported: ${readable.join(', ')}`] : [],
  };
}

export const requiredTags = (headers: readonly string[]): string[] => [
  ...new Set(
    headers
      .flatMap((value) => value.split(','))
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
];

/** What a refusal of our call (420, 421) says about extensions, for the person who reads why the call failed. */
export function extensionDetail(response: { getHeader(name: string): string | undefined }): string {
  const required = response.getHeader('require');
  const unsupported = response.getHeader('unsupported');
  const text = required ? `requires ${required}` : unsupported ? `does not support ${unsupported}` : '';
  return text && ` (${text.slice(0, 100)})`;
}
