// The variables that every conversation has: the time, the two parties and the ids.
import type { reservedVariables } from '@parley/contract/agents/agent-fields';
import type { TemplateValues } from '@parley/contract/schema/templates';

export type ConversationFacts = {
  now: Date;
  timezone: string;
  language: string;
  call_id: string | null;
  conversation_id: string | null;
  person: string | null;
  own: string | null;
  direction: 'inbound' | 'outbound';
  contact_name: string | null;
};

type Reserved = Record<(typeof reservedVariables)[number], string | null>;

/** Dates and times in ISO 8601, which tools can read too; the weekday in the language of the conversation. */
export function reservedValues({
  now,
  timezone,
  language,
  ...facts
}: ConversationFacts): Reserved & TemplateValues {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  }).formatToParts(now);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((each) => each.type === type)?.value ?? '';
  const date = `${part('year')}-${part('month')}-${part('day')}`;
  const time = `${part('hour')}:${part('minute')}`;
  const offset = part('timeZoneName').replace('GMT', '') || 'Z';
  return {
    ...facts,
    date,
    time,
    weekday: weekdayOf(now, timezone, language),
    now: `${date}T${time}${offset}`,
  };
}

function weekdayOf(now: Date, timeZone: string, language: string): string {
  const name = (locale: string) => new Intl.DateTimeFormat(locale, { timeZone, weekday: 'long' }).format(now);
  try {
    return name(language);
  } catch {
    // A tag of the right form that is no language.
    return name('en');
  }
}
