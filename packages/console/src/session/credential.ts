// The credential of the user: a key that all open tabs share, or that this browser stores if the user wants to stay signed in;
// or a short-lived token fetched with the session cookie.
import { facts } from './facts.ts';
import { keyOfOtherTab, shareKey, tellSignedOut } from './other-tabs.ts';

type Organization = { id: string; name: string };
export type Credential =
  | { kind: 'key'; key: string }
  | { kind: 'login'; organization: Organization; organizations: Organization[] };

const key_name = 'parley.key';
const organization_name = 'parley.organization';
/** Renewed before it expires, so that no request uses an expired token. */
const renewed_early_ms = 30_000;

let current: Credential | null = null;
let token: { text: string; until_ms: number } | null = null;
/** The user is signed in by cookie but is not a member of any organization. */
let has_no_organization = false;
let fetching: Promise<string | null> | null = null;
const listeners = new Set<() => void>();

function become(next: Credential | null): void {
  current = next;
  for (const listener of listeners) listener();
}

export const credential = () => current;
export const hasNoOrganization = () => has_no_organization;
export function onCredentialChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** `stay`: the key is stored until the user signs out, for all tabs of this browser. */
export function signInWithKey(key: string, { stay = false } = {}): void {
  (stay ? localStorage : sessionStorage).setItem(key_name, key);
  become({ kind: 'key', key });
}

/** In all tabs. */
export function signOut(): void {
  if (current?.kind === 'key') tellSignedOut(current.key);
  forgetKey();
}

function forgetKey(): void {
  sessionStorage.removeItem(key_name);
  localStorage.removeItem(key_name);
  token = null;
  become(null);
}

export async function chooseOrganization(id: string): Promise<void> {
  sessionStorage.setItem(organization_name, id);
  token = null;
  await fetchToken();
}

shareKey(() => (current?.kind === 'key' ? current.key : null), forgetKey);

/** At the start: the key of this tab or browser, else that of another tab, else the session of this browser, else signed out. */
export async function resume(): Promise<void> {
  const stored = sessionStorage.getItem(key_name) ?? localStorage.getItem(key_name);
  if (stored) return become({ kind: 'key', key: stored });
  if (facts.is_managed) await fetchToken().catch(() => null);
  if (current) return;
  const key = await keyOfOtherTab();
  if (key) signInWithKey(key);
}

async function fetchToken(): Promise<string | null> {
  const organization_id = sessionStorage.getItem(organization_name);
  const response = await fetch('/auth/console-token', {
    method: 'POST',
    body: new URLSearchParams(organization_id ? { organization_id } : {}),
  });
  if (response.status === 403 && organization_id) {
    sessionStorage.removeItem(organization_name);
    return fetchToken();
  }
  has_no_organization = response.status === 403;
  if (response.status === 401 || response.status === 403) {
    signOut();
    return null;
  }
  if (!response.ok) throw new TypeError(`no token: ${response.status}`);
  const { token: text, expires_in_seconds, organization, organizations } = await response.json();
  token = { text, until_ms: performance.now() + expires_in_seconds * 1000 - renewed_early_ms };
  if (current?.kind !== 'login' || current.organization.id !== organization.id)
    become({ kind: 'login', organization, organizations });
  return text;
}

/** The value of the Authorization header; null when signed out. */
export async function bearer(): Promise<string | null> {
  if (current === null) return null;
  if (current.kind === 'key') return current.key;
  if (token && performance.now() < token.until_ms) return token.text;
  fetching ??= fetchToken().finally(() => {
    fetching = null;
  });
  return fetching;
}
