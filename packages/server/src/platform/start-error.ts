// An error that prevents the start; its message is printed for the operator without a stack.

export class StartError extends Error {
  override name = 'StartError';
}
