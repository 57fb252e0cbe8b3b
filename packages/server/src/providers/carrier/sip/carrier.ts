// A SIP trunk as a carrier of calls: no texts, and the numbers that the settings list.
import type { Carrier, News } from '../carrier.ts';
import { type SipTrunkDeps, sipTrunk } from './index.ts';
import { trunkNumbers } from './numbers.ts';
import type { SipTrunkOptions } from './options.ts';
import { sipVoice } from './voice-port.ts';

const no_texts = {
  outcome: 'not_sent',
  error_code: 'rejected',
  detail: 'a SIP trunk carries no texts',
} as const;

export function sipCarrier(
  options: SipTrunkOptions,
  deps: Pick<SipTrunkDeps, 'log'> & { hear(news: News[]): Promise<void> },
): Carrier {
  const trunk = sipTrunk(options, { ...deps, decideInbound: (offer) => decideInbound(offer) });
  const { callState, decideInbound, ...voice } = sipVoice(trunk, deps.hear);

  return {
    name: 'sip',
    capabilities: {
      sms: false,
      sender_names: false,
      answers_opt_out_words: false,
      numbers: true,
      verification: false,
      voice: true,
    },
    sms: {
      send: async () => no_texts,
      find: async () => ({ outcome: 'absent' }),
      outcome: async () => ({ outcome: 'absent' }),
    },
    numbers: trunkNumbers(options.numbers),
    verification: null,
    voice,
    callState,
    readCallback: null,
    openMedia: null,
    line: {
      start: async () => void (await trunk.start()),
      stop: () => trunk.stop(),
      trouble() {
        const { state, detail } = trunk.health();
        return state === 'down' ? `The SIP trunk does not answer (${detail}).` : null;
      },
    },
  };
}
