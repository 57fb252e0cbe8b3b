// Worker thread of Moonshine: takes a piece of speech and returns its text.
import tokenizer from '#llama-tokenizer';
import { type Model, openModel, Tensor } from '../../../platform/onnx.ts';
import { handleTasks } from '../../../platform/thread-pool.ts';
import { resample, toFloat } from '../../../protocols/audio/resample.ts';
import { line_rate_hz } from '../../media/media-session.ts';

const folder = './model/tiny/quantized';
const entry = '@moonshine-ai/moonshine-js';
const encoder: Promise<Model> = openModel({
  entry,
  path: `${folder}/encoder_model.onnx`,
  sha256: 'c6fc4b7bc5af75c0591fd157a1f3829b533d18e9769a888fd95a62e470dd4f4a',
});
const decoder: Promise<Model> = encoder.then(() =>
  openModel({
    entry,
    path: `${folder}/decoder_model_merged.onnx`,
    sha256: 'eed87831c3a6103534aae7d47a5d485025c659a1323901513961c39fe8a1a367',
  }),
);

const rate_hz = 16_000;
const [layers, heads, head_size] = [6, 8, 36];
const [start_token, end_token] = [1, 2];
// Limits the output length: nobody speaks faster, and the network sometimes repeats itself endlessly.
const tokens_per_second = 6.5;
const min_seconds = 1;

const cache_names = Array.from({ length: layers }, (_, layer) =>
  ['decoder', 'encoder'].flatMap((part) => ['key', 'value'].map((kind) => `${layer}.${part}.${kind}`)),
).flat();

handleTasks<Int16Array, string>(async (speech) => {
  const sound = resample(toFloat(speech), line_rate_hz, rate_hz);
  const input = new Float32Array(Math.max(sound.length, min_seconds * rate_hz));
  input.set(sound);
  const encoded = await (await encoder).run({
    input_values: new Tensor('float32', input, [1, input.length]),
  });

  let cache: Record<string, Tensor> = Object.fromEntries(
    cache_names.map((name) => [
      `past_key_values.${name}`,
      new Tensor('float32', new Float32Array(0), [0, heads, 1, head_size]),
    ]),
  );
  const tokens: number[] = [];
  const max_tokens = Math.ceil((input.length / rate_hz) * tokens_per_second) + 2;
  while (tokens.length < max_tokens) {
    const is_first = tokens.length === 0;
    const step = await (await decoder).run({
      input_ids: new Tensor('int64', BigInt64Array.of(BigInt(tokens.at(-1) ?? start_token)), [1, 1]),
      encoder_hidden_states: encoded.last_hidden_state!,
      use_cache_branch: new Tensor('bool', [!is_first]),
      ...cache,
    });
    const token = indexOfLargest(step.logits!.data as Float32Array);
    if (token === end_token) break;
    tokens.push(token);
    // The cached encoder states do not change after the first step.
    const updated = cache_names.filter((name) => is_first || name.includes('decoder'));
    cache = {
      ...cache,
      ...Object.fromEntries(updated.map((name) => [`past_key_values.${name}`, step[`present.${name}`]!])),
    };
  }
  return { result: tokenizer.decode(tokens, false, false) };
});

function indexOfLargest(values: Float32Array): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i]! > values[best]!) best = i;
  return best;
}
