// The port to whatever tells unwanted mail from wanted mail.

export type SpamVerdict = 'PASS' | 'FAIL' | 'GRAY' | 'PROCESSING_FAILED';

export type SpamScanner = {
  /** Throws when the scanner cannot be asked. */
  scan(
    raw: Buffer,
    envelope: {
      mail_from: string;
      peer: { remote_address: string; helo: string } | null;
      receivers: { address: string }[];
    },
  ): Promise<SpamVerdict>;
};
