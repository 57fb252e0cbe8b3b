// The whole promise in one place: every group of operations, every event and every lifecycle.
import { agents } from './agents.ts';
import { callEvents, callLifecycle } from './calls.ts';
import { contacts } from './contacts.ts';
import { identity } from './identity.ts';
import { numberLifecycle, numbers } from './numbers.ts';
import type { OperationGroup } from './operation.ts';
import { poolNumbers } from './pool-numbers.ts';
import { sandboxSms, sms, smsEvents, smsLifecycle } from './sms.ts';
import { verificationLifecycle, verifications } from './verifications.ts';

export const operationGroups: readonly OperationGroup[] = [
  identity,
  contacts,
  agents,
  numbers,
  verifications,
  sms,
  sandboxSms,
  poolNumbers,
];

export const events = { ...callEvents, ...smsEvents };
export type EventType = keyof typeof events;

export const lifecycles = [callLifecycle, numberLifecycle, verificationLifecycle, smsLifecycle] as const;
