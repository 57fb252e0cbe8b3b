// Reads who used the processors: our own processes, and everybody else. Linux only; elsewhere it knows nothing.
import { readdirSync, readFileSync } from 'node:fs';

/** The kernel reports in ticks of a hundredth of a second (USER_HZ), whatever its own timer does. */
const us_per_tick = 10_000;
const has_proc = process.platform === 'linux';

type Process = { pid: number; parent: number; us: number };

/** Includes children that have ended: a process inherits the time of those it waited for. */
function readProcess(pid: string): Process | null {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name before the last bracket may itself hold spaces and brackets.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { pid: Number(pid), parent: Number(fields[1]), us: ticks * us_per_tick };
  } catch {
    return null; // It ended while we looked.
  }
}

const readProcesses = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readProcess(pid) ?? []);

function timeOfTrees(processes: Process[], roots: readonly number[]): number {
  const wanted = new Set(roots);
  // A child can have a lower number than its parent once the numbers have wrapped: look until nothing is added.
  for (let before = -1; before !== wanted.size; ) {
    before = wanted.size;
    for (const { pid, parent } of processes) if (wanted.has(parent)) wanted.add(pid);
  }
  return processes.reduce((sum, { pid, us }) => (wanted.has(pid) ? sum + us : sum), 0);
}

/** Processor time of these processes and all below them; null where it cannot be known. */
export const processorTime_us = (pids: readonly number[]): number | null =>
  has_proc ? timeOfTrees(readProcesses(), pids) : null;

const kernel_threads = 2;

/** User, nice, system, idle, iowait, irq, softirq and steal, of all processors since the start. */
const machineTicks = () =>
  readFileSync('/proc/stat', 'latin1').split('\n', 1)[0]!.split(/ +/).slice(1, 9).map(Number);

/** Processor time that the host took from this machine; null where it cannot be known. */
export const stolenTime_us = (): number | null => (has_proc ? machineTicks()[7]! * us_per_tick : null);

/**
 * Processor time used by neither this process, nor its children, nor the kernel's own threads, which mostly write
 * what we asked it to write. Time that the host gave to other machines counts: it was taken from us as well.
 */
export function timeOfOthers_us(): number | null {
  if (!has_proc) return null;
  const [user, nice, system, , , irq, soft_irq, steal] = machineTicks();
  const all_ticks = user! + nice! + system! + irq! + soft_irq! + steal!;
  return all_ticks * us_per_tick - timeOfTrees(readProcesses(), [process.pid, kernel_threads]);
}

/** Resident memory; null where it cannot be known. */
export function residentBytes(pid: number): number | null {
  if (!has_proc) return null;
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  return Number(kilobytes) * 1024;
}
