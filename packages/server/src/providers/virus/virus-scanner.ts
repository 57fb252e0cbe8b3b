// The port of virus scanners.

export type VirusVerdict = 'PASS' | 'FAIL' | 'PROCESSING_FAILED';

export type VirusScanner = {
  /** Throws if the scanner is unavailable. */
  scan(raw: Buffer): Promise<VirusVerdict>;
};
