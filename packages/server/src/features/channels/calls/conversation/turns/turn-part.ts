// What an agent's turn is doing at a moment: saying something or waiting for tools. Pause and stop reach this part.
import type { Interruption } from '../../../../../providers/relay/relay.ts';
import type { Utterance } from '../speak/player.ts';

export type TurnPart = {
  /** Null while the turn waits without a sound. */
  utterance: Utterance | null;
  /** The turn was stopped: ends the sound and records what was heard. */
  cutOff(): void;
  /** The turn continues after this part, so it is not nearly over. */
  continues?: boolean;
  /** What may cut it off. Default: any. */
  interruptible?: Interruption;
};
