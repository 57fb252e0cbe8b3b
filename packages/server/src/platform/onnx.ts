// Opens a neural network that came with a package; runs on the thread that asks.
import * as onnx from 'onnxruntime-web/wasm';
import { type PackageFile, readPackageFile } from './package-file.ts';

export { Tensor } from 'onnxruntime-web/wasm';
export type Model = onnx.InferenceSession;

export async function openModel(file: PackageFile): Promise<Model> {
  // More threads would start workers of their own below ours, and were measured to gain nothing.
  onnx.env.wasm.numThreads = 1;
  return onnx.InferenceSession.create(await readPackageFile(file), { executionProviders: ['wasm'] });
}
