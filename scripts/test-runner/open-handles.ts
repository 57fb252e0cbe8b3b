// Describes what keeps a test process alive, and which file opened it.
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';

type Handle = object &
  Partial<Pick<Socket, 'localPort' | 'remotePort'> & Pick<ChildProcess, 'spawnfile' | 'pid'>>;

// Node has no documented way to list them with their details.
const activeHandles = () => (process as unknown as { _getActiveHandles(): Handle[] })._getActiveHandles();

function describe(handle: Handle): string {
  const { localPort, remotePort, spawnfile, pid } = handle;
  const details = Object.entries({ localPort, remotePort, spawnfile, pid })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${value}`);
  return [handle.constructor.name, ...details].join(' ');
}

export function openHandles() {
  const own = new WeakSet(activeHandles());
  const owners = new WeakMap<object, string>();
  const foreign = () => activeHandles().filter((handle) => !own.has(handle));
  return {
    /** Called after a file: handles that are new since the file before belong to it. */
    openedBy(file: string): void {
      for (const handle of foreign()) if (!owners.has(handle)) owners.set(handle, file);
    },
    describe: (): string[] => [
      `resources: ${process.getActiveResourcesInfo().join(', ')}`,
      ...foreign().map(
        (handle) => `${describe(handle)}, opened by ${owners.get(handle) ?? 'an unknown file'}`,
      ),
    ],
  };
}
