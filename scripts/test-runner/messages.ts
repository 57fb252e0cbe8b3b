// What a test process reports to the runner while it works.

export type TestReport = { name: string; error: string | null; skipped: string | null };

export type Message =
  | { type: 'file_started'; file: string }
  | ({ type: 'test' } & TestReport)
  | { type: 'file_ended'; file: string; duration_ms: number; cpu_ms: number }
  | { type: 'all_ended' };

export const report = (message: Message): void => void process.send?.(message);
