// Structured logs on standard output; named personal fields are blanked unless the operator asks otherwise.
import pino from 'pino';

export type Log = pino.Logger;

/** Fields that may hold a person's number, address or words. Log them by these names and they stay private. */
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
