// Runs a test file in a network namespace of its own: LiveKit's media uses the address of a network interface, and no packet may
// leave the machine.
import { spawn, spawnSync } from 'node:child_process';
import { test } from 'node:test';

/** From the range for measurements (RFC 2544). It exists only in the namespace. */
export const own_address = '198.18.0.1';

const marker = 'TEST_OWN_NETWORK';
const set_up = [
  'ip link set lo up',
  'ip link add parley0 type veth peer name parley1',
  `ip address add ${own_address}/30 dev parley0`,
  'ip link set parley0 up',
  'ip link set parley1 up',
].join(' && ');

const unshare = ['unshare', '--net', '--mount-proc', '--fork', '--kill-child', '--pid'];

export const own_network_is_missing =
  spawnSync(unshare[0]!, [...unshare.slice(1), 'sh', '-c', set_up]).status === 0
    ? false
    : 'this user may not create network namespaces';

export const isInOwnNetwork = () => process.env[marker] === '1';

/** The command that runs `command` in a new namespace. */
export const inOwnNetwork = (command: readonly string[]): [string, string[]] => [
  unshare[0]!,
  [...unshare.slice(1), 'sh', '-c', `${set_up} && exec "$@"`, 'sh', ...command],
];

/**
 * Registers `define`'s tests, in a process of their own inside the namespace. The calling process has one test, which fails with
 * their output.
 */
export async function testsInOwnNetwork(
  file: string,
  skip: string | false,
  define: () => void | Promise<void>,
): Promise<void> {
  if (isInOwnNetwork()) {
    await define();
    return;
  }
  test(`in a network of its own: ${file.replace(/^.*\//, '')}`, {
    skip: skip || own_network_is_missing,
    timeout: 900_000,
  }, async (t) => {
    const [program, parameters] = inOwnNetwork([process.execPath, '--test', '--test-reporter=spec', file]);
    const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...environment } = process.env;
    const child = spawn(program, parameters, {
      env: { ...environment, [marker]: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes) => {
        output += bytes;
      });
    const code = await new Promise((resolve) => child.once('exit', resolve));
    t.diagnostic(output.slice(-4000));
    if (code !== 0) throw new Error(output.slice(-20_000));
  });
}
