// The port to whatever finds viruses in mail.

export type VirusVerdict = 'PASS' | 'FAIL' | 'PROCESSING_FAILED';

export type VirusScanner = {
  /** Throws when the scanner cannot be asked. */
  scan(raw: Buffer): Promise<VirusVerdict>;
};
