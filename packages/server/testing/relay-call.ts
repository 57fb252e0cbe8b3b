// A call on a stepped clock on which a relay in memory converses.
import type { RelaySettings } from '../src/features/channels/calls/conversation/relay/relay-talk.ts';
import type { TransferPort } from '../src/features/channels/calls/conversation/transfer/transfer-port.ts';
import type { Stt } from '../src/providers/stt/stt.ts';
import type { Tts } from '../src/providers/tts/tts.ts';
import { memoryRelay } from './memory-relay.ts';
import { scripted, startCall } from './phone-call.ts';

type Options = {
  settings?: Partial<RelaySettings>;
  call?: Parameters<typeof startCall>[0];
  llm?: ReturnType<typeof scripted>;
  transfers?: TransferPort;
  stt?: Stt;
  tts?: Tts;
};

/** An inbound call without a first message, so that the relay has the word. */
export function startRelayCall({ settings, call, llm = scripted(), ...engines }: Options = {}) {
  const relay = memoryRelay(settings);
  const phone = startCall({ direction: 'inbound', ...call }, { relay: relay.relay, llm, ...engines });
  return { relay, llm, ...phone };
}
