// The relay of an agent or a call: its address is checked, and its secret is sealed and kept out of the record.
import type { AgentEngines } from '@parley/contract/agents/agent-fields';
import type { Sealer } from '../../../platform/crypto.ts';
import type { AddressPolicy } from '../../../platform/egress/address-policy.ts';
import { checkUrl } from '../../../platform/egress/check-url.ts';
import { ApiError, validationError } from '../../../platform/http/api-error.ts';
import { relayHttpUrl } from '../../../providers/relay/relay.ts';

type Engines = { llm?: unknown; relay?: AgentEngines['relay'] | undefined };

/** The engines without the secret, and the secret when one was given. Throws when the relay cannot be used. */
export function splitRelay<E extends Engines | null | undefined>(
  engines: E,
  options: { policy: AddressPolicy; has_secret: boolean },
): { engines: E; secret: string | null } {
  const relay = engines?.relay;
  if (!engines || !relay) return { engines, secret: null };
  const { secret, ...rest } = relay;
  if (engines.llm) refuse('body.engines.relay', 'llm and relay cannot both be set');
  if (secret === undefined && !options.has_secret)
    refuse('body.engines.relay.secret', 'A relay needs a secret');
  const verdict = checkUrl(relayHttpUrl(relay.url), options.policy);
  if (!verdict.ok) {
    const message = `Expected an address that may be called (${verdict.reason})`;
    throw new ApiError('target_not_allowed', {
      errors: [{ path: 'body.engines.relay.url', message, code: 'invalid' }],
    });
  }
  return { engines: { ...engines, relay: rest }, secret: secret ?? null };
}

function refuse(path: string, message: string): never {
  throw validationError([{ path, message, code: 'invalid' }]);
}

/** Bound to the agent, so that it opens for no other one. Changing the text makes stored secrets unreadable. */
const context = (organization_id: string, agent_id: string) =>
  `agent relay secret ${organization_id} ${agent_id}`;

export const sealRelaySecret = (
  sealer: Sealer,
  organization_id: string,
  agent_id: string,
  secret: string,
): string => sealer.seal(secret, context(organization_id, agent_id));

export const openRelaySecret = (
  sealer: Sealer,
  organization_id: string,
  agent_id: string,
  sealed: string | null,
): string | null => sealed && sealer.open(sealed, context(organization_id, agent_id)).toString();
