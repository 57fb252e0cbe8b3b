// Tells results of the API from errors, and from redirects and pages of proxies in front of it.
import { ApiError } from './errors.ts';

/** Throws unless the response is a success. `redirects`: a 302 is the success of this operation. */
export async function requireSuccess(response: Response, redirects: boolean): Promise<void> {
  const { status, headers } = response;
  if (status >= 200 && status < 300) return;
  if (status >= 400) throw new ApiError(status, headers, await response.json().catch(() => null));
  const location = headers.get('location');
  if (status === 302 && redirects && location !== null) return;
  // Browsers hide the status and the target of a redirect.
  const target = location === null ? '' : ` to ${withoutQuery(location)}`;
  throw new ApiError(status, headers, { detail: `The server responded with a redirect${target}` });
}

/** The result of an operation; undefined if it has none. */
export async function resultOf(response: Response): Promise<unknown> {
  const { status, headers } = response;
  if (status === 204) return undefined;
  if (status === 302) return { location: headers.get('location') };
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    const type = headers.get('content-type') ?? 'no content type';
    throw new ApiError(status, headers, {
      detail: `The server responded with ${status} and ${type} instead of JSON`,
    });
  }
}

/** The query of a sign-in page may contain secrets. */
const withoutQuery = (location: string): string => location.replace(/[?#].*$/s, '');
