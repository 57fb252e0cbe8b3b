// The port of spam scanners.

export type SpamVerdict = 'PASS' | 'FAIL' | 'GRAY' | 'PROCESSING_FAILED';

export type SpamScanner = {
  /** Throws if the scanner is unavailable. */
  scan(
    raw: Buffer,
    envelope: {
      mail_from: string;
      peer: { remote_address: string; helo: string } | null;
      recipients: { address: string }[];
    },
  ): Promise<SpamVerdict>;
};
