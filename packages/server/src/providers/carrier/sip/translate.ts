// Translates how a call over the trunk ended: a SIP status, a hang-up of either side, or no response at all.
import { type Ending, rang_out, trunk_failure } from '../sip-status.ts';

export { type Ending, endingOfSipStatus, endings_by_code } from '../sip-status.ts';

/** Why we ended the call. Our action decides the ending, not the SIP status that the other side returns for it. */
export type OurReason =
  | 'canceled'
  | 'ring_timeout'
  | 'agent_hangup'
  | 'api_hangup'
  | 'max_duration'
  | 'silence_timeout'
  | 'voicemail'
  | 'media_failure'
  | 'force_closed';

/** The trunk sent no response: no address, no connection, or a timeout. */
export const ending_of_silence: Ending = trunk_failure;

/** The trunk or the other side has lost the call: nobody refreshed it, or a refresh met nobody. */
export const ending_without_refresh: Ending = trunk_failure;

/** The other side hung up. */
export const ending_of_their_bye: Ending = { trigger: 'hung_up', end_reason: 'callee_hangup' };

/**
 * Before the answer every reason but a ring timeout counts as a cancellation. Without a response of the trunk no phone can
 * have rung, so a ring timeout then counts as a trunk failure.
 */
export function endingOfOurs(
  reason: OurReason,
  stage: { answered: boolean; trunk_responded: boolean },
): Ending {
  if (reason === 'media_failure' || reason === 'force_closed')
    return { trigger: 'broke', end_reason: reason };
  if (reason === 'canceled' || reason === 'ring_timeout' || !stage.answered) {
    if (reason !== 'ring_timeout') return { trigger: 'canceled', end_reason: 'canceled' };
    return stage.trunk_responded ? rang_out : trunk_failure;
  }
  return { trigger: 'hung_up', end_reason: reason };
}
