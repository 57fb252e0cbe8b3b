// How the sender is shared out between subscriptions, without a network.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Flight, makeLanes } from './subscription-queues.ts';

const limits = {
  max_prompt: 16,
  max_in_flight: 32,
  lane_start: 4,
  lane_max: 8,
  max_queued: 1000,
  max_queued_in_doubt: 100,
};
const many = (name: string, count = 50) => Array.from({ length: count }, (_, i) => `${name}${i}`);

/** Takes everything that may be sent now. */
function takeAll(lanes: ReturnType<typeof makeLanes<string>>): Flight<string>[] {
  const taken: Flight<string>[] = [];
  for (let flight = lanes.take(0); flight; flight = lanes.take(0)) taken.push(flight);
  return taken;
}
const byLane = (flights: Flight<string>[], id: string) => flights.filter((flight) => flight.lane_id === id);

/** A lane that has succeeded before. */
function prove(lanes: ReturnType<typeof makeLanes<string>>, id: string) {
  lanes.add(id, ['first']);
  lanes.done(lanes.take(0)!, 'fast');
}

test('a new lane has a few on the way, and one more for each success', () => {
  const lanes = makeLanes<string>(limits);
  lanes.add('a', many('a'));
  const first = takeAll(lanes);
  assert.equal(first.length, 4);
  for (const flight of first) lanes.done(flight, 'fast');
  assert.equal(takeAll(lanes).length, 8);
});

test('lanes take turns, however much each has waiting', () => {
  const lanes = makeLanes<string>(limits);
  for (const id of ['a', 'b', 'c']) prove(lanes, id);
  lanes.add('a', many('a', 500));
  lanes.add('b', many('b', 2));
  lanes.add('c', many('c', 2));
  const order = [1, 2, 3, 4, 5, 6].map(() => lanes.take(0)!.lane_id);
  assert.deepEqual(order, ['a', 'b', 'c', 'a', 'b', 'c']);
});

test('what waits in a lane keeps its order', () => {
  const lanes = makeLanes<string>(limits);
  lanes.add('a', many('a', 3000));
  const seen: string[] = [];
  for (let flight = lanes.take(0); flight; flight = lanes.take(0)) {
    seen.push(flight.item);
    lanes.done(flight, 'fast');
  }
  assert.deepEqual(seen, many('a', 3000));
  assert.equal(lanes.queued(), 0);
});

test('a lane that fails goes down to one at a time, and earns its place back', () => {
  const lanes = makeLanes<string>(limits);
  lanes.add('a', many('a'));
  for (const flight of takeAll(lanes)) lanes.done(flight, 'failed');
  const [only, ...more] = takeAll(lanes);
  assert.deepEqual(more, []);
  lanes.done(only!, 'fast');
  assert.equal(takeAll(lanes).length, 2);
});

test('lanes in doubt never take more than half, so that a healthy one always gets through', () => {
  const lanes = makeLanes<string>(limits);
  prove(lanes, 'healthy');
  for (let i = 0; i < 20; i++) lanes.add(`hanging${i}`, many('x'));
  assert.equal(takeAll(lanes).length, 8);
  lanes.add('healthy', many('h'));
  assert.equal(byLane(takeAll(lanes), 'healthy').length, 5);
});

test('attempts that take long make room for others, up to the limit of all', () => {
  const lanes = makeLanes<string>(limits);
  for (let i = 0; i < 20; i++) lanes.add(`hanging${i}`, many('x'));
  assert.equal(takeAll(lanes).length, 8);
  assert.equal(lanes.overtake(-1), false);
  assert.equal(lanes.take(0), null);
  assert.equal(lanes.overtake(0), true);
  assert.equal(takeAll(lanes).length, 8);
  lanes.overtake(0);
  assert.deepEqual(takeAll(lanes), [], 'half of all is left for lanes without doubt');
});

test('a slow lane gets no more at a time than a new one', () => {
  const lanes = makeLanes<string>(limits);
  lanes.add('a', many('a'));
  for (let round = 0; round < 5; round++) for (const flight of takeAll(lanes)) lanes.done(flight, 'slow');
  assert.equal(takeAll(lanes).length, 4);
});

test('a lane in doubt that has much waiting is full, and a claim brings it nothing', () => {
  const lanes = makeLanes<string>(limits);
  lanes.add('a', many('a', 100));
  assert.deepEqual(lanes.full(), ['a']);
  assert.equal(lanes.room('a'), 0);
  assert.equal(lanes.room('new'), 16);
});

test('emptying a lane leaves what is on the way', () => {
  const lanes = makeLanes<string>(limits);
  lanes.add('a', many('a', 10));
  const flights = takeAll(lanes);
  assert.deepEqual(
    lanes.empty('a').map(({ item }) => item),
    many('a', 10).slice(4),
  );
  assert.deepEqual([lanes.queued(), lanes.inFlight()], [0, 4]);
  for (const flight of flights) lanes.done(flight, 'cut');
  assert.equal(lanes.take(0), null);
});
