// The text of the mail that asks the owner of an address to confirm forwarding.

/** Contains no text that the organization can choose, so that it cannot be used for spam. */
export const confirmationMail = (mail: {
  receives_at: string;
  address: string;
  link_days: number;
  confirm_url: string;
  stop_url: string;
}): { kind: string; subject: string; text: string } => ({
  kind: 'confirm_forward',
  subject: `Mail for ${mail.receives_at} could be forwarded to you`,
  text: `A request was made to forward mail that arrives at ${mail.receives_at} to ${mail.address}.

If you want that, open this page within ${mail.link_days} days and press the button:

${mail.confirm_url}

If you do not know what this is about, do nothing: without your confirmation nothing is forwarded.

To refuse, or to stop the forwarding at any time later, open this page and press the button. Keep this mail for that:

${mail.stop_url}
`,
});
