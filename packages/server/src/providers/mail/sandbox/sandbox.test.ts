// The sandbox transport returns the message that it would have sent.
import { transportConformance } from '../conformance.ts';
import type { MailTransport, SimulatedMail } from '../transport.ts';
import { sandboxTransport } from './index.ts';

const simulated: SimulatedMail[] = [];
const sandbox = sandboxTransport();
const transport: MailTransport = {
  ...sandbox,
  async send(mail, signal) {
    const outcome = await sandbox.send(mail, signal);
    if (outcome.simulated) simulated.push(outcome.simulated());
    return outcome;
  },
};

transportConformance('sandbox', () => ({
  transport,
  recipients: { taken: 'anyone@example.org', refused: 'rejected@sandbox.test' },
  received: async (email_id) =>
    simulated.filter((mail) => mail.email_id === email_id).map((mail) => JSON.stringify(mail)),
  unreachable: null,
  silent: null,
}));
