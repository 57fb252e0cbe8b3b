// A relay in memory: a test sends its frames as JSON, exactly as a server would, and reads what it got.
import type { RelaySettings } from '../src/features/channels/calls/conversation/relay/relay-talk.ts';
import type { FromRelay, RelayLink, ToRelay } from '../src/providers/relay/relay.ts';
import { readFrame } from '../src/providers/relay/twilio/frames.ts';

export function memoryRelay(more: Partial<RelaySettings> = {}) {
  const sent: ToRelay[] = [];
  const { promise: closed, resolve: close } = Promise.withResolvers<{ detail: string }>();
  let listener: (frame: FromRelay) => void = () => {};
  let sound: Int16Array | Error = new Error('no sound');
  const link: RelayLink = {
    send: (frame) => void sent.push(frame),
    onFrame(next) {
      listener = next;
    },
    closed,
    async loadSound() {
      if (sound instanceof Error) throw sound;
      return sound;
    },
    close: () => close({ detail: 'closed 1000' }),
  };
  const push = (frame: object): void => {
    const read = readFrame(JSON.stringify(frame));
    if ('problem' in read) sent.push({ type: 'error', description: read.problem });
    else listener(read.frame);
  };
  return {
    relay: {
      link,
      settings: {
        dtmf: true,
        partial_prompts: false,
        interruptible: 'any',
        fallback: false,
        end_transfer: null,
        ...more,
      } as RelaySettings,
    },
    sent,
    sentOf: <Type extends ToRelay['type']>(type: Type) =>
      sent.filter((frame): frame is Extract<ToRelay, { type: Type }> => frame.type === type),
    push,
    /** One whole talk cycle. */
    says: (text: string, frame: object = {}) => push({ type: 'text', token: text, last: true, ...frame }),
    plays(pcm: Int16Array, frame: object = {}) {
      sound = pcm;
      push({ type: 'play', source: 'https://relay.example.com/a.wav', ...frame });
    },
    lose: (detail: string) => close({ detail }),
  };
}
