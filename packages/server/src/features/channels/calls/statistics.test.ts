// Statistics of calls and texts: counts by status over a number of days, per organization.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallStatistics } from '@parley/contract/channels/calls/call-records';
import type { SmsStatistics } from '@parley/contract/channels/sms/sms';
import { startTestApp } from '../../../../testing/app.ts';
import { codedSpeech, ended, people, place } from '../../../../testing/calls.ts';

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
  const { series } = await stats('?days=3');
  assert.deepEqual([series.length, series.filter(({ by_status }) => by_status.busy === 2).length], [4, 1]);
  assert.equal((await own.request('GET', '/v1/calls/stats?days=0')).status, 422);
  const too_long = await own.request('GET', '/v1/calls/stats?days=32&bucket=hour');
  assert.deepEqual([too_long.status, too_long.body.code], [422, 'invalid_time_range']);
  assert.equal((await app.organization().request<CallStatistics>('GET', '/v1/calls/stats')).body.total, 0);
});

test('texts are counted by status and hour', async () => {
  const own = app.organization();
  for (const to of ['+15005550001', '+15005550002'])
    await own.request('POST', '/v1/sms', { to, body: 'x', recipient_consent: true });
  await app.app.jobs.drain();
  const { body } = await own.request<SmsStatistics>('GET', '/v1/sms/stats?days=1&bucket=hour');
  assert.deepEqual([body.total, body.by_status.delivered, body.by_status.undelivered], [2, 1, 1]);
  assert.equal(body.series.length, 25);
  assert.deepEqual(body.series.at(-1)!.by_status, body.by_status);
  assert.equal((await app.organization().request<SmsStatistics>('GET', '/v1/sms/stats')).body.total, 0);
});
