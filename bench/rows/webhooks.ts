// How fast events reach their receivers: durable, signed, and next to receivers that hang and a million waiting retries.
import { randomBytes } from 'node:crypto';
import { events } from '@parley/contract/event-types';
import type pg from 'pg';
import { request } from 'undici';
import { costing, median, type Row, type Run, type Sample, type Scale, type Side } from '../harness.ts';
import type { SignedPosts } from '../limits/signed-posts.ts';
import { poster, signedHeaders } from '../signed-post.ts';
import type { Service } from '../stage.ts';
import type { Receiver, ReceiverAnswer, ReceiverQuestion } from '../webhook-receiver.ts';
import { connectTo } from './service.ts';
import { peerSides } from './webhook-peers.ts';

const connections = 64;
// The speed of the machine changes from second to second, so a sample lasts several seconds.
const deliveries_of: Record<Scale, number> = { quick: 5000, normal: 40_000, full: 80_000 };
/** The peers are slower, so they get fewer messages. */
const peer_share = 4;
const waiting_of: Record<Scale, number> = { quick: 100_000, normal: 1_000_000, full: 1_000_000 };
const data = events['call.completed'].example;
const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

type Subscription = { id: string; path: string; secret: string };

async function startReceiver(run: Run): Promise<Receiver> {
  const side = run.stage.startSide<ReceiverQuestion, ReceiverAnswer>(
    new URL('../webhook-receiver.ts', import.meta.url),
  );
  const { url } = await side.ask({ ask: 'listen' });
  return { ...side, url };
}

/** A separate service for the row, whose data is deleted with it. */
async function startService(run: Run): Promise<{ service: Service; database: pg.Client }> {
  const service = await run.stage.startService({
    data_dir: await run.stage.makeFolder(),
    environment: { WEBHOOK_TIMEOUT_SECONDS: '60' },
  });
  return { service, database: await connectTo(service.database_url, run.stage) };
}

