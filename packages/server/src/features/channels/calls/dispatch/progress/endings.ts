// The endings of a call that this service decides itself, with the text that its timeline shows.
import { RelayFailed } from '../../../../../providers/relay/relay.ts';
import type { CallEnding } from './progress.ts';

/** Why this process ends a call that it runs. */
export type HangUpReason =
  | 'api_hangup'
  | 'force_closed'
  | 'insufficient_funds'
  /** Another process leads the call now: this one stops without hanging up, and its writes do not apply. */
  | 'taken_over';

export const never_answered: CallEnding = {
  trigger: 'rang_out',
  end_reason: 'ring_timeout',
  detail: 'The call rang out, and the carrier did not report it.',
};

export const never_opened: CallEnding = {
  trigger: 'broke',
  end_reason: 'media_failure',
  detail: 'The carrier did not open the line.',
};

/** The call ended before it was answered, and the carrier reported no reason. */
export const ended_early = {
  outbound: { trigger: 'broke', end_reason: 'trunk_failure', detail: 'The call ended without a reason.' },
  inbound: { trigger: 'canceled', end_reason: 'canceled', detail: 'The caller hung up.' },
} as const;

export const insufficient_funds: CallEnding = {
  trigger: 'broke',
  end_reason: 'insufficient_funds',
  detail: 'The available funds do not cover a minute.',
  check: 'funds',
};

export const service_stopped: CallEnding = {
  trigger: 'broke',
  end_reason: 'force_closed',
  detail: 'The service was stopped during the call.',
};

/** Null where the carrier refused the call: then explain names the carrier. */
type FailedSetup = 'relay' | 'number' | 'service' | null;

export const setupError = (detail: string, layer: FailedSetup): CallEnding => ({
  trigger: 'broke',
  end_reason: 'setup_error',
  detail,
  ...(layer === null ? {} : { layer }),
});

/** An error that ended the setup of a call: the relay of the organization, or this service itself. */
export const failedSetup = (error: Error): CallEnding =>
  setupError(error.message, error instanceof RelayFailed ? 'relay' : 'service');

/** The ending of an answered call that this process hangs up; the signal's reason is a `HangUpReason`. */
export function endedBySignal(signal: AbortSignal): CallEnding {
  if (signal.reason === 'force_closed') return service_stopped;
  const is_unpaid = signal.reason === 'insufficient_funds';
  return { trigger: 'hung_up', end_reason: is_unpaid ? 'insufficient_funds' : 'api_hangup', detail: null };
}
