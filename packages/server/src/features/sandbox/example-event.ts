// The documented example of an event type as an event that happens, with the fields a developer chose instead.

import type { EventDefinition } from '@parley/contract/event';
import { events } from '@parley/contract/event-types';
import type { SandboxEventCreate } from '@parley/contract/sandbox';
import { validationError } from '../../platform/http/api-error.ts';
import type { NewEvent } from '../../platform/outbox.ts';

export function exampleEvent(organization_id: string, wanted: SandboxEventCreate): NewEvent {
  const { type, data: changes = {}, email_domain_id = null, email_domain = null } = wanted;
  const definition: EventDefinition = events[type];
  const data = { ...definition.example, ...changes };
  const checked = definition.data.safeParse(data);
  if (!checked.success) {
    throw validationError(
      checked.error.issues.map(({ path, message }) => ({
        path: ['body.data', ...path].join('.'),
        message,
        code: 'invalid' as const,
      })),
    );
  }
  return {
    organization_id,
    type,
    resource_id: String(data.id),
    data,
    source_id: email_domain_id,
    source_name: email_domain,
  };
}
