// The whole promise in one place: every group of operations, every event and every lifecycle.
import { callEvents, callLifecycle } from './calls.ts';
import { contacts } from './contacts.ts';
import { identity } from './identity.ts';
import type { OperationGroup } from './operation.ts';

export const operationGroups: readonly OperationGroup[] = [identity, contacts];

export const events = { ...callEvents };
export type EventType = keyof typeof events;

export const lifecycles = [callLifecycle] as const;
