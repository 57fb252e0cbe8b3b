// The documented example of an event type as an event that happens, with the fields a developer chose instead.

import type { EventDefinition } from '@parley/contract/event';
import { events } from '@parley/contract/event-types';
import type { SandboxEventCreate } from '@parley/contract/operations/sandbox/sandbox';
import type { NewEvent } from '../../../platform/event.ts';
import { validationError } from '../../../platform/http/api-error.ts';

export function exampleEvent(organization_id: string, wanted: SandboxEventCreate): NewEvent {
  const { type, data: changes, email_domain_id = null, email_domain = null } = wanted;
  const definition: EventDefinition = events[type];
  const data = changes ? checked(definition, { ...definition.example, ...changes }) : definition.example;
  return {
    organization_id,
    type,
    // Some events have no record of their own: they are about a rule or a tool call.
    resource_id: String(data.id ?? data.rule_id ?? data.tool_call_id),
    data,
    source_id: email_domain_id,
    source_name: email_domain,
  };
}

function checked(definition: EventDefinition, data: Record<string, unknown>): Record<string, unknown> {
  const { error } = definition.data.safeParse(data);
  if (!error) return data;
  throw validationError(
    error.issues.map(({ path, message }) => ({
      path: ['body.data', ...path].join('.'),
      message,
      code: 'invalid' as const,
    })),
  );
}
