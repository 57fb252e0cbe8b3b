// The whole promise in one place: every group of operations, every event and every lifecycle.
import { callEvents, callLifecycle } from './calls.ts';
import { contacts } from './contacts.ts';
import { emailAttachments } from './email-attachments.ts';
import { emailDomains } from './email-domains.ts';
import { emailEvents } from './email-events.ts';
import { emailLifecycle } from './email-records.ts';
import { emailSuppressions } from './email-suppressions.ts';
import { emails } from './emails.ts';
import { identity } from './identity.ts';
import type { OperationGroup } from './operation.ts';
import { sandboxOutbox } from './sandbox-outbox.ts';

export const operationGroups: readonly OperationGroup[] = [
  identity,
  contacts,
  emails,
  emailAttachments,
  emailDomains,
  emailSuppressions,
  sandboxOutbox,
];

export const events = { ...callEvents, ...emailEvents };
export type EventType = keyof typeof events;

export const lifecycles = [callLifecycle, emailLifecycle] as const;
