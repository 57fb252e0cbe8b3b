// Statistics: exact at the edges of buckets, days and time zones.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { EmailListItem } from '@parley/contract/channels/emails/email-records';
import type { EmailStatistics } from '@parley/contract/channels/emails/email-statistics';
import { type Client, startTestApp } from '../../../../../testing/app.ts';
import { systemClock } from '../../../../platform/clock.ts';
import { sql } from '../../../../platform/db/sql.ts';
import { uuidv7Ids } from '../../../../platform/ids.ts';
import { type TimelineEntry, timelineStore } from '../timeline-store.ts';

const { app, db, organization } = await startTestApp();
const timeline = timelineStore(db);
const ids = uuidv7Ids(systemClock());

/** Puts entries into the timeline as if they had happened then. */
const happened = (of: Client, entries: [at: string, ...counted: TimelineEntry['counted']][]) =>
  db.transaction((tx) =>
    timeline.add(
      tx,
      entries.map(([occurred_at, ...counted]) => ({
        id: ids.next(),
        organization_id: of.organization_id,
        email_id: randomUUID(),
        kind: 'sent',
        occurred_at,
        detail: {},
        dedupe_key: 'x',
        counted,
      })),
    ),
  );
const stats = async (of: Client, query: Record<string, string>) => {
  const answer = await of.request<EmailStatistics>('GET', `/v1/emails/stats?${new URLSearchParams(query)}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};
const sentSeries = (body: EmailStatistics) =>
  Object.fromEntries(
    body.series.filter((bucket) => bucket.sent > 0).map((bucket) => [bucket.bucket_start, bucket.sent]),
  );

describe('the window', () => {
  test('includes its first millisecond and excludes its last', async () => {
    const own = organization();
    await happened(own, [
      ['2026-03-10T10:29:59.999Z', 'sent'],
      ['2026-03-10T10:30:00.000Z', 'sent'],
      ['2026-03-10T10:59:59.999Z', 'sent'],
      ['2026-03-10T11:00:00.000Z', 'sent'],
      ['2026-03-10T12:15:00.000Z', 'sent'],
      ['2026-03-10T12:29:59.999Z', 'sent'],
      ['2026-03-10T12:30:00.000Z', 'sent'],
    ]);
    const body = await stats(own, {
      from: '2026-03-10T10:30:00Z',
      to: '2026-03-10T12:30:00Z',
      bucket: 'hour',
    });
    assert.equal(body.totals.sent, 5);
    assert.deepEqual(sentSeries(body), {
      '2026-03-10T10:00:00.000Z': 2,
      '2026-03-10T11:00:00.000Z': 1,
      '2026-03-10T12:00:00.000Z': 2,
    });
    assert.equal(body.from, '2026-03-10T10:30:00.000Z');
    const within = await stats(own, {
      from: '2026-03-10T10:30:00Z',
      to: '2026-03-10T10:59:59.999Z',
      bucket: 'hour',
    });
    assert.equal(within.totals.sent, 1);
  });

  test('accepts any time zone and is divided into UTC days', async () => {
    const own = organization();
    await happened(own, [
      ['2026-03-28T22:59:59.000Z', 'sent'],
      ['2026-03-28T23:30:00.000Z', 'sent'],
      ['2026-03-29T00:30:00.000Z', 'sent'],
      ['2026-03-29T21:59:59.999Z', 'sent'],
      ['2026-03-29T22:00:00.000Z', 'sent'],
    ]);
    // One local day in Berlin, on which the clocks go forward: 23 hours.
    const body = await stats(own, { from: '2026-03-29T00:00:00+01:00', to: '2026-03-30T00:00:00+02:00' });
    assert.equal(body.totals.sent, 3);
    assert.deepEqual(sentSeries(body), { '2026-03-28T00:00:00.000Z': 1, '2026-03-29T00:00:00.000Z': 2 });
    assert.deepEqual(
      body.series.map((bucket) => bucket.bucket_start),
      ['2026-03-28T00:00:00.000Z', '2026-03-29T00:00:00.000Z'],
    );
  });

  test('has all buckets, including empty ones, and their sum is the total', async () => {
    const own = organization();
    await happened(own, [['2026-02-01T05:00:00.000Z', 'sent', 'delivered']]);
    const days = await stats(own, { from: '2025-06-01T00:00:00Z', to: '2026-06-02T00:00:00Z' });
    assert.equal(days.series.length, 366);
    const hours = await stats(own, {
      from: '2026-01-15T00:00:00Z',
      to: '2026-02-15T00:00:00Z',
      bucket: 'hour',
    });
    assert.equal(hours.series.length, 31 * 24);
    for (const body of [days, hours]) {
      assert.equal(
        body.series.reduce((sum, bucket) => sum + bucket.sent, 0),
        body.totals.sent,
      );
      assert.equal(body.totals.sent, 1);
    }
  });

  test('is the last thirty days by default; an invalid one is refused', async () => {
    const own = organization();
    const body = await stats(own, {});
    assert.equal(Date.parse(body.to) - Date.parse(body.from), 30 * 86_400_000);
    assert.equal(body.bucket, 'day');
    assert.ok(body.series.length >= 30 && body.series.length <= 31);
    for (const query of [
      { from: '2026-03-02T00:00:00Z', to: '2026-03-01T00:00:00Z' },
      { from: '2025-01-01T00:00:00Z', to: '2026-03-01T00:00:00Z' },
      { from: '2026-01-01T00:00:00Z', to: '2026-02-02T00:00:00Z', bucket: 'hour' },
    ]) {
      const answer = await own.request('GET', `/v1/emails/stats?${new URLSearchParams(query)}`);
      assert.deepEqual([answer.status, answer.body.code], [422, 'invalid_time_range']);
    }
    for (const bad of [
      'from=yesterday',
      'to=2026-13-01T00:00:00Z',
      'bucket=week',
      'from=',
      'from=1969-12-31T23:59:59Z',
    ]) {
      const answer = await own.request('GET', `/v1/emails/stats?${bad}`);
      assert.deepEqual([answer.status, (answer.body.errors as unknown[]).length], [422, 1], bad);
    }
    // M11: the two may be equal; the contract says so.
    for (const moment of ['2026-03-01T00:00:00Z', '2026-03-01T10:30:00.500Z']) {
      const empty = await stats(own, { from: moment, to: moment });
      assert.deepEqual([empty.series, empty.totals.sent], [[], 0]);
      assert.equal(empty.from, empty.to);
    }
  });
});

test('counters, rates and the outcomes in the list follow from the delivery reports', async () => {
  const own = organization();
  const send = (to: string, body_html?: string) =>
    own.request('POST', '/v1/emails', {
      recipient_consent: true,
      to: [to],
      subject: 'x',
      ...(body_html ? { body_html } : {}),
    });
  for (const to of ['delivered', 'bounced', 'softbounced', 'delayed', 'complained', 'rejected'])
    await send(`${to}@sandbox.test`);
  await send('clicked@sandbox.test', '<p><a href="https://example.com/">x</a></p>');
  await app.jobs.drain();
  const { totals, rates } = await stats(own, {});
  assert.deepEqual(totals, {
    sent: 6,
    delivered: 3,
    delivery_delayed: 1,
    bounced: 2,
    bounced_hard: 1,
    complained: 1,
    rejected: 1,
    opened: 1,
    clicked: 1,
    unique_opened: 1,
    unique_clicked: 1,
  });
  assert.deepEqual(rates, { delivery: 0.5, bounce: 2 / 6, complaint: 1 / 6, open: 1 / 3, click: 1 / 3 });
  const outcomes = async () => {
    const { body } = await own.request<{ items: EmailListItem[] }>('GET', '/v1/emails');
    return Object.fromEntries(
      body.items.map((item) => [item.to_addresses[0]!.split('@')[0], item.last_outcome]),
    );
  };
  const expected = {
    delivered: 'delivered',
    bounced: 'bounced',
    softbounced: 'bounced',
    delayed: 'delivery_delayed',
    complained: 'complained',
    rejected: 'failed',
    clicked: 'clicked',
  };
  assert.deepEqual(await outcomes(), expected);
  // As if an older release had stored them.
  await db.run(sql`update emails set last_outcome = null where organization_id = ${own.organization_id}`);
  assert.deepEqual(await outcomes(), expected);
  const none = await stats(organization(), {});
  assert.deepEqual(none.rates, { delivery: 0, bounce: 0, complaint: 0, open: 0, click: 0 });
});

test('merging the counter slots of past hours changes no count', async () => {
  const own = organization();
  for (let i = 0; i < 20; i++)
    await happened(own, [
      [`2026-04-10T1${i % 3}:05:00.000Z`, 'sent', ...(i % 2 ? (['delivered'] as const) : [])],
    ]);
  const window = { from: '2026-04-10T00:00:00Z', to: '2026-04-11T00:00:00Z', bucket: 'hour' };
  const before = await stats(own, window);
  const rows = async () =>
    (await db.rows(sql`select 1 from email_counters where organization_id = ${own.organization_id}`)).length;
  assert.ok((await rows()) > 3);
  await app.jobs.enqueue(db, { kind: 'join_email_counters' });
  await app.jobs.drain();
  assert.equal(await rows(), 3);
  assert.deepEqual(await stats(own, window), before);
  assert.equal(before.totals.sent, 20);
});
