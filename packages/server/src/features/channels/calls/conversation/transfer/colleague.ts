// The colleague on the second line: listens to them, writes down what they say, and passes their sound on once connected.
import type { Bridge } from '../../../../../providers/media/bridge.ts';
import type { MediaSession } from '../../../../../providers/media/media-session.ts';
import type { Conversation } from '../conversation-state.ts';
import { type HeardTurn, openListener } from '../listen/listener.ts';
import { beepDetector } from '../voicemail/voicemail.ts';

export type Colleague = {
  media: MediaSession;
  /** What they do until they are connected. The step that waits for it replaces it. */
  onSpeechStarted(): void;
  onSaid(text: string): void;
  onDigit(digit: string): void;
  onBeep(): void;
  /** Passes sound and keys on, from now on. */
  connect(bridge: Bridge): void;
  /** Ends listening; the transcript gets a turn that the end cut off. */
  close(): Promise<void>;
};

const cut_off_turn_timeout_ms = 3000;

export function openColleague(conversation: Conversation, media: MediaSession): Colleague {
  const { emit, clock, call, timeouts, engines, turn_deps } = conversation;
  let bridge: Bridge | null = null;
  const nothing = () => {};
  const write = ({ text, started_ms, ended_ms }: HeardTurn) =>
    emit({
      kind: 'said',
      speaker: 'colleague',
      text,
      started_ms: turn_deps.since(started_ms),
      ended_ms: turn_deps.since(ended_ms),
      is_interrupted: false,
      is_filler: false,
      // Before they are connected, the person hears nothing of it.
      is_private: bridge === null,
      timings: null,
    });
  const listener = openListener({
    ...engines,
    clock,
    language: call.language,
    endpoint: timeouts.endpoint,
    lost_speech_ms: timeouts.lost_speech_ms,
    callbacks: {
      speechStarted: () => colleague.onSpeechStarted(),
      speechContinued: nothing,
      turnEnded(turn) {
        if (turn.text === '') return;
        write(turn);
        if (!bridge) colleague.onSaid(turn.text);
      },
      speechLost: ({ sound_ms }) =>
        emit({
          kind: 'went_wrong',
          at_ms: conversation.now(),
          layer: 'stt',
          detail: `The colleague spoke for ${sound_ms} ms and was not understood.`,
        }),
      vadLate: nothing,
      // Without recognition the colleague can still press a key, and talk once connected.
      failed: (layer, error) =>
        emit({ kind: 'went_wrong', at_ms: conversation.now(), layer, detail: error.message }),
    },
  });
  const isBeep = beepDetector();
  media.onFrame((frame) => {
    if (bridge) bridge.fromSecond(frame);
    else if (isBeep(frame)) colleague.onBeep();
    listener.push(frame);
  });
  media.onDigit((digit) => (bridge ? bridge.digitFromSecond(digit) : colleague.onDigit(digit)));
  const colleague: Colleague = {
    media,
    onSpeechStarted: nothing,
    onSaid: nothing,
    onDigit: nothing,
    onBeep: nothing,
    connect(connection) {
      bridge = connection;
    },
    async close() {
      const timeout = new Promise<null>((resolve) =>
        clock.after(cut_off_turn_timeout_ms, () => resolve(null)),
      );
      const rest = await Promise.race([listener.finish(), timeout]);
      if (rest && rest.text !== '') write(rest);
      listener.close();
    },
  };
  return colleague;
}
