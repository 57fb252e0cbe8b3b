// What a test process and the runner send to each other.

export type TestReport = { name: string; error: string | null; skipped: string | null };

export type Message =
  /** The process can run another file. */
  | { type: 'ready' }
  | ({ type: 'test' } & TestReport)
  | { type: 'file_ended'; file: string; duration_ms: number; cpu_ms: number }
  | { type: 'all_ended' }
  /** Sent when the process is still running some time after its last test: what keeps it alive. */
  | { type: 'still_open'; handles: string[] };

/** The answer to `ready`. Null: there are no more files. */
export type Order = { file: string | null };

export const report = (message: Message): void => void process.send?.(message);
