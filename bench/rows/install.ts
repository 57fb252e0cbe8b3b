// What a person meets who installs the packed packages in an empty folder: seconds to the first email, text and call.
import { join } from 'node:path';
import { installTarballs, packedTarballs } from '../../test/packages/installed-packages.ts';
import { startInEmptyFolder, useEveryChannel } from '../../test/packages/parley-start.ts';
import { processorTime_us } from '../cpu.ts';
import { constant, type Row, type Run } from '../harness.ts';

const secondsSince = (start_ms: number) => (performance.now() - start_ms) / 1000;

/** Packed and installed once for all rows. */
const installed = (run: Run) =>
  run.shared('installed packages', async (stage) => {
    const tarballs = packedTarballs();
    const folder = stage.makeFolder();
    const start_ms = performance.now();
    await installTarballs(folder, tarballs);
    // Not judged: it depends on the registry and on npm's cache.
    process.stderr.write(`npm install ${secondsSince(start_ms).toFixed(1)} s ... `);
    return { program: join(folder, 'node_modules/@parley/cli/bin/parley.js') };
  });

export const installRows: Row[] = [
  {
    name: 'install-first-use',
    subject: 'after the install, from `parley start` in an empty folder to an email, a text and a call',
    limit: 'allowed',
    unit: 's',
    target: { comparison: '<=', ratio: 1 },
    fixed_time: true,
    rounds: { quick: 1, normal: 2 },
    warm_up: false,
    prepare: async (run) => {
      const { program } = await installed(run);
      return { limit: constant(60), subject: async () => ({ value: await firstUse(run, program) }) };
    },
  },
  {
    name: 'install-start',
    subject: 'later `parley start` of the installed packages, to ready',
    limit: 'allowed',
    unit: 's',
    target: { comparison: '<=', ratio: 1 },
    fixed_time: true,
    warm_up: false,
    async prepare(run) {
      const { program } = await installed(run);
      const data_dir = run.stage.makeFolder();
      const start = async () => {
        const service = await run.stage.startService({ data_dir, program: [program, 'start'] });
        const cpu_us_per_op = processorTime_us([service.pid]);
        await service.stop();
        return { value: service.ready_ms / 1000, cpu_us_per_op };
      };
      // The first start creates the database and warms the cache of the file system.
      await start();
      return { limit: constant(3), subject: start };
    },
  },
];

async function firstUse({ stage }: Run, program: string): Promise<number> {
  const start_ms = performance.now();
  const times: string[] = [];
  const note = (what: string) => void times.push(`${what} ${secondsSince(start_ms).toFixed(1)} s`);
  const service = await startInEmptyFolder(
    { after: (undo) => stage.atClose(undo) },
    { node: process.execPath, program },
  );
  note('ready');
  await useEveryChannel(service, note);
  const seconds = secondsSince(start_ms);
  await service.stop();
  process.stderr.write(`${times.join(', ')} ... `);
  return seconds;
}
