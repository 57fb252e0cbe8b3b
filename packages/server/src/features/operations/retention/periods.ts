// Which retention applies to an organization: what it set, with the defaults and the limits of the service.
import {
  type Retention,
  type RetentionKind,
  type RetentionPatch,
  retentionKinds,
} from '@parley/contract/operations/retention';

export type Periods = Record<RetentionKind, number | null>;

/** `days` in each field; null: kept without a limit. `max`: an organization may not set more. */
export type ServicePeriods = { defaults: Periods; max: Periods };

/** `max_days` 0: content, recordings and records are kept until an organization sets a retention. */
export function servicePeriods(settings: {
  max_days: number;
  events_days: number;
  quarantine_days: number;
  requests_days: number;
}): ServicePeriods {
  const max_days = settings.max_days === 0 ? null : settings.max_days;
  const max: Periods = {
    ...{ messages: max_days, recordings: max_days, records: max_days, quarantine: max_days },
    events: settings.events_days,
    requests: Math.max(1, settings.requests_days),
  };
  return { max, defaults: { ...max, quarantine: shortest(settings.quarantine_days, max_days) } };
}

/** Undefined when the periods are possible. */
export function problemOf(periods: Periods, { max }: ServicePeriods) {
  for (const kind of retentionKinds) {
    const [days, limit] = [periods[kind], max[kind]];
    if (days !== null && limit !== null && days > limit)
      return {
        path: `body.${kind}`,
        message: `Expected at most ${limit}: the service does not keep it longer`,
      };
  }
  for (const kind of ['messages', 'recordings'] as const)
    if (periods.records !== null && periods[kind] !== null && periods.records < periods[kind])
      return { path: 'body.records', message: `Expected at least the ${periods[kind]} days of ${kind}` };
  return undefined;
}

/** A record that is deleted takes its content with it, and events are copies of content. */
export function effectivePeriods(own: Periods, { defaults, max }: ServicePeriods): Retention['effective'] {
  const of = (kind: RetentionKind) => shortest(own[kind] ?? defaults[kind], max[kind]);
  const records = of('records');
  const messages = shortest(of('messages'), records);
  return {
    messages,
    recordings: shortest(of('recordings'), records),
    records,
    events: shortest(of('events'), messages),
    quarantine: shortest(of('quarantine'), records),
    requests: of('requests'),
  };
}

export const withPatch = (own: Periods, patch: RetentionPatch): Periods =>
  Object.fromEntries(
    retentionKinds.map((kind) => [kind, patch[kind] === undefined ? own[kind] : patch[kind]]),
  ) as Periods;

function shortest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
