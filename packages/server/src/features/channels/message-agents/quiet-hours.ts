// The hours in which an agent may write, in its time zone.
import type { AgentMessaging } from '@parley/contract/agents/agent-fields';

const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

/** In how many minutes the agent may answer: 0 within its hours, and where they do not apply to answers. */
export function minutesUntilOpen(
  quiet_hours: AgentMessaging['quiet_hours'],
  timezone: string,
  now: Date,
): number {
  if (quiet_hours?.applies_to !== 'all') return 0;
  const local = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(now);
  const [from, to, at] = [quiet_hours.from, quiet_hours.to, local].map(minutesOf) as [number, number, number];
  const is_open = from <= to ? at >= from && at < to : at >= from || at < to;
  return is_open || from === to ? 0 : (from - at + 1440) % 1440;
}
