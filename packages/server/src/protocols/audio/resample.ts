// Changes the sample rate of speech with a windowed sinc filter that keeps its state between the chunks of a stream.

const zero_crossings = 10;

/** Push the chunks in order; `flush` returns the end of the stream. */
export function resampler(from_hz: number, to_hz: number) {
  const divisor = greatestCommonDivisor(from_hz, to_hz);
  const [up, down] = [to_hz / divisor, from_hz / divisor];
  // Remove frequencies above the Nyquist limit of the lower rate. Otherwise they come back as noise (aliasing).
  const cutoff = Math.min(1, to_hz / from_hz) * 0.95;
  const half = Math.ceil(zero_crossings / cutoff);
  const kernels = Array.from({ length: up }, (_, phase) => kernel(phase / up, cutoff, half));

  let history = new Float32Array(half);
  /** Index of the next output sample's center, counted from the start of `history`. */
  let base = half;
  let phase = 0;

  const feed = (input: Float32Array): Float32Array => {
    const samples = new Float32Array(history.length + input.length);
    samples.set(history);
    samples.set(input, history.length);
    const out = new Float32Array(Math.max(0, Math.ceil(((samples.length - base) * up) / down) + 1));
    let count = 0;
    while (base + half < samples.length) {
      const taps = kernels[phase]!;
      let sum = 0;
      for (let k = 0; k < taps.length; k++) sum += taps[k]! * samples[base - half + 1 + k]!;
      out[count++] = sum;
      phase += down;
      base += Math.floor(phase / up);
      phase %= up;
    }
    const keep = Math.min(base - half, samples.length);
    history = samples.slice(keep);
    base -= keep;
    return out.subarray(0, count);
  };

  return { push: feed, flush: () => feed(new Float32Array(half + 1)) };
}

/** Resamples a complete recording. */
export function resample(input: Float32Array, from_hz: number, to_hz: number): Float32Array {
  if (from_hz === to_hz) return input;
  const { push, flush } = resampler(from_hz, to_hz);
  const length = Math.round((input.length * to_hz) / from_hz);
  const [body, tail] = [push(input), flush()];
  const out = new Float32Array(length);
  out.set(body.subarray(0, length));
  if (body.length < length) out.set(tail.subarray(0, length - body.length), body.length);
  return out;
}

export const toFloat = (pcm: Int16Array): Float32Array => Float32Array.from(pcm, (sample) => sample / 32_768);

export const toPcm = (samples: Float32Array): Int16Array =>
  Int16Array.from(samples, (sample) => Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768))));

function kernel(fraction: number, cutoff: number, half: number): Float32Array {
  const taps = Float32Array.from({ length: 2 * half }, (_, k) => {
    const x = k - half + 1 - fraction;
    const sinc = x === 0 ? cutoff : Math.sin(Math.PI * cutoff * x) / (Math.PI * x);
    const window = Math.abs(x) >= half ? 0 : 0.5 + 0.5 * Math.cos((Math.PI * x) / half);
    return sinc * window;
  });
  const sum = taps.reduce((total, tap) => total + tap, 0);
  return taps.map((tap) => tap / sum);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
