// Tells from one judgement of speech after the other when somebody begins, pauses and goes on.

export type TurnTaking = {
  began: boolean;
  /** Went on after a pause. */
  resumed: boolean;
  is_speaking: boolean;
  /** Since the last speech, 0 while it lasts. */
  silence_ms: number;
  /** From the first word to the last. */
  speech_ms: number;
};

const [certain, doubtful] = [0.5, 0.35];
/** Shorter sounds are clicks. */
export const begin_ms = 96;
const resume_ms = 64;

export function turnTaking(window_ms: number) {
  let is_speaking = false;
  let run_ms = 0;
  let silence_ms = 0;
  let speech_ms = 0;

  return {
    handleEvents(probability: number): TurnTaking {
      // Once speech is there, a weaker sign of it is enough.
      const is_speech = probability >= (is_speaking && silence_ms === 0 ? doubtful : certain);
      run_ms = is_speech ? run_ms + window_ms : 0;
      let [began, resumed] = [false, false];
      if (!is_speaking) {
        if (run_ms >= begin_ms) {
          is_speaking = began = true;
          speech_ms = run_ms;
          silence_ms = 0;
        }
      } else if (silence_ms === 0) {
        if (is_speech) speech_ms += window_ms;
        else silence_ms = window_ms;
      } else {
        silence_ms += window_ms;
        if (run_ms >= resume_ms) {
          resumed = true;
          speech_ms += silence_ms;
          silence_ms = 0;
        }
      }
      return { began, resumed, is_speaking, silence_ms, speech_ms };
    },
    /** The turn was taken: what follows is a new one. */
    reset(): void {
      is_speaking = false;
      run_ms = silence_ms = speech_ms = 0;
    },
  };
}
