// The sizes and the file of Silero v6, known to the thread and to whoever asks it.

export const weights = {
  entry: '@ricky0123/vad-web',
  path: './silero_vad_v6.onnx',
  sha256: '1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3',
};

export const window_samples = 256;
/** The end of the window before, which the network sees again. */
export const context_samples = 32;
export const memory_size = 128;
/** What one call's next window needs to know: two layers of memory and the context. */
export const state_size = 2 * memory_size + context_samples;

export type Windows = { windows: Int16Array<ArrayBuffer>; states: Float32Array<ArrayBuffer> };
export type Judged = { probabilities: Float32Array; states: Float32Array };
