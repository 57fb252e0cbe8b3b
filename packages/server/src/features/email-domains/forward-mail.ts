// The words of the mail that asks the owner of an address whether mail may be forwarded to it.

/** Holds nothing that the organization could fill with words of its own. */
export const confirmationMail = (of: {
  receives_at: string;
  address: string;
  link_days: number;
  confirm_url: string;
  stop_url: string;
}): { kind: string; subject: string; text: string } => ({
  kind: 'confirm_forward',
  subject: `Mail for ${of.receives_at} could be forwarded to you`,
  text: `Somebody wants mail that arrives at ${of.receives_at} to be forwarded to ${of.address}.

If you want that, open this page within ${of.link_days} days and press the button:

${of.confirm_url}

If you do not know what this is about, do nothing: without your confirmation nothing is forwarded.

To refuse, or to stop the forwarding at any time later, open this page and press the button. Keep this mail for it:

${of.stop_url}
`,
});
