// Peer of the webhook sender: the same signed POSTs, queued and completed by a library.
import { randomUUID } from 'node:crypto';
import { requirePeer } from '../install-peers.ts';
import { answerQuestions } from '../side-process.ts';
import { type Post, poster, signedHeaders } from '../signed-post.ts';

export type QueuePeer = {
  queue: { kind: 'pg-boss'; database_url: string } | { kind: 'bullmq'; redis_port: number };
  url: string;
  path: string;
  secret: string;
  data: Record<string, unknown>;
  count: number;
  connections: number;
};

type Message = { id: string; body: string };
/** The parts of the peers that are used here: they are not part of the default install, so neither are their types. */
type Job = { data: Message };
type PgBossModule = {
  PgBoss: new (options: {
    connectionString: string;
    schema: string;
  }) => {
    on(name: 'error', listener: (error: Error) => void): void;
    start(): Promise<unknown>;
    createQueue(name: string): Promise<void>;
    work(
      name: string,
      options: { batchSize: number; pollingIntervalSeconds: number },
      handler: (jobs: Job[]) => Promise<void>,
    ): Promise<unknown>;
    insert(name: string, jobs: Job[]): Promise<unknown>;
  };
};
type Connection = { host: string; port: number; maxRetriesPerRequest: null };
type BullMqModule = {
  Queue: new (
    name: string,
    options: { connection: Connection },
  ) => { addBulk(jobs: { name: string; data: Message }[]): Promise<unknown> };
  Worker: new (
    name: string,
    handler: (job: Job) => Promise<void>,
    options: { connection: Connection; concurrency: number; removeOnComplete: { count: number } },
  ) => { waitUntilReady(): Promise<unknown> };
};

/** Adds messages to the durable queue, and sends everything in it. */
type Queue = { add(messages: Message[]): Promise<void> };

const batch = 250;

async function pgBoss(database_url: string, send: (message: Message) => Promise<void>): Promise<Queue> {
  const { PgBoss } = requirePeer('pg-boss') as PgBossModule;
  const boss = new PgBoss({ connectionString: database_url, schema: 'peer' });
  boss.on('error', (error) => console.error(error));
  await boss.start();
  await boss.createQueue('webhooks');
  for (let worker = 0; worker < 4; worker++) {
    await boss.work('webhooks', { batchSize: 500, pollingIntervalSeconds: 0.5 }, async (jobs) => {
      await Promise.all(jobs.map((job) => send(job.data)));
    });
  }
  return {
    add: (messages) =>
      boss
        .insert(
          'webhooks',
          messages.map((data) => ({ data })),
        )
        .then(() => {}),
  };
}

async function bullMq(
  port: number,
  connections: number,
  send: (message: Message) => Promise<void>,
): Promise<Queue> {
  const { Queue, Worker } = requirePeer('bullmq') as BullMqModule;
  const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null };
  const queue = new Queue('webhooks', { connection });
  const worker = new Worker('webhooks', (job) => send(job.data), {
    connection,
    concurrency: connections,
    removeOnComplete: { count: 0 },
  });
  await worker.waitUntilReady();
  return {
    add: (messages) => queue.addBulk(messages.map((data) => ({ name: 'webhook', data }))).then(() => {}),
  };
}

let opened: Promise<Queue> | null = null;
let post: Post;
let secret: string;

answerQuestions<QueuePeer, { started_at: number }>(async (plan) => {
  const { queue, count, data } = plan;
  secret = plan.secret;
  post ??= poster(plan.url, plan.path, plan.connections);
  const send = ({ id, body }: Message) => post(body, signedHeaders(secret, id, body));
  opened ??=
    queue.kind === 'pg-boss'
      ? pgBoss(queue.database_url, send)
      : bullMq(queue.redis_port, plan.connections, send);
  const { add } = await opened;
  const started_at = performance.timeOrigin + performance.now();
  let left = count;
  const maker = async () => {
    while (left > 0) {
      const some = Math.min(batch, left);
      left -= some;
      await add(
        Array.from({ length: some }, () => {
          const id = randomUUID();
          return { id, body: JSON.stringify({ id, type: 'call.completed', data }) };
        }),
      );
    }
  };
  await Promise.all([maker(), maker(), maker()]);
  return { started_at };
});
