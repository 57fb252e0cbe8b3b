// Recognizes an answering machine by its text and by its beep.
import { frame_ms, line_rate_hz } from '../../../../../providers/media/media-session.ts';

const machine_phrases =
  /\b(leave (me |us )?(a|your) (short |brief )?message|after the (tone|beep)|at the (tone|beep)|voice ?mail|mail ?box|(can ?not|can't|cannot|unable to|not able to) (take|come to|answer|get to) (your|the|my|this) (call|phone)|is not available|record your message|no one is available|press (the )?pound|hang up or press)\b/i;

export const soundsLikeMachine = (text: string): boolean => machine_phrases.test(text);

const shortest_beep_ms = 180;
const audible = 800;

/** Takes every frame. Returns true once, at the first frame after a beep. */
export function beepDetector() {
  let beep_ms = 0;
  return (frame: Int16Array): boolean => {
    if (isPureTone(frame)) {
      beep_ms += frame_ms;
      return false;
    }
    const was_beep = beep_ms >= shortest_beep_ms;
    beep_ms = 0;
    return was_beep;
  };
}

/**
 * A sine wave satisfies x[n] = 2cos(w)·x[n-1] - x[n-2]. The coefficient is estimated by least squares. The residual is
 * nearly zero for a tone, and most of the energy for speech or noise.
 */
function isPureTone(frame: Int16Array): boolean {
  let [energy, cross, lagged, sum] = [0, 0, 0, 0];
  for (let n = 2; n < frame.length; n++) {
    const pair = frame[n]! + frame[n - 2]!;
    energy += frame[n]! * frame[n]!;
    cross += pair * frame[n - 1]!;
    lagged += frame[n - 1]! * frame[n - 1]!;
    sum += pair * pair;
  }
  if (energy / frame.length < audible * audible || lagged === 0) return false;
  const coefficient = cross / lagged;
  if (Math.abs(coefficient) >= 2) return false;
  const hz = (Math.acos(coefficient / 2) * line_rate_hz) / (2 * Math.PI);
  const residual = sum - (cross * cross) / lagged;
  return hz > 300 && hz < 2500 && residual < 0.02 * energy;
}