/** Over a persistent connection, without parsing the response, so that the client costs little. */
async function post(service: Service, path: string, body: unknown): Promise<Buffer> {
  const answer = await request(`${service.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  if (answer.statusCode !== 201) throw new Error(`${path} returned ${answer.statusCode}: ${bytes}`);
  return bytes;
}

async function subscribe(
  service: Service,
  receiver: Receiver,
  path: string,
  type: string,
): Promise<Subscription> {
  const target_url = receiver.url + path;
  const made = await post(service, '/v1/webhooks', { target_url, event_types: [type] });
  return { ...(JSON.parse(String(made)) as { id: string; secret: string }), path };
}

const subscribeMany = async (
  service: Service,
  receiver: Receiver,
  count: number,
  path: string,
  type: string,
) => Promise.all(Array.from({ length: count }, (_, i) => subscribe(service, receiver, `${path}${i}`, type)));

/** Several hundred deliveries per request, so that the sender is measured and not the API. */
async function makeEvents(
  service: Service,
  type: string,
  count: number,
  subscriptions: number,
): Promise<void> {
  const at_once = Math.ceil(250 / subscriptions);
  let left = count;
  const maker = async () => {
    while (left > 0) {
      const some = Math.min(at_once, left);
      left -= some;
      await post(service, '/v1/sandbox/events', { type, count: some });
    }
  };
  await Promise.all([maker(), maker(), maker()]);
}

/** From the first event to the last received delivery; each must be signed, unique and recorded. */
function drain(
  of: { service: Service; database: pg.Client; receiver: Receiver },
  subscriptions: Subscription[],
  deliveries: number,
): Side {
  const { service, database, receiver } = of;
  const secrets = Object.fromEntries(subscriptions.map(({ path, secret }) => [path, secret]));
  const ids = subscriptions.map(({ id }) => id);
  const unfinished = async () => {
    const { rows } = await database.query<{ count: string }>(
      `select (select count(*) from webhook_deliveries where subscription_id = any($1::uuid[]) and status <> 'delivered')
              + (select count(*) from event_leases where subscription_ids && $1::uuid[]) as count`,
      [ids],
    );
    return Number(rows[0]!.count);
  };
  return async () => {
    await receiver.ask({ ask: 'begin', secrets });
    const sample = await costing([service.pid], async () => {
      const start = performance.timeOrigin + performance.now();
      const [{ last_at, repeats }] = await Promise.all([
        receiver.ask({ ask: 'wait', deliveries }),
        makeEvents(service, 'call.completed', deliveries / subscriptions.length, subscriptions.length),
      ]);
      if (repeats > 0) throw new Error(`${repeats} deliveries arrived twice`);
      return { operations: deliveries, value: deliveries / ((last_at - start) / 1000) };
    });
    while ((await unfinished()) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    return sample;
  };
}

function rawPosts(run: Run, receiver: Receiver, count: number): Side {
  const loop = run.stage.startSide<SignedPosts, { seconds: number }>(
    new URL('../limits/signed-posts.ts', import.meta.url),
  );
  return async () => {
    const secret = newSecret();
    await receiver.ask({ ask: 'begin', secrets: { '/raw': secret } });
    return costing([loop.pid], async () => {
      const { seconds } = await loop.ask({
        url: receiver.url,
        path: '/raw',
        secret,
        data,
        count,
        connections,
      });
      const { repeats } = await receiver.ask({ ask: 'wait', deliveries: count });
      if (repeats > 0) throw new Error(`${repeats} arrived twice`);
      return { operations: count, value: count / seconds };
    });
  };
}

const fanOutRow = (subscriptions: number): Row => ({
  name: subscriptions === 1 ? 'webhooks' : `webhooks-fan-out-${subscriptions}`,
  subject:
    subscriptions === 1
      ? 'webhook deliveries to one subscription'
      : `webhook deliveries, each event to ${subscriptions} subscriptions`,
  limit: `signed POSTs without a database, ${connections} connections`,
  unit: 'deliveries/s',
  target: { comparison: '>=', ratio: 0.6 },
  async prepare(run) {
    const count = deliveries_of[run.scale];
    const receiver = await startReceiver(run);
    const { service, database } = await startService(run);
    const made = await subscribeMany(service, receiver, subscriptions, '/hook', 'call.completed');
    return {
      limit: rawPosts(run, receiver, count),
      subject: drain({ service, database, receiver }, made, count),
      ...(subscriptions === 1
        ? { peers: await peerSides(run, receiver, { data, count: count / peer_share, connections }) }
        : {}),
    };
  },
});

const latencyRow = (from: 'event' | 'request'): Row => ({
  name: from === 'event' ? 'webhook-latency' : 'webhook-request-latency',
  subject: `from ${from === 'event' ? 'an event' : 'the request that creates an event'} to its receiver, 100 per second (p50)`,
  limit: 'one commit and one POST',
  unit: 'ms',
  // The limit does not include the request to the service and its handling.
  target: { comparison: '<=', ratio: from === 'event' ? 2 : 2.5 },
  async prepare(run) {
    const receiver = await startReceiver(run);
    const { service, database } = await startService(run);
    const subscription = await subscribe(service, receiver, '/hook', 'call.completed');
    await database.query('create table latency (id uuid primary key, body text)');
    const apart_ms = 10;
    const count = Math.round(run.window_ms / apart_ms);

    const inTurn = async (work: () => Promise<void>) => {
      const start = performance.now();
      for (let index = 0; index < count; index++) {
        const early_ms = start + index * apart_ms - performance.now();
        if (early_ms > 0) await new Promise((resolve) => setTimeout(resolve, early_ms));
        await work();
      }
    };
    return {
      limit: async () => {
        const times: number[] = [];
        const secret = newSecret();
        await receiver.ask({ ask: 'begin', secrets: { '/raw': secret } });
        const post = poster(receiver.url, '/raw', 1);
        const body = JSON.stringify(data);
        await inTurn(async () => {
          const start = performance.now();
          const id = crypto.randomUUID();
          await database.query({
            name: 'latency',
            text: 'insert into latency values ($1, $2)',
            values: [id, body],
          });
          await post(body, signedHeaders(secret, id, body));
          times.push(performance.now() - start);
        });
        return { value: median(times) };
      },
      subject: async (): Promise<Sample> => {
        await receiver.ask({ ask: 'begin', secrets: { '/hook': subscription.secret } });
        const started: number[] = [];
        await inTurn(async () => {
          started.push(performance.timeOrigin + performance.now());
          await post(service, '/v1/sandbox/events', { type: 'call.completed' });
        });
        const { arrivals } = await receiver.ask({ ask: 'wait', deliveries: count });
        // The time of an event is taken just before its commit and truncated to milliseconds: 0.5 ms too early on average.
        // One at a time, so they arrive in the order in which they were created.
        const times = arrivals.map(
          ({ at, created_at }, index) => at - (from === 'event' ? created_at : started[index]!),
        );
        return { value: median(times) };
      },
    };
  },
});

const badNeighboursRow: Row = {
  name: 'webhooks-bad-neighbours',
  subject: 'deliveries to 10 subscriptions while 10 others hang',
  limit: 'deliveries to 10 subscriptions alone',
  unit: 'deliveries/s',
  target: { comparison: '>=', ratio: 0.9 },
  async prepare(run) {
    const count = deliveries_of[run.scale];
    const receiver = await startReceiver(run);
    const [quiet, loud] = [await startService(run), await startService(run)];
    const sideOf = async (of: typeof quiet) =>
      drain(
        { ...of, receiver },
        await subscribeMany(of.service, receiver, 10, '/hook', 'call.completed'),
        count,
      );
    const [limit, subject] = [await sideOf(quiet), await sideOf(loud)];
    await subscribeMany(loud.service, receiver, 10, '/hang', 'call.busy');
    return {
      limit,
      subject: async () => {
        // Each event also goes to ten receivers that accept it and never respond.
        await makeEvents(loud.service, 'call.busy', 200, 10);
        return subject();
      },
    };
  },
};

const waitingRow: Row = {
  name: 'webhooks-waiting',
  subject: 'deliveries next to a million waiting retries (a tenth of that with --quick)',
  limit: 'deliveries with nothing waiting',
  unit: 'deliveries/s',
  target: { comparison: '>=', ratio: 0.8 },
  async prepare(run) {
    const count = deliveries_of[run.scale];
    const receiver = await startReceiver(run);
    const [empty, full] = [await startService(run), await startService(run)];
    const sideOf = async (of: typeof empty) =>
      drain({ ...of, receiver }, [await subscribe(of.service, receiver, '/hook', 'call.completed')], count);
    const [limit, subject] = [await sideOf(empty), await sideOf(full)];
    const others = await subscribeMany(full.service, receiver, 100, '/hang', 'call.busy');
    await full.database.query(
      `insert into webhook_deliveries
         select gen_random_uuid(), '00000000-0000-0000-0000-000000000000', ($1::uuid[])[1 + n % 100], gen_random_uuid(),
                'call.busy', null, 'pending', 6, now(), now() + interval '1 day' + n * interval '1 millisecond', false, 1,
                false, '[{"error":"timeout","status_code":null,"duration_ms":15000,"attempted_at":"2026-06-06T12:00:00.000Z","response_body":null}]',
                now(), null
           from generate_series(1, ${waiting_of[run.scale]}) n`,
      [others.map(({ id }) => id)],
    );
    await full.database.query('analyze webhook_deliveries');
    return { limit, subject };
  },
};

export const webhookRows: Row[] = [
  fanOutRow(1),
  fanOutRow(10),
  fanOutRow(100),
  latencyRow('event'),
  latencyRow('request'),
  badNeighboursRow,
  waitingRow,
];
