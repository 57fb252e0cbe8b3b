// How the sending capacity is shared between subscriptions, without a network.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  claimCapacity,
  createQueues,
  enqueue,
  expireRecent,
  finish,
  fullQueues,
  type InFlight,
  removeQueued,
  type SubscriptionQueues,
  takeNext,
} from './subscription-queues.ts';

const limits = {
  max_recent: 16,
  max_in_flight: 32,
  concurrency_start: 4,
  concurrency_max: 8,
  max_queued: 1000,
  max_queued_unproven: 100,
};
const newQueues = () => createQueues<string>(limits);
const many = (name: string, count = 50) => Array.from({ length: count }, (_, i) => `${name}${i}`);

/** Takes everything that may be sent now. */
function takeAll(queues: SubscriptionQueues<string>): InFlight<string>[] {
  const taken: InFlight<string>[] = [];
  for (let next = takeNext(queues, 0); next; next = takeNext(queues, 0)) taken.push(next);
  return taken;
}

/** Makes a queue proven by one successful attempt. */
function prove(queues: SubscriptionQueues<string>, id: string) {
  enqueue(queues, id, ['first']);
  finish(queues, takeNext(queues, 0)!, 'fast');
}

test('a new queue has a few attempts in flight, and one more for each success', () => {
  const queues = newQueues();
  enqueue(queues, 'a', many('a'));
  const first = takeAll(queues);
  assert.equal(first.length, 4);
  for (const attempt of first) finish(queues, attempt, 'fast');
  assert.equal(takeAll(queues).length, 8);
});

test('queues take turns, however many items each of them has', () => {
  const queues = newQueues();
  for (const id of ['a', 'b', 'c']) prove(queues, id);
  enqueue(queues, 'a', many('a', 500));
  enqueue(queues, 'b', many('b', 2));
  enqueue(queues, 'c', many('c', 2));
  const order = [1, 2, 3, 4, 5, 6].map(() => takeNext(queues, 0)!.subscription_id);
  assert.deepEqual(order, ['a', 'b', 'c', 'a', 'b', 'c']);
});

test('a queue keeps the order of its items', () => {
  const queues = newQueues();
  enqueue(queues, 'a', many('a', 3000));
  const seen: string[] = [];
  for (let next = takeNext(queues, 0); next; next = takeNext(queues, 0)) {
    seen.push(next.item);
    finish(queues, next, 'fast');
  }
  assert.deepEqual(seen, many('a', 3000));
  assert.equal(queues.queued, 0);
});

test('a queue that fails goes down to one attempt at a time, and successes raise it again', () => {
  const queues = newQueues();
  enqueue(queues, 'a', many('a'));
  for (const attempt of takeAll(queues)) finish(queues, attempt, 'failed');
  const [only, ...more] = takeAll(queues);
  assert.deepEqual(more, []);
  finish(queues, only!, 'fast');
  assert.equal(takeAll(queues).length, 2);
});

test('unproven queues never use more than half, so that a healthy one always gets through', () => {
  const queues = newQueues();
  prove(queues, 'healthy');
  for (let i = 0; i < 20; i++) enqueue(queues, `hanging${i}`, many('x'));
  assert.equal(takeAll(queues).length, 8);
  enqueue(queues, 'healthy', many('h'));
  const healthy = takeAll(queues).filter(({ subscription_id }) => subscription_id === 'healthy');
  assert.equal(healthy.length, 5);
});

test('attempts that take long let others start, up to the limit over all queues', () => {
  const queues = newQueues();
  for (let i = 0; i < 20; i++) enqueue(queues, `hanging${i}`, many('x'));
  assert.equal(takeAll(queues).length, 8);
  assert.equal(expireRecent(queues, -1), false);
  assert.equal(takeNext(queues, 0), null);
  assert.equal(expireRecent(queues, 0), true);
  assert.equal(takeAll(queues).length, 8);
  expireRecent(queues, 0);
  assert.deepEqual(takeAll(queues), [], 'half of the limit is left for proven queues');
});

test('a slow queue gets no more attempts at a time than a new one', () => {
  const queues = newQueues();
  enqueue(queues, 'a', many('a'));
  for (let round = 0; round < 5; round++)
    for (const attempt of takeAll(queues)) finish(queues, attempt, 'slow');
  assert.equal(takeAll(queues).length, 4);
});

test('an unproven queue with many items is full, and nothing more is claimed for it', () => {
  const queues = newQueues();
  enqueue(queues, 'a', many('a', 100));
  assert.deepEqual(fullQueues(queues), ['a']);
  assert.equal(claimCapacity(queues, 'a'), 0);
  assert.equal(claimCapacity(queues, 'new'), 16);
});

test('removing the queued items leaves those in flight', () => {
  const queues = newQueues();
  enqueue(queues, 'a', many('a', 10));
  const taken = takeAll(queues);
  assert.deepEqual(
    removeQueued(queues, 'a').map(({ item }) => item),
    many('a', 10).slice(4),
  );
  assert.deepEqual([queues.queued, queues.in_flight], [0, 4]);
  for (const attempt of taken) finish(queues, attempt, 'no_result');
  assert.equal(takeNext(queues, 0), null);
});
