// The file and the tensor sizes of Silero v6, shared by the worker thread and its caller.

export const weights = {
  entry: '@ricky0123/vad-web',
  path: './silero_vad_v6.onnx',
  sha256: '1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3',
};

export const window_samples = 256;
/** The network gets the last samples of the window before again. */
export const context_samples = 32;
export const memory_size = 128;
/** State of one call between two windows: two layers of memory and the context samples. */
export const state_size = 2 * memory_size + context_samples;

/** Windows of several calls: those of one call follow each other, and there is one state for each call. */
export type Windows = {
  windows: Int16Array<ArrayBuffer>;
  /** How many windows each call has. */
  counts: number[];
  states: Float32Array<ArrayBuffer>;
};
export type Judged = { probabilities: Float32Array; states: Float32Array };
