// The whole promise in one place: every group of operations, every event and every lifecycle.
import { callLifecycle } from './calls.ts';
import { contacts } from './contacts.ts';
import { events as eventLog } from './events.ts';
import { identity } from './identity.ts';
import type { OperationGroup } from './operation.ts';
import { sandbox } from './sandbox.ts';
import { webhookDeliveryLifecycle, webhookSubscriptionLifecycle, webhooks } from './webhooks.ts';

export { type EventType, events } from './event-types.ts';

export const operationGroups: readonly OperationGroup[] = [identity, contacts, webhooks, eventLog, sandbox];

export const lifecycles = [callLifecycle, webhookSubscriptionLifecycle, webhookDeliveryLifecycle] as const;
