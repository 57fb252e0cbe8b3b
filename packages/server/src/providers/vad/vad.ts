// The vad port: tells speech from everything else, so that turns can be taken.

export type VadSession = {
  /** How likely it is, from 0 to 1, that somebody speaks in this window. Windows are asked about in order. */
  judge(window: Int16Array): Promise<number>;
  close(): void;
};

export type Vad = {
  name: string;
  capabilities: {
    /** How many samples of the line make a window. */
    window_samples: number;
  };
  /** Loads what the engine needs, so that the first call does not wait for it; fails when it cannot work at all. */
  ready(): Promise<void>;
  open(): VadSession;
  close(): Promise<void>;
};
