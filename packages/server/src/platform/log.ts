// Structured logs on standard output; personal fields are redacted unless the operator turns that off.
import pino from 'pino';

export type Log = pino.Logger;

/** Fields that may hold a person's number, address or text. Log personal data only under these names. */
export const personalFields = [
  'to',
  'from',
  'phone_e164',
  'email',
  'name',
  'subject',
  'body',
  'transcript',
  'authorization',
];

export function makeLog(options: {
  level: string;
  show_personal_data: boolean;
  destination?: pino.DestinationStream;
}): Log {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      ...(options.show_personal_data
        ? {}
        : {
            redact: { paths: personalFields.flatMap((field) => [field, `*.${field}`]), censor: '[personal]' },
          }),
    },
    options.destination ?? pino.destination({ sync: false }),
  );
}
