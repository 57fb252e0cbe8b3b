// What the rules about people do not apply to, because the recipient asked for it.
import type { Origin } from './admission.ts';

/**
 * The reply to STOP is required by law; forwards go only to addresses whose owners confirmed them; a caller expects an
 * answer; the service's own mail goes to its users.
 */
export const exempt_origins: ReadonlySet<Origin> = new Set(['keyword', 'forward', 'inbound_call', 'system']);
