// Computes with the window in which people may be contacted: whether a moment is inside, and the next moment that is.
import type { ContactWindow, Weekday } from '@parley/contract/rules/quiet-hours';

const minute_ms = 60_000;
const day_minutes = 1440;
/** A window has at least one day of a week; a longer search finds nothing new but changes of daylight saving time. */
const search_ms = 8 * day_minutes * minute_ms;

/** 1 January 1970 was a Thursday. */
const weekdays: readonly Weekday[] = ['thu', 'fri', 'sat', 'sun', 'mon', 'tue', 'wed'];

const formats = new Map<string, Intl.DateTimeFormat>();
function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    const part = 'numeric' as const;
    const parts = { year: part, month: part, day: part, hour: part, minute: part };
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      hourCycle: 'h23',
      ...parts,
    });
    formats.set(zone, format);
  }
  return format;
}

/** What the clocks of the zone show, as minutes since 1970 on these clocks. Such minutes repeat and skip with daylight saving. */
function localMinutes(ms: number, zone: string): number {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type)!;
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute')) / minute_ms;
}

/** As a person there reads it, such as 21:05. */
export function localTime(ms: number, zone: string): string {
  const minutes = localMinutes(ms, zone) % day_minutes;
  const two = (number: number) => String(number).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

export const minutesOf = (time: string): number => {
  const [hours, minutes] = time.split(':').map(Number) as [number, number];
  return hours * 60 + minutes;
};

/** Minutes on the local clocks until the window may open; 0 when the moment is inside. */
function minutesToOpening(local: number, { from, to, days }: ContactWindow): number {
  const of_day = local % day_minutes;
  const weekday = weekdays[Math.floor(local / day_minutes) % 7]!;
  if (!days.includes(weekday) || of_day >= minutesOf(to)) return day_minutes - of_day;
  return Math.max(0, minutesOf(from) - of_day);
}

/** The first moment at which the clocks of the zone show the time that is this many minutes ahead, or a later one. */
function whenClocksShow(ms: number, zone: string, ahead_minutes: number): number {
  const start = Math.floor(ms / minute_ms) * minute_ms;
  const target = localMinutes(start, zone) + ahead_minutes;
  let at = start + ahead_minutes * minute_ms;
  // The clocks went back meanwhile: it takes longer.
  for (
    let missing = target - localMinutes(at, zone);
    missing > 0;
    missing = target - localMinutes(at, zone)
  ) {
    at += missing * minute_ms;
  }
  // The clocks went forward: earlier, or at the change itself when they skip the time.
  const early = localMinutes(at, zone) - target;
  if (early > 0) {
    at -= early * minute_ms;
    while (localMinutes(at, zone) < target) at += minute_ms;
  }
  return at;
}

const isInside = (ms: number, zone: string, window: ContactWindow) =>
  minutesToOpening(localMinutes(ms, zone), window) === 0;

/** When the possible zones differ, it must be a good time in all of them. */
export const isAllowed = (ms: number, zones: readonly string[], window: ContactWindow): boolean =>
  zones.every((zone) => isInside(ms, zone, window));

/** The next moment that is inside the window in all zones; null when there is none, because the zones are too far apart. */
export function nextAllowed(ms: number, zones: readonly string[], window: ContactWindow): number | null {
  let at = ms;
  while (at - ms < search_ms) {
    const closed = zones.find((zone) => !isInside(at, zone, window));
    if (closed === undefined) return at;
    at = whenClocksShow(at, closed, minutesToOpening(localMinutes(at, closed), window));
  }
  return null;
}
