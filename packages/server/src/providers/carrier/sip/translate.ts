// How a call over the trunk ended: by the other side's answer, by theirs or our hanging up, or by nobody's word.
import { type Ending, rang_out, trunk_failure } from '../sip-status.ts';

export { type Ending, endingOfSipStatus, endings_by_code } from '../sip-status.ts';

/** Why we ended the call, where it was us. What we did decides, never the code that came back for it. */
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

/** Nobody answered at all: no address, no connection, or silence until the timer ran out. */
export const ending_of_silence: Ending = trunk_failure;

/** The person hung up. */
export const ending_of_their_bye: Ending = { trigger: 'hung_up', end_reason: 'callee_hangup' };

/**
 * Before the answer every reason but a ring-out is a cancellation; `heard` is false when the trunk never said a word,
 * and then nothing can have rung.
 */
export function endingOfOurs(reason: OurReason, stage: { answered: boolean; heard: boolean }): Ending {
  if (reason === 'media_failure' || reason === 'force_closed')
    return { trigger: 'broke', end_reason: reason };
  if (reason === 'canceled' || reason === 'ring_timeout' || !stage.answered) {
    if (reason !== 'ring_timeout') return { trigger: 'canceled', end_reason: 'canceled' };
    return stage.heard ? rang_out : trunk_failure;
  }
  return { trigger: 'hung_up', end_reason: reason };
}
