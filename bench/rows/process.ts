// Time to start the service and the command line, and memory of an idle service.
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { processorTime_us, residentBytes } from '../cpu.ts';
import { constant, type Row } from '../harness.ts';

const rest_ms = 10_000;
const command_line = fileURLToPath(new URL('../../packages/cli/bin/parley.js', import.meta.url));

export const processRows: Row[] = [
  {
    name: 'first-start',
    subject: 'first start in an empty folder, to ready',
    limit: 'allowed',
    unit: 's',
    target: { comparison: '<=', ratio: 1 },
    fixed_time: true,
    rounds: { quick: 2, normal: 3 },
    warm_up: false,
    prepare: async ({ stage }) => ({
      limit: constant(10),
      subject: async () => {
        const service = await stage.startService({ data_dir: stage.makeFolder() });
        await service.stop();
        return { value: service.ready_ms / 1000 };
      },
    }),
  },
  {
    name: 'later-start',
    subject: 'later start, to ready',
    limit: 'allowed',
    unit: 's',
    target: { comparison: '<=', ratio: 1 },
    fixed_time: true,
    warm_up: false,
    async prepare({ stage }) {
      const data_dir = stage.makeFolder();
      const start = async () => {
        const service = await stage.startService({ data_dir });
        const cpu_us_per_op = processorTime_us([service.pid]);
        await service.stop();
        return { value: service.ready_ms / 1000, cpu_us_per_op };
      };
      await start();
      return { limit: constant(3), subject: start };
    },
  },
  {
    name: 'idle-memory',
    subject: `resident memory ${rest_ms / 1000} s after a later start`,
    limit: 'allowed',
    unit: 'MB',
    target: { comparison: '<=', ratio: 1 },
    rounds: { quick: 1, normal: 2 },
    warm_up: false,
    undisturbed: true,
    async prepare({ stage }) {
      const data_dir = stage.makeFolder();
      // The first start of new code compiles it and keeps the result in memory, to store it for later starts.
      await (await stage.startService({ data_dir })).stop();
      const subject = async () => {
        const service = await stage.startService({ data_dir });
        // Waits, so that memory of the start can be released.
        await sleep(rest_ms);
        const bytes = residentBytes(service.pid);
        await service.stop();
        if (bytes === null) throw new Error('memory can be measured only on Linux');
        return { value: bytes / 1_000_000 };
      };
      return { limit: constant(150), subject };
    },
  },
  {
    name: 'cli-start',
    subject: 'parley --help, until the process ends',
    limit: 'allowed',
    unit: 'ms',
    target: { comparison: '<=', ratio: 1 },
    fixed_time: true,
    prepare: async () => ({
      limit: constant(300),
      subject: async () => {
        const start = performance.now();
        const { stdout } = await promisify(execFile)(process.execPath, [command_line, '--help']);
        const value = performance.now() - start;
        if (!stdout.includes('calls')) throw new Error(`unexpected output: ${stdout}`);
        return { value };
      },
    }),
  },
];
