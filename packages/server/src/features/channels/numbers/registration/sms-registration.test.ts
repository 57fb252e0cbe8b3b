// The hourly check of numbers at their carrier: every number gets its turn, and a run ends before its lease.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { startTestApp } from '../../../../../testing/app.ts';
import { buyNumber } from '../../../../../testing/carriers/numbers-and-texts.ts';
import { systemClock } from '../../../../platform/clock.ts';
import { sql } from '../../../../platform/db/sql.ts';
import type { Carrier } from '../../../../providers/carrier/carrier.ts';

const per_run = 200;
/** Numbers that begin so cannot be checked. */
const broken = '+1415000';
const clock = systemClock();
const checked: { e164: string; at_ms: number }[] = [];
let check_seconds = 0;

const slow = (carrier: Carrier): Carrier => ({
  ...carrier,
  messaging: carrier.messaging && {
    ...carrier.messaging,
    async registration(number, progress) {
      checked.push({ e164: number.e164, at_ms: clock.ms() });
      clock.moveTo(clock.offset_ms() + check_seconds * 1000);
      if (number.e164.startsWith(broken)) throw new Error('the carrier does not know this number');
      return carrier.messaging!.registration(number, progress);
    },
  },
});

const { app, db, organization } = await startTestApp(
  {},
  { clock, replace_providers: { carrier: slow, transport: (transport) => transport } },
);

/** Its organization's own check has ended. It would go on with the copies of the number. */
async function buyChecked() {
  const number = await buyNumber(organization({ organization_id: randomUUID() }));
  await app.jobs.drain();
  return number;
}

/** Active numbers like this one that were never checked. */
const copies = (id: string, count: number, prefix: string) =>
  db.run(sql`
    insert into numbers
    select copy.* from numbers n, generate_series(1, ${count}) i,
           jsonb_populate_record(n, jsonb_build_object('id', gen_random_uuid(), 'sms_checked_at', null,
             'provider_number_id', i, 'e164', ${prefix}::text || lpad(i::text, 4, '0'))) copy
     where n.id = ${id}`);

/** When hours have passed the run is due, and the service may start it at any moment: a new time would start it twice. */
async function runHourly({ hours }: { hours: number }): Promise<string[]> {
  checked.length = 0;
  clock.moveTo(clock.offset_ms() + hours * 3_600_000);
  if (hours === 0)
    await db.run(
      sql`update jobs set run_at = ${clock.now()} where unique_key = 'every:sync_sms_registration'`,
    );
  await app.jobs.drain();
  return checked.map(({ e164 }) => e164);
}

test('numbers whose check fails do not keep the others from their check', async () => {
  const number = await buyChecked();
  await copies(number.id, per_run, broken);
  assert.equal((await runHourly({ hours: 0 })).length, per_run);
  assert.ok((await runHourly({ hours: 2 })).includes(number.e164));
});

test('a run ends before its lease when the carrier is slow, and the next run continues', async () => {
  const number = await buyChecked();
  await copies(number.id, per_run, '+1415111');
  check_seconds = 15;
  const first = await runHourly({ hours: 2 });
  assert.ok(checked.at(-1)!.at_ms - checked[0]!.at_ms < 900_000);
  const second = await runHourly({ hours: 0 });
  assert.ok(second.length > 0 && second.every((e164) => !first.includes(e164)));
});
