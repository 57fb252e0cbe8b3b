// The sandbox's transport keeps what it is handed.
import { transportConformance } from '../conformance.ts';
import { type KeptMail, sandboxTransport } from './index.ts';

const kept: KeptMail[] = [];
const transport = sandboxTransport({ keep: async (mail) => void kept.push(mail) });

transportConformance('sandbox', () => ({
  transport,
  recipients: { taken: 'anyone@example.org', refused: 'rejected@sandbox.test' },
  received: async (email_id) =>
    kept.filter((mail) => mail.email_id === email_id).map((mail) => JSON.stringify(mail)),
  unreachable: null,
  silent: null,
}));
