// Short notifications in the corner that disappear automatically.
import { CloseButton } from '@mantine/core';
import { type ReactNode, useSyncExternalStore } from 'react';

type Toast = { id: number; content: ReactNode };

let toasts: readonly Toast[] = [];
let next_id = 1;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}
const remove = (id: number) => change(toasts.filter((toast) => toast.id !== id));

export function showToast(content: ReactNode, shown_ms = 5000): void {
  const id = next_id++;
  change([...toasts.slice(-3), { id, content }]);
  setTimeout(() => remove(id), shown_ms);
}

export function Toasts() {
  const visible_toasts = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div className="toasts" role="status" aria-live="polite">
      {visible_toasts.map(({ id, content }) => (
        <div className="toast" key={id}>
          <div className="break">{content}</div>
          <CloseButton size="sm" aria-label="Close this message" onClick={() => remove(id)} />
        </div>
      ))}
    </div>
  );
}
