// Judges whether the recipient of a call or text may be contacted at a moment, by the quiet hours of the organization.
import type { Channel } from '@parley/contract/access/admin';
import type { Purpose } from '@parley/contract/rules/approvals/hold';
import {
  type ContactWindow,
  marketing_hours,
  type QuietHours,
  reply_exemption_minutes,
} from '@parley/contract/rules/quiet-hours';
import type { Clock } from '../../../platform/clock.ts';
import type { SendingRulesFeature } from '../sending-rules/index.ts';
import { isAllowed, localTime, nextAllowed } from './allowed-time.ts';
import type { QuietHoursStore } from './store.ts';
import { zonesOfNumber } from './zones.ts';

export type Contacting = {
  organization_id: string;
  channel: Channel;
  recipients: readonly string[];
  purpose: Purpose;
  /** When it would be sent. */
  at_ms: number;
};

export type HoursVerdict =
  | { is_allowed: true; detail: string }
  | {
      is_allowed: false;
      on_violation: QuietHours['on_violation'];
      /** Null when no moment is inside the window in all zones that are possible for the number. */
      next_at: string | null;
      /** One sentence for people. */
      message: string;
    };

type HoursDeps = { rules: Pick<SendingRulesFeature, 'of'>; store: QuietHoursStore; clock: Clock };

/** Marketing has quiet hours also where nobody set any; a person can set others, or none. */
const ruleFor = ({ quiet_hours }: { quiet_hours: QuietHours | null }, purpose: Purpose): QuietHours | null =>
  quiet_hours ?? (purpose === 'marketing' ? marketing_hours : null);

/** Null when no rule applies; a promise only when there is one, or the cached rules are old. */
export function quietHoursJudge(deps: HoursDeps) {
  return (contacting: Contacting): HoursVerdict | null | Promise<HoursVerdict | null> => {
    const { organization_id, channel, purpose } = contacting;
    if (channel === 'emails') return null;
    const rules = deps.rules.of(organization_id);
    if (rules instanceof Promise) return rules.then((now) => judge(now));
    return judge(rules);

    function judge(now: { quiet_hours: QuietHours | null }): HoursVerdict | null | Promise<HoursVerdict> {
      const rule = ruleFor(now, purpose);
      const window = rule && channel !== 'emails' ? rule[channel] : null;
      return window ? judgeBy(deps, rule!, window, contacting) : null;
    }
  };
}
export type QuietHoursJudge = ReturnType<typeof quietHoursJudge>;

async function judgeBy(
  deps: HoursDeps,
  rule: QuietHours,
  window: ContactWindow,
  { organization_id, recipients, purpose, at_ms }: Contacting,
): Promise<HoursVerdict> {
  if (purpose === 'transactional' && rule.exempt.includes('transactional')) {
    return { is_allowed: true, detail: 'transactional' };
  }
  const zones = [
    ...new Set(
      (await Promise.all(recipients.map((e164) => zonesOf(deps, rule, organization_id, e164)))).flat(),
    ),
  ];
  if (isAllowed(at_ms, zones, window)) return { is_allowed: true, detail: named(zones) };
  if (rule.exempt.includes('reply_60m')) {
    const since = new Date(at_ms - reply_exemption_minutes * 60_000);
    const heard = await Promise.all(
      recipients.map((e164) => deps.store.hasHeardFrom(organization_id, e164, since)),
    );
    if (heard.every(Boolean)) return { is_allowed: true, detail: 'reply_60m' };
  }
  const next_ms = nextAllowed(at_ms, zones, window);
  const next_at = next_ms === null ? null : new Date(next_ms).toISOString();
  return {
    is_allowed: false,
    on_violation: rule.on_violation,
    next_at,
    message: explain(at_ms, zones, window, next_at),
  };
}

/**
 * The zone that a person set for the contact, else every zone that is possible for the number, else the default. A zone that a
 * program set is one more in which the moment must be allowed.
 */
async function zonesOf(
  { store }: HoursDeps,
  { default_zone }: QuietHours,
  organization_id: string,
  e164: string,
): Promise<readonly string[]> {
  const zone = await store.zoneOfContact(organization_id, e164);
  if (zone?.is_by_person) return [zone.time_zone];
  const possible = zonesOfNumber(e164);
  const zones = possible.length > 0 ? possible : [default_zone ?? 'UTC'];
  return zone ? [...zones, zone.time_zone] : zones;
}

const named = (zones: readonly string[]) =>
  zones.length === 1 ? zones[0]! : `${zones.length} possible time zones`;

function explain(
  at_ms: number,
  zones: readonly string[],
  window: ContactWindow,
  next_at: string | null,
): string {
  const closed = zones.find((zone) => !isAllowed(at_ms, [zone], window)) ?? zones[0]!;
  const there = zones.length === 1 ? `in ${closed}` : `in ${closed}, one of ${named(zones)} of the number`;
  const days = window.days.length === 7 ? '' : ` on ${window.days.join(', ')}`;
  const allowed = `The recipient may be contacted from ${window.from} to ${window.to}${days}; it is ${localTime(at_ms, closed)} ${there}.`;
  return next_at === null ? `${allowed} No moment is inside these hours in all of them.` : allowed;
}
