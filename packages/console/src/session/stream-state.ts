// Whether the event stream is open.
export type StreamState = 'connecting' | 'live' | 'broken';

let state: StreamState = 'connecting';
const listeners = new Set<() => void>();

export const streamState = () => state;
export function onStreamState(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
export function setStreamState(next: StreamState): void {
  if (next === state) return;
  state = next;
  for (const listener of listeners) listener();
}
