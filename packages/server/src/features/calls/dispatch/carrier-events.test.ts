// What carriers report about calls is stored, or the carrier is told to report it again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codedSpeech, ended, place } from '../../../../testing/calls.ts';
import { startOnTelnyx } from '../../../../testing/carriers/service.ts';
import { telnyx_connection } from '../../../../testing/carriers/telnyx.ts';
import { disturbedDatabase } from '../../../../testing/disturbed-database.ts';
import { fastClock } from '../../../../testing/fast-clock.ts';

const friend = '+14155550123';

test('an event that could not be stored is reported again by the carrier, and gives the reason of the end', async () => {
  const { db, next } = await disturbedDatabase();
  const { client, telnyx } = await startOnTelnyx(
    { TELNYX_CONNECTION_ID: telnyx_connection },
    { speech: () => codedSpeech({ clock: fastClock(1) }), db },
  );
  const number = await client.request('POST', '/v1/numbers', { country_code: 'US' });
  assert.equal(number.status, 201, number.text);
  const { id } = await place(client, friend);
  const call = await telnyx.phone.next();
  next({
    statement: /from calls\s+where provider = .* for update/s,
    async before() {
      throw new Error('the database fails over');
    },
  });
  const busy = { hangup_cause: 'user_busy', sip_hangup_cause: '486' };
  assert.equal(await call.report('call.hangup', busy), 500);
  assert.equal(await call.report('call.hangup', busy), 200);
  const record = await ended(client, id);
  assert.deepEqual([record.status, record.end_reason], ['busy', 'busy']);
});
