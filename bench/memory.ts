// Current and peak memory of a process (Linux).
import { readFileSync, writeFileSync } from 'node:fs';

export function memoryOf(pid: number): { resident: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
  return { resident: bytes('VmRSS'), peak: bytes('VmHWM') };
}

/** Resets the peak to the current size (proc(5), clear_refs). */
export const resetPeak = (pid: number) => writeFileSync(`/proc/${pid}/clear_refs`, '5');
