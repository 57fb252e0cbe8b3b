// What a test process and the runner send to each other.

export type TestReport = {
  name: string;
  error: string | null;
  skipped: string | null;
  duration_ms: number;
};

export type Message =
  /** The process can run another file. */
  | { type: 'ready' }
  | ({ type: 'test' } & TestReport)
  | { type: 'file_ended'; file: string; duration_ms: number; cpu_ms: number }
  | { type: 'all_ended' }
  /** An error that belongs to no test, such as one of a socket that the file opened. The process ends with code 1. */
  | { type: 'stray_error'; text: string }
  /** Sent when the process is still running some time after its last test: what keeps it alive. */
  | { type: 'still_open'; handles: string[] };

/** The answer to `ready`. Null: there are no more files. */
export type Order = { file: string | null };

export const report = (message: Message): void => void process.send?.(message);
