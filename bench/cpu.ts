// Reads the processor time of our own processes and of all others. Linux only; elsewhere the functions return null.
import { readdirSync, readFileSync } from 'node:fs';

/** The kernel reports in ticks of a hundredth of a second (USER_HZ), independent of its own timer. */
const us_per_tick = 10_000;
const has_proc = process.platform === 'linux';

type Process = { pid: number; parent: number; us: number };

/** Includes children that have ended: the kernel adds their time to the parent that waited for them. */
function readProcess(pid: string): Process | null {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name before the last bracket may itself contain spaces and brackets.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { pid: Number(pid), parent: Number(fields[1]), us: ticks * us_per_tick };
  } catch {
    return null; // The process ended in the meantime.
  }
}

const readProcesses = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readProcess(pid) ?? []);

function timeOfTrees(processes: Process[], roots: readonly number[]): number {
  const wanted = new Set(roots);
  // A child can have a lower id than its parent after the ids have wrapped, so repeat until nothing is added.
  for (let before = -1; before !== wanted.size; ) {
    before = wanted.size;
    for (const { pid, parent } of processes) if (wanted.has(parent)) wanted.add(pid);
  }
  return processes.reduce((sum, { pid, us }) => (wanted.has(pid) ? sum + us : sum), 0);
}

/** Processor time of these processes and their descendants; null if unknown. */
export const processorTime_us = (pids: readonly number[]): number | null =>
  has_proc ? timeOfTrees(readProcesses(), pids) : null;

const kernel_threads = 2;

/** User, nice, system, idle, iowait, irq, softirq and steal, of all processors since the start. */
const machineTicks = () =>
  readFileSync('/proc/stat', 'latin1').split('\n', 1)[0]!.split(/ +/).slice(1, 9).map(Number);

/** Processor time that the host gave to other virtual machines (steal); null if unknown. */
export const stolenTime_us = (): number | null => (has_proc ? machineTicks()[7]! * us_per_tick : null);

/**
 * Processor time that was used neither by this process, its descendants nor kernel threads, which mostly write data of
 * our processes. Stolen time is included, because it was not available to us either.
 */
export function timeOfOthers_us(): number | null {
  if (!has_proc) return null;
  const [user, nice, system, , , irq, soft_irq, steal] = machineTicks();
  const all_ticks = user! + nice! + system! + irq! + soft_irq! + steal!;
  return all_ticks * us_per_tick - timeOfTrees(readProcesses(), [process.pid, kernel_threads]);
}

/** Resident memory; null if unknown. */
export function residentBytes(pid: number): number | null {
  if (!has_proc) return null;
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  return Number(kilobytes) * 1024;
}
