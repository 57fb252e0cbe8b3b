// Opens a neural network from an installed package. Inference runs on the calling thread.
import * as onnx from '#onnxruntime';
import { type PackageFile, readPackageFile } from './package-file.ts';

export { Tensor } from '#onnxruntime';
export type Model = onnx.InferenceSession;

export async function openModel(file: PackageFile): Promise<Model> {
  // More threads would start workers below our own worker threads. Measured: no gain.
  onnx.env.wasm.numThreads = 1;
  return onnx.InferenceSession.create(await readPackageFile(file), { executionProviders: ['wasm'] });
}
