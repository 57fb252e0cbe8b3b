// The arithmetic of quiet hours: both changes of daylight saving time, midnight, days of the week, several time zones.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { all_weekdays, type ContactWindow } from '@parley/contract/rules/quiet-hours';
import { isAllowed, localTime, nextAllowed } from './allowed-time.ts';
import { zonesOfNumber } from './zones.ts';

const hours = (from: string, to: string, days: ContactWindow['days'] = [...all_weekdays]): ContactWindow => ({
  from,
  to,
  days,
});
const day = hours('08:00', '21:00');
const next = (at: string, zones: string[], window: ContactWindow): string | null => {
  const ms = nextAllowed(Date.parse(at), zones, window);
  return ms === null ? null : new Date(ms).toISOString().replace(':00.000Z', 'Z');
};

describe('the next allowed moment', () => {
  test('is now inside the window, and the opening before and after it', () => {
    assert.equal(next('2026-06-10T12:34Z', ['Europe/Berlin'], day), '2026-06-10T12:34Z');
    assert.equal(next('2026-06-10T04:59Z', ['Europe/Berlin'], day), '2026-06-10T06:00Z');
    assert.equal(next('2026-06-10T19:00Z', ['Europe/Berlin'], day), '2026-06-11T06:00Z');
    assert.equal(isAllowed(Date.parse('2026-06-10T18:59:59Z'), ['Europe/Berlin'], day), true);
    assert.equal(isAllowed(Date.parse('2026-06-10T19:00:00Z'), ['Europe/Berlin'], day), false);
  });

  test('is on the minute, also when asked at some second', () => {
    const ms = nextAllowed(Date.parse('2026-06-10T05:59:59.999Z'), ['Europe/Berlin'], day);
    assert.equal(new Date(ms!).toISOString(), '2026-06-10T06:00:00.000Z');
  });

  test('is right in the night in which clocks go forward', () => {
    // Berlin: 29 March 2026, 02:00 becomes 03:00.
    assert.equal(next('2026-03-28T22:00Z', ['Europe/Berlin'], day), '2026-03-29T06:00Z');
    // New York: 8 March 2026, at 07:00 UTC.
    assert.equal(next('2026-03-08T05:30Z', ['America/New_York'], day), '2026-03-08T12:00Z');
    // 02:30 does not exist: the first moment after it.
    assert.equal(next('2026-03-29T00:10Z', ['Europe/Berlin'], hours('02:30', '21:00')), '2026-03-29T01:00Z');
    // Beirut skips the hour after midnight.
    assert.equal(next('2026-03-28T20:00Z', ['Asia/Beirut'], hours('00:30', '20:00')), '2026-03-28T22:00Z');
  });

  test('is right in the night in which clocks go back', () => {
    // Berlin: 25 October 2026, 03:00 becomes 02:00.
    assert.equal(next('2026-10-24T22:00Z', ['Europe/Berlin'], day), '2026-10-25T07:00Z');
    assert.equal(next('2026-11-01T03:00Z', ['America/New_York'], day), '2026-11-01T13:00Z');
    // 02:30 exists twice: the first one.
    assert.equal(next('2026-10-24T23:00Z', ['Europe/Berlin'], hours('02:30', '21:00')), '2026-10-25T00:30Z');
  });

  test('crosses midnight, the end of the month and days that are not allowed', () => {
    assert.equal(next('2026-12-31T23:30Z', ['UTC'], day), '2027-01-01T08:00Z');
    assert.equal(next('2026-06-10T23:59Z', ['UTC'], hours('00:00', '08:00')), '2026-06-11T00:00Z');
    assert.equal(next('2026-06-10T23:59Z', ['UTC'], hours('20:00', '24:00')), '2026-06-10T23:59Z');
    const weekdays = hours('09:00', '17:00', ['mon', 'tue', 'wed', 'thu', 'fri']);
    // 12 June 2026 is a Friday.
    assert.equal(next('2026-06-12T17:00Z', ['UTC'], weekdays), '2026-06-15T09:00Z');
    // It is already Saturday in Auckland.
    assert.equal(next('2026-06-12T12:30Z', ['Pacific/Auckland'], weekdays), '2026-06-14T21:00Z');
    // The only day of the week has just ended.
    assert.equal(next('2026-06-10T21:00Z', ['UTC'], hours('08:00', '21:00', ['wed'])), '2026-06-17T08:00Z');
  });

  test('is inside the window in all possible zones', () => {
    const coasts = ['America/New_York', 'America/Los_Angeles'];
    assert.equal(next('2026-06-10T12:30Z', coasts, day), '2026-06-10T15:00Z');
    assert.equal(next('2026-06-11T01:00Z', coasts, day), '2026-06-11T15:00Z');
    assert.equal(isAllowed(Date.parse('2026-06-11T00:30Z'), coasts, day), true);
    assert.equal(
      next('2026-06-10T12:30Z', ['Europe/London', 'Pacific/Auckland'], hours('10:00', '16:00')),
      null,
    );
  });
});

test('every opening of two years is the first moment inside the window', () => {
  const zones = ['America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'America/St_Johns'];
  for (const zone of zones) {
    let at = Date.parse('2026-01-01T00:17:23Z');
    for (let days = 0; days < 730; days++, at += 86_400_000) {
      const found = nextAllowed(at, [zone], day)!;
      assert.ok(isAllowed(found, [zone], day));
      if (found > at)
        assert.deepEqual([localTime(found, zone), isAllowed(found - 1, [zone], day)], ['08:00', false]);
      assert.ok(found - at < 13 * 3_600_000, `${zone} ${new Date(at).toISOString()}`);
    }
  }
});

describe('the zones of a number', () => {
  test('come from its longest known prefix', () => {
    assert.deepEqual(zonesOfNumber('+12125550123'), ['America/New_York']);
    assert.deepEqual(zonesOfNumber('+14155550123'), ['America/Los_Angeles']);
    assert.deepEqual(zonesOfNumber('+4930901820'), ['Europe/Berlin']);
    assert.deepEqual(zonesOfNumber('+351912345678').toSorted(), ['Atlantic/Azores', 'Europe/Lisbon']);
  });

  test('are all zones of the calling code when the prefix does not tell', () => {
    const toll_free = zonesOfNumber('+18005550123');
    assert.ok(toll_free.includes('Pacific/Honolulu') && toll_free.includes('America/St_Johns'));
    assert.notEqual(nextAllowed(Date.parse('2026-06-10T12:30Z'), toll_free, day), null);
  });

  test('are unknown for networks without a country', () => {
    assert.deepEqual(zonesOfNumber('+999123456'), []);
  });
});
