// Call statistics: counts by status over a number of days, per organization.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallStatistics } from '@parley/contract/call-records';
import { startTestApp } from '../../../testing/app.ts';
import { codedSpeech, ended, people, place } from '../../../testing/calls.ts';

const app = await startTestApp({}, { speech: () => codedSpeech() });

test('calls are counted by status within the requested days', async () => {
  const own = app.organization();
  const stats = async (query = '') =>
    (await own.request<CallStatistics>('GET', `/v1/calls/stats${query}`)).body;
  assert.deepEqual([(await stats()).total, (await stats()).by_status.completed], [0, 0]);
  for (const number of [people.busy, people.busy]) await ended(own, (await place(own, number)).id);
  const counted = await stats();
  assert.deepEqual([counted.total, counted.by_status.busy, counted.duration_seconds], [2, 2, 0]);
  assert.equal(Date.parse(counted.to) - Date.parse(counted.from), 30 * 86_400_000);
  await app.later(2 * 86_400);
  assert.deepEqual([(await stats('?days=1')).total, (await stats('?days=3')).total], [0, 2]);
  assert.equal((await own.request('GET', '/v1/calls/stats?days=0')).status, 422);
  assert.equal((await app.organization().request<CallStatistics>('GET', '/v1/calls/stats')).body.total, 0);
});
