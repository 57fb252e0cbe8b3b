// Decides from a sequence of speech probabilities when the other party starts to speak, pauses and continues.

export type SpeechProgress = {
  started: boolean;
  /** Continued after a pause. */
  resumed: boolean;
  is_speaking: boolean;
  /** Time since the last speech; 0 while the party speaks. */
  silence_ms: number;
  /** Time from the first word to the last. */
  speech_ms: number;
};

/** A probability counts as speech from `start` on; once the party speaks, from `continue` on. */
const threshold = { start: 0.5, continue: 0.35 };
/** Shorter sounds are clicks. */
export const start_ms = 96;
const resume_ms = 64;

export function turnTaking(window_ms: number) {
  let is_speaking = false;
  let run_ms = 0;
  let silence_ms = 0;
  let speech_ms = 0;

  return {
    /** Takes the speech probability of the next window. */
    update(probability: number): SpeechProgress {
      const is_in_speech = is_speaking && silence_ms === 0;
      const is_speech = probability >= (is_in_speech ? threshold.continue : threshold.start);
      run_ms = is_speech ? run_ms + window_ms : 0;
      let [started, resumed] = [false, false];
      if (!is_speaking) {
        if (run_ms >= start_ms) {
          is_speaking = started = true;
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
      return { started, resumed, is_speaking, silence_ms, speech_ms };
    },
    /** Starts a new turn. */
    reset(): void {
      is_speaking = false;
      run_ms = silence_ms = speech_ms = 0;
    },
  };
}
