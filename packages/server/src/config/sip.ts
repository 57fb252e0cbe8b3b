// The settings of the SIP trunk: its address, our login, and our own addresses and ports.

import { choice, integer, type SettingsOf, text } from '../platform/settings.ts';
import { networks, phoneNumbers, portRange } from './network-settings.ts';

export const sipSettings = {
  PARLEY_SIP_TRUNK_HOST: text({
    default: null,
    default_note: 'none: no trunk',
    meaning: 'Host of the SIP trunk.',
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
    meaning: 'Transport of SIP messages to the trunk.',
  }),
  PARLEY_SIP_USER: text({ default: null, meaning: 'User of the digest login at the SIP trunk.' }),
  PARLEY_SIP_PASSWORD: text({
    default: null,
    meaning: 'Password of that user.',
    secret: true,
  }),
  PARLEY_SIP_REGISTRAR_HOST: text({
    default: null,
    default_note: 'none: nothing is registered',
    meaning:
      'Host of the registrar, where the provider sends calls only to an address that was registered with the login.',
  }),
  PARLEY_SIP_REGISTRAR_PORT: integer({
    default: null,
    default_note: 'from DNS (SRV), else 5060, with TLS 5061',
    min: 1,
    max: 65_535,
    meaning: 'Port of the registrar.',
  }),
  PARLEY_SIP_REGISTER_SECONDS: integer({
    default: 600,
    min: 60,
    max: 86_400,
    meaning:
      'How long a registration is asked for. It is renewed after half of the time that the registrar grants.',
  }),
  PARLEY_SIP_FROM_DOMAIN: text({
    default: null,
    default_note: 'the host of the trunk',
    meaning: 'Domain in the From header of outgoing calls.',
  }),
  PARLEY_SIP_PUBLIC_ADDRESS: text({
    default: null,
    default_note: 'the local address of the route to the trunk',
    meaning: 'Public address for SIP and audio, where it differs from the local one, such as behind NAT.',
  }),
  PARLEY_SIP_LISTEN_HOST: text({
    default: '0.0.0.0',
    meaning: 'Address that SIP and audio are received on. Nothing listens without a trunk.',
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
    meaning: 'UDP ports for audio; each call uses one even port.',
  }),
  PARLEY_SIP_SRTP: choice({
    default: 'off',
    of: ['off', 'optional', 'required'],
    meaning:
      'Encryption of the audio of SIP calls (SRTP with keys in the session description). The keys are secret only over TLS.',
  }),
  PARLEY_SIP_NUMBERS: phoneNumbers({
    default: null,
    default_note: 'none',
    meaning: 'Numbers of the trunk, separated by commas; POST /v1/numbers offers them.',
  }),
  PARLEY_SIP_TRUSTED_SOURCES: networks({
    default: null,
    default_note: 'the addresses of the trunk only',
    meaning: 'Additional source addresses or networks of inbound calls, separated by commas.',
  }),
  PARLEY_SIP_TLS_CERT_FILE: text({
    default: null,
    meaning: 'Certificate (PEM) for inbound TLS connections of the trunk.',
  }),
  PARLEY_SIP_TLS_KEY_FILE: text({ default: null, meaning: 'Private key (PEM) of that certificate.' }),
  PARLEY_SIP_MOST_CALLS: integer({
    default: 200,
    min: 1,
    max: 5000,
    meaning: 'Maximum number of concurrent calls over the SIP trunk in this process.',
  }),
  PARLEY_SIP_RTP_TIMEOUT_SECONDS: integer({
    default: 30,
    min: 1,
    max: 3600,
    meaning: 'A call that receives no audio packet for this long ends as failed.',
  }),
  PARLEY_SIP_KEEP_ALIVE_SECONDS: integer({
    default: 30,
    min: 0,
    max: 3600,
    meaning: 'Interval of OPTIONS requests that check the trunk. 0: never.',
  }),
} as const;

type SipSettings = SettingsOf<typeof sipSettings>;

/** Settings that are only valid together. */
export function sipProblems(values: SipSettings): string[] {
  const needs = (name: keyof SipSettings, other: keyof SipSettings) =>
    values[name] !== null && values[other] === null ? [`${other}: needed because ${name} is set`] : [];
  return [
    ...needs('PARLEY_SIP_USER', 'PARLEY_SIP_PASSWORD'),
    ...needs('PARLEY_SIP_PASSWORD', 'PARLEY_SIP_USER'),
    ...needs('PARLEY_SIP_USER', 'PARLEY_SIP_TRUNK_HOST'),
    ...needs('PARLEY_SIP_REGISTRAR_HOST', 'PARLEY_SIP_USER'),
    ...needs('PARLEY_SIP_REGISTRAR_PORT', 'PARLEY_SIP_REGISTRAR_HOST'),
    ...needs('PARLEY_SIP_TLS_CERT_FILE', 'PARLEY_SIP_TLS_KEY_FILE'),
    ...needs('PARLEY_SIP_TLS_KEY_FILE', 'PARLEY_SIP_TLS_CERT_FILE'),
  ];
}
