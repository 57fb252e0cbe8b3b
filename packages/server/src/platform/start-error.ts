// A reason not to start, in a sentence for the person at the terminal.

export class StartError extends Error {
  override name = 'StartError';
}
