// Remembers what the page asked the API for last, so that it can be shown as a command.
export type Action = { method: string; path: string; body: unknown };

let action: Action | null = null;
const listeners = new Set<() => void>();

const tell = (next: Action | null) => {
  action = next;
  for (const listener of listeners) listener();
};

export const lastAction = () => action;
export function onLastAction(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A new page begins with nothing done. */
export const forgetAction = () => tell(null);

/** What somebody did goes before what the page read by itself; of the latter, the first counts. */
export function noteRequest(next: Action): void {
  if (/^\/v1\/(events|whoami|sandbox\/clock|sandbox\/phone)/.test(next.path) && next.method === 'GET') return;
  if (next.method === 'GET' && action !== null) return;
  tell(next);
}
