// The transfer of a call that a relay ended: what the relay handed over is said to the colleague.
import { limits } from '@parley/contract/limits';
import type { Conversation } from '../conversation-state.ts';
import type { RelaySettings } from '../relay/relay-talk.ts';
import type { TransferRequest } from './transfer-port.ts';

const max_reason_chars = 300;

/** Null: the call is not transferred. */
export function handoffRequest(
  { transfers: port }: Pick<Conversation, 'transfers'>,
  { end_transfer: destination, fallback }: RelaySettings,
  handoff: string | null,
): TransferRequest | null {
  const text = spokenHandoff(handoff ?? '');
  if (text === '' || destination === null || !port || port.max_transfers === 0) return null;
  const found = port.destination(destination);
  if (!found) return null;
  const { options, to } = found;
  // The relay is gone: without a model the call cannot continue.
  const on_failure = options.on_failure === 'return' && !fallback ? 'end_call' : options.on_failure;
  return {
    destination,
    to,
    reason: text.slice(0, max_reason_chars),
    requested_by: 'agent',
    options: { ...options, brief: text.slice(0, limits.transfer_brief_chars), on_failure },
    principal: null,
  };
}

/** Servers send JSON by custom. Of an object the plain values are said, each after its name. */
export function spokenHandoff(handoff: string): string {
  const values = plainValues(handoff);
  const text = values
    ? values.map(([name, value]) => `${words(name)}: ${String(value).trim()}.`).join(' ')
    : handoff;
  return text
    .replace(/\s+/g, ' ')
    .replace(/([.?!])\.(?= |$)/g, '$1')
    .trim();
}

function plainValues(json: string): [string, string | number | boolean][] | null {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    return Object.entries(value).filter(
      (entry): entry is [string, string | number | boolean] =>
        entry[1] !== '' && ['string', 'number', 'boolean'].includes(typeof entry[1]),
    );
  } catch {
    return null;
  }
}

/** `reasonCode` and `reason_code` are said as "Reason code". */
function words(name: string): string {
  const spaced = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase()
    .trim();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
