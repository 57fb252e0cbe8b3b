// Collects the verdicts on a message: spam and virus scanners, and the sender checks. A provider's own verdicts win.
import type { Log } from '../../../../platform/log.ts';
import type { SpamScanner } from '../../../../providers/spam/spam-scanner.ts';
import type { VirusScanner } from '../../../../providers/virus/virus-scanner.ts';
import { providerProof, type SenderProof } from '../../../access/sender-proof/index.ts';
import type { Delivery, Verdicts } from './delivery.ts';
import type { Verdict } from './examination/authentication.ts';
import type { ExaminedMessage } from './examination/examine.ts';

export type ScanDeps = { log: Log; spam: SpamScanner | null; virus: VirusScanner | null };

export async function scanMessage(
  deps: ScanDeps,
  delivery: Delivery,
  raw: Buffer,
  { authentication }: ExaminedMessage,
): Promise<Verdicts> {
  const known = delivery.verdicts;
  const [spam, virus] = await Promise.all([
    known?.spam ?? scannerVerdict(deps.log, deps.spam && (() => deps.spam!.scan(raw, delivery))),
    known?.virus ?? scannerVerdict(deps.log, deps.virus && (() => deps.virus!.scan(raw))),
  ]);
  return {
    spam,
    virus,
    spf: known?.spf ?? authentication?.spf_verdict ?? 'DISABLED',
    dkim: known?.dkim ?? authentication?.dkim_verdict ?? 'DISABLED',
    dmarc: known?.dmarc ?? authentication?.dmarc_verdict ?? 'DISABLED',
  };
}

/** Who sends a message in the sandbox says who wrote it, unless the request has verdicts about that. */
export function proofOfSender(
  { mail_from, verdicts, provider }: Delivery,
  { message, authentication }: ExaminedMessage,
): SenderProof {
  if (authentication) return authentication.sender_proof;
  const { spf, dkim, dmarc } = verdicts ?? {};
  if (provider === 'sandbox' && !spf && !dkim && !dmarc) return 'proven';
  const { from_address, has_one_author, signing_domains } = message;
  const author = from_address ?? mail_from;
  return providerProof({
    verdicts: { spf, dkim, dmarc },
    author,
    has_one_author,
    mail_from,
    signing_domains,
  });
}

/** A scanner that fails does not stop the message: its verdict says that there is none. */
async function scannerVerdict(log: Log, scan: (() => Promise<Verdict>) | null): Promise<Verdict> {
  if (!scan) return 'DISABLED';
  try {
    return await scan();
  } catch (error) {
    log.warn({ err: error }, 'scanner failed');
    return 'PROCESSING_FAILED';
  }
}
