// The formats of texts in schemas. Each expression reads a text once from left to right, so a long text stays cheap.

const date_form = /^(\d{4})-(\d{2})-(\d{2})$/;
const time_form = /^([01]\d|2[0-3]):[0-5]\d(:([0-5]\d|60)(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)?$/i;
const email_form = /^[^\s@<>(),;:"[\]\\]{1,64}@[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63}){1,10}$/;
const duration_form = /^P(?=.)(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?)$/;

/** Longer texts have none of the formats. */
const max_chars = 2_000;

function isDate(value: string): boolean {
  const [, year, month, day] = (date_form.exec(value) ?? []).map(Number);
  if (!year || !month || !day) return false;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** RFC 3339: a date-time has an offset. */
function isDateTime(value: string): boolean {
  const time = value.slice(11);
  return (
    isDate(value.slice(0, 10)) &&
    /^[Tt ]$/.test(value.slice(10, 11)) &&
    time_form.test(time) &&
    /^\d\d:\d\d:\d\d.*(Z|[+-]\d\d:\d\d)$/i.test(time)
  );
}

/** `time` also accepts hours and minutes without an offset, as people say them on the phone. */
export const schema_formats: Record<string, (value: string) => boolean> = {
  date: isDate,
  time: (value) => time_form.test(value),
  'date-time': isDateTime,
  email: (value) => value.length <= 254 && email_form.test(value),
  uri: (value) => /^[A-Za-z][A-Za-z0-9+.-]*:[^\s]+$/.test(value) && URL.canParse(value),
  e164: (value) => /^\+[1-9][0-9]{5,14}$/.test(value),
  duration: (value) => duration_form.test(value),
};

export const hasFormat = (value: string, format: string): boolean =>
  value.length <= max_chars && Boolean(schema_formats[format]?.(value));
