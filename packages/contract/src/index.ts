// The whole promise in one place: every group of operations, every event and every lifecycle.
import { auditLog, killSwitch } from './admin.ts';
import { apiKeys } from './api-keys.ts';
import { callEvents, callLifecycle } from './calls.ts';
import { contacts } from './contacts.ts';
import { funds } from './funds.ts';
import { identity } from './identity.ts';
import { invitations, members } from './members.ts';
import type { OperationGroup } from './operation.ts';
import { organizations } from './organizations.ts';
import { providers } from './providers.ts';

export const operationGroups: readonly OperationGroup[] = [
  identity,
  apiKeys,
  members,
  invitations,
  contacts,
  providers,
  funds,
  organizations,
  killSwitch,
  auditLog,
];

export const events = { ...callEvents };
export type EventType = keyof typeof events;

export const lifecycles = [callLifecycle] as const;
