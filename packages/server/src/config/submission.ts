// The settings of SMTP submission: the ports of the role submission, and its limits.
import { integer, type SettingsOf, text } from '../platform/settings.ts';

export const submissionSettings = {
  SUBMISSION_PORT: integer({
    default: null,
    default_note: '2587, or any free one when PORT is 0',
    min: 0,
    max: 65_535,
    meaning: 'Port of SMTP submission with STARTTLS. Forward port 587 of the public address to it.',
  }),
  SUBMISSION_TLS_PORT: integer({
    default: null,
    default_note: '2465, or any free one when PORT is 0',
    min: 0,
    max: 65_535,
    meaning: 'Port of SMTP submission with TLS from the start. Forward port 465 of the public address to it.',
  }),
  SUBMISSION_HOST: text({
    default: null,
    default_note: 'HOST',
    meaning: 'Address that SMTP submission listens on. Its certificate is that of PARLEY_INBOUND_TLS_CERT.',
  }),
  PARLEY_SUBMISSION_CONNECTIONS: integer({
    default: 500,
    min: 1,
    max: 100_000,
    meaning: 'Maximum number of connections to each port of SMTP submission.',
  }),
  PARLEY_SUBMISSION_PEER_CONNECTIONS: integer({
    default: 100,
    min: 1,
    max: 100_000,
    meaning: 'Maximum number of connections to SMTP submission from one address.',
  }),
} as const;

type Ports = Pick<SettingsOf<typeof submissionSettings>, 'SUBMISSION_PORT' | 'SUBMISSION_TLS_PORT'>;

/** The ports to listen on; 0 takes any free one. */
export const submissionPorts = (values: Ports & { PORT: number }) => {
  const is_free_choice = values.PORT === 0;
  return {
    starttls: values.SUBMISSION_PORT ?? (is_free_choice ? 0 : 2587),
    tls: values.SUBMISSION_TLS_PORT ?? (is_free_choice ? 0 : 2465),
  };
};
