// Stores the last API request of the page, so that it can be shown as a command.
export type Action = { method: string; path: string; body: unknown };

let action: Action | null = null;
const listeners = new Set<() => void>();

const notify = (next: Action | null) => {
  action = next;
  for (const listener of listeners) listener();
};

export const lastAction = () => action;
export function onLastAction(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A new page starts without a last action. */
export const clearAction = () => notify(null);

/** What the menu counts, and the page that shows it. */
const menu_reads = [
  ['/v1/approvals', '/approvals'],
  ['/v1/conversations', '/inbox'],
] as const;

/** An action of the user has priority over reads of the page itself; of those, the first one counts. */
export function noteRequest(next: Action): void {
  if (
    /^\/v1\/(events|whoami|channels|sandbox\/clock|sandbox\/phone)/.test(next.path) &&
    next.method === 'GET'
  )
    return;
  if (next.method === 'GET' && action !== null) return;
  // The menu reads them on every page.
  const page = menu_reads.find(([path]) => next.path.startsWith(path))?.[1];
  if (next.method === 'GET' && page && location.pathname !== page) return;
  notify(next);
}
