// How much memory a process holds, and held at most (Linux).
import { readFileSync, writeFileSync } from 'node:fs';

export function memoryOf(pid: number): { resident: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
  return { resident: bytes('VmRSS'), peak: bytes('VmHWM') };
}

/** The kernel notes the peak anew from here on (proc(5), clear_refs). */
export const forgetPeak = (pid: number) => writeFileSync(`/proc/${pid}/clear_refs`, '5');
