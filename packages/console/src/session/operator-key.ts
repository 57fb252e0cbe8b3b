// The operator key that a person typed to decide approvals or change rules. It exists only in memory: agents may hold the key of the tab.
import { credential, onCredentialChange } from './credential.ts';
import { facts } from './facts.ts';

let key = '';
const listeners = new Set<() => void>();

export const operatorKey = () => key;
export function setOperatorKey(next: string): void {
  key = next;
  for (const listener of listeners) listener();
}
export function onOperatorKey(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** People with an account decide as themselves. */
export const canUseOperatorKey = () => facts.has_shared_key && credential()?.kind === 'key';

onCredentialChange(() => {
  if (credential() === null) setOperatorKey('');
});
