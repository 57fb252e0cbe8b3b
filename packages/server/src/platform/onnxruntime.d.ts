// Types of ONNX Runtime under the name that package.json maps to it: the package declares them only for its own names.
declare module '#onnxruntime' {
  export * from 'onnxruntime-common';
}
