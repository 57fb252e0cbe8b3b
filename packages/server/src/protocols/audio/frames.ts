// The sample format of a phone line: 8 kHz PCM in frames of 20 ms.

export const line_rate_hz = 8000;
export const frame_ms = 20;
export const frame_samples = (line_rate_hz / 1000) * frame_ms;

export const msOf = (samples: number): number => (samples / line_rate_hz) * 1000;
export const samplesOf = (ms: number): number => Math.round((ms / 1000) * line_rate_hz);
