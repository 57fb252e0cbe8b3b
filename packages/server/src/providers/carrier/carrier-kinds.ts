// The parts of a `Carrier` that carriers of the same kind have in common.
import { type Carrier, unsupported_sms } from './carrier.ts';
import { listedNumbers } from './listed-numbers.ts';

/** Texts, numbers and, with `calls`, calls over an HTTP API. */
export const messagingCarrier = (
  calls: { voice: Carrier['voice']; openMedia: Carrier['openMedia'] } | null,
) =>
  ({
    capabilities: {
      simulated: false,
      sms: true,
      sender_names: true,
      answers_opt_out_keywords: true,
      numbers: true,
      verification: false,
      voice: calls !== null,
    },
    messaging: null,
    voice: calls?.voice ?? null,
    openMedia: calls?.openMedia ?? null,
    listener: null,
  }) satisfies Partial<Carrier>;

/** Calls only, from the numbers that the settings list. */
export const callOnlyCarrier = (numbers: readonly string[]) =>
  ({
    capabilities: {
      simulated: false,
      sms: false,
      sender_names: false,
      answers_opt_out_keywords: false,
      numbers: true,
      verification: false,
      voice: true,
    },
    sms: unsupported_sms,
    numbers: listedNumbers(numbers),
    registration: null,
    messaging: null,
    openMedia: null,
  }) satisfies Partial<Carrier>;
