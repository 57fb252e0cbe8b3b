// The VAD port: voice activity detection, which decides when a party starts and stops speaking.

export type VadSession = {
  /** The probability, 0 to 1, that this window contains speech. Windows must come in order; the answer before need not be there. */
  judge(window: Int16Array): Promise<number>;
  close(): void;
};

export type Vad = {
  name: string;
  capabilities: {
    /** Length of a window in samples at 8 kHz. */
    window_samples: number;
  };
  /** Loads the engine before the first call needs it; rejects when it cannot work. */
  ready(): Promise<void>;
  open(): VadSession;
  close(): Promise<void>;
};
