// The settings of the SIP trunk: where it is, who we are to it, where it reaches us.

import { choice, integer, type SettingsOf, text } from '../platform/settings.ts';
import { networks, phoneNumbers, portRange } from './network-settings.ts';

export const sipSettings = {
  PARLEY_SIP_TRUNK_HOST: text({
    default: null,
    default_note: 'none: no trunk',
    meaning: 'Host of the SIP trunk that calls go through.',
  }),
  PARLEY_SIP_TRUNK_PORT: integer({
    default: null,
    default_note: 'from DNS (SRV), else 5060, with TLS 5061',
    min: 1,
    max: 65_535,
    meaning: 'Port of the SIP trunk.',
  }),
  PARLEY_SIP_TRANSPORT: choice({
    default: 'udp',
    of: ['udp', 'tcp', 'tls'],
    meaning: 'How SIP messages travel to the trunk.',
  }),
  PARLEY_SIP_USER: text({ default: null, meaning: 'User for the login at the SIP trunk (digest).' }),
  PARLEY_SIP_PASSWORD: text({
    default: null,
    meaning: 'Password for the login at the SIP trunk.',
    secret: true,
  }),
  PARLEY_SIP_FROM_DOMAIN: text({
    default: null,
    default_note: 'the host of the trunk',
    meaning: 'Domain in the From of our calls.',
  }),
  PARLEY_SIP_PUBLIC_ADDRESS: text({
    default: null,
    default_note: 'the address this machine has towards the trunk',
    meaning: 'Address the trunk reaches us at for SIP and audio, where it differs, as behind a translator.',
  }),
  PARLEY_SIP_LISTEN_HOST: text({
    default: '0.0.0.0',
    meaning: 'Address that SIP and audio are received on. Nothing listens while there is no trunk.',
  }),
  PARLEY_SIP_LISTEN_PORT: integer({
    default: 5060,
    min: 0,
    max: 65_535,
    meaning: 'Port that SIP is received on. 0 takes any free one.',
  }),
  PARLEY_SIP_RTP_PORTS: portRange({
    default: { first: 20_000, last: 29_999 },
    default_note: '20000-29999',
    meaning: 'UDP ports for audio; a call takes one, and the even ones are used.',
  }),
  PARLEY_SIP_NUMBERS: phoneNumbers({
    default: null,
    default_note: 'none',
    meaning:
      'Numbers that the trunk brings with it, separated by commas; POST /v1/numbers takes them from here.',
  }),
  PARLEY_SIP_TRUSTED_SOURCES: networks({
    default: null,
    default_note: 'the addresses of the trunk only',
    meaning: 'Further addresses or networks that calls to us may come from, separated by commas.',
  }),
  PARLEY_SIP_TLS_CERT_FILE: text({
    default: null,
    meaning: 'Certificate (PEM) for connections that the trunk opens to us over TLS.',
  }),
  PARLEY_SIP_TLS_KEY_FILE: text({ default: null, meaning: 'Private key (PEM) of that certificate.' }),
  PARLEY_SIP_MOST_CALLS: integer({
    default: 200,
    min: 1,
    max: 5000,
    meaning: 'Calls over the SIP trunk at the same time in this process at most.',
  }),
  PARLEY_SIP_RTP_TIMEOUT_SECONDS: integer({
    default: 30,
    min: 1,
    max: 3600,
    meaning: 'How long a call may receive no audio packet before it ends as failed.',
  }),
  PARLEY_SIP_KEEP_ALIVE_SECONDS: integer({
    default: 30,
    min: 0,
    max: 3600,
    meaning: 'How often the SIP trunk is asked whether it is there. 0: never.',
  }),
} as const;

type SipSettings = SettingsOf<typeof sipSettings>;

/** What only makes sense together, and the trunk without which all of it means nothing. */
export function sipProblems(values: SipSettings): string[] {
  const needs = (name: keyof SipSettings, other: keyof SipSettings) =>
    values[name] !== null && values[other] === null ? [`${other}: needed because ${name} is set`] : [];
  return [
    ...needs('PARLEY_SIP_USER', 'PARLEY_SIP_PASSWORD'),
    ...needs('PARLEY_SIP_PASSWORD', 'PARLEY_SIP_USER'),
    ...needs('PARLEY_SIP_USER', 'PARLEY_SIP_TRUNK_HOST'),
    ...needs('PARLEY_SIP_TLS_CERT_FILE', 'PARLEY_SIP_TLS_KEY_FILE'),
    ...needs('PARLEY_SIP_TLS_KEY_FILE', 'PARLEY_SIP_TLS_CERT_FILE'),
  ];
}
