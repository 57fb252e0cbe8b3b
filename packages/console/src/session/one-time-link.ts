// Signs in with the one-time link that the server printed at its start. The secret is in the fragment of the address, which
// browsers send to no server, so it is in no log and in no Referer header.
import { signInWithKey } from './credential.ts';

const prefix = '#sign-in=';

/** The link was used before, has expired, or is of an earlier start. */
let is_used_up = false;
export const isLinkUsedUp = () => is_used_up;

export async function signInWithLink(): Promise<void> {
  const { hash, pathname, search } = location;
  if (!hash.startsWith(prefix)) return;
  // Removed first: a reload must not send it again, and the address may be copied.
  history.replaceState(null, '', pathname + search);
  const response = await fetch('/console/sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: hash.slice(prefix.length) }),
  }).catch(() => null);
  if (response?.ok) signInWithKey(((await response.json()) as { key: string }).key);
  else is_used_up = true;
}
