// The same work with the queues on which users would otherwise build a webhook sender.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { freePort } from '../../packages/server/testing/free-port.ts';
import { costing, type Run, type Side } from '../harness.ts';
import { installPeers } from '../install-peers.ts';
import type { QueuePeer } from '../limits/queue-peer.ts';
import type { Receiver } from '../webhook-receiver.ts';
import { sharedService } from './service.ts';

type Work = { data: Record<string, unknown>; count: number; connections: number };

/** The peers that can run here; the others are skipped with a message. */
export async function peerSides(run: Run, receiver: Receiver, work: Work): Promise<Record<string, Side>> {
  installPeers();
  const { database_url } = await sharedService(run);
  const redis_port = await startRedis(run);
  if (redis_port === null) console.error('redis-server is not installed: BullMQ is skipped');
  return {
    'pg-boss 12.35': peerSide(run, receiver, work, { kind: 'pg-boss', database_url }),
    ...(redis_port === null
      ? {}
      : { 'BullMQ 5.58': peerSide(run, receiver, work, { kind: 'bullmq', redis_port }) }),
  };
}

function peerSide(
  run: Run,
  receiver: Receiver,
  { data, count, connections }: Work,
  queue: QueuePeer['queue'],
): Side {
  const side = run.stage.startSide<QueuePeer, { started_at: number }>(
    new URL('../limits/queue-peer.ts', import.meta.url),
  );
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const path = `/${queue.kind}`;
  return async () => {
    await receiver.ask({ ask: 'begin', secrets: { [path]: secret } });
    return costing([side.pid], async () => {
      const plan: QueuePeer = { queue, url: receiver.url, path, secret, data, count, connections };
      const [{ last_at }, { started_at }] = await Promise.all([
        receiver.ask({ ask: 'wait', deliveries: count }),
        side.ask(plan),
      ]);
      return { operations: count, value: count / ((last_at - started_at) / 1000) };
    });
  };
}

/** Syncs its log once per second, which is the usual setting. */
async function startRedis(run: Run): Promise<number | null> {
  const port = await freePort();
  const folder = await run.stage.makeFolder();
  const child = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--appendonly', 'yes', '--save', ''],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const failed = once(child, 'error').then(() => false);
  const ready = (async () => {
    let said = '';
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      said += chunk;
      if (said.includes('Ready to accept connections')) return true;
    }
    return false;
  })();
  if (!(await Promise.race([failed, ready]))) return null;
  child.stdout.on('error', () => {}).resume();
  run.stage.atClose(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  });
  return port;
}
