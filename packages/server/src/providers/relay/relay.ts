// The relay port: a program of the organization that converses in place of a language model, over ConversationRelay frames.

/** What we send. Field names are those of the ConversationRelay protocol. */
export type ToRelay =
  | SetupFrame
  | { type: 'prompt'; voicePrompt: string; lang: string; last: boolean }
  | { type: 'dtmf'; digit: string }
  | { type: 'interrupt'; utteranceUntilInterrupt: string; durationUntilInterruptMs: number }
  | { type: 'error'; description: string };

export type SetupFrame = {
  type: 'setup';
  sessionId: string;
  accountSid: string;
  parentCallSid: string;
  callSid: string;
  callControlId: string;
  from: string;
  to: string;
  forwardedFrom: string;
  callType: 'PSTN';
  callerName: string;
  direction: 'inbound' | 'outbound-api';
  callStatus: 'IN-PROGRESS';
  customParameters: Record<string, string>;
};

export const interruptions = ['any', 'speech', 'dtmf', 'none'] as const;
export type Interruption = (typeof interruptions)[number];

/** What we receive, with defaults filled in. `null`: not said, so the setting of the agent counts. */
export type FromRelay =
  | {
      type: 'text';
      token: string;
      last: boolean;
      lang: string | null;
      interruptible: Interruption | null;
      preemptible: boolean;
    }
  | { type: 'play'; source: string; loop: number; interruptible: Interruption | null; preemptible: boolean }
  | { type: 'sendDigits'; digits: string }
  | { type: 'language'; ttsLanguage: string | null; transcriptionLanguage: string | null }
  | { type: 'end'; handoffData: string | null };

/** An open connection to a relay. */
export type RelayLink = {
  send(frame: ToRelay): void;
  /** Frames that came before are passed on at once. */
  onFrame(listener: (frame: FromRelay) => void): void;
  /** Resolves when the connection is over, with the reason. */
  closed: Promise<{ detail: string }>;
  /** The sound at an address that the relay named, as samples of the line. */
  loadSound(source: string, signal: AbortSignal): Promise<Int16Array>;
  close(): void;
};

export class RelayFailed extends Error {
  override name = 'RelayFailed';
}

/** A WebSocket address is checked like the HTTP address that it upgrades. */
export const relayHttpUrl = (url: string): string => url.replace(/^ws/i, 'http');

/** Throws RelayFailed when the relay cannot be reached. */
export type ConnectRelay = (at: { url: string; secret: string }) => Promise<RelayLink>;
