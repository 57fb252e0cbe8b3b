// The words of mail about accounts. Nothing in them was written by whoever caused the mail.

export type AccountMail = { kind: string; subject: string; text: string };

export const codeMail = (base_url: string, code: string, minutes: number): AccountMail => ({
  kind: 'verify_address',
  subject: 'Your code for Parley',
  text: `Somebody asked for an account with this address at ${base_url}.

If it was you, type this code on the page that asks for it:

    ${code.slice(0, 4)} ${code.slice(4)}

It works once, within ${minutes} minutes. Give it to nobody.

If it was not you, you need not do anything: without the code there is no account.
`,
});

export const accountExistsMail = (base_url: string): AccountMail => ({
  kind: 'account_exists',
  subject: 'You have an account at Parley',
  text: `Somebody asked for a new account with this address at ${base_url}. It has an account already, so none was made.

To sign in:
${base_url}/auth/sign-in

To choose a new password:
${base_url}/auth/passwords/forgot

If it was not you, you need not do anything.
`,
});

export const passwordLinkMail = (base_url: string, link: string): AccountMail => ({
  kind: 'reset_password',
  subject: 'Choose a new password for Parley',
  text: `Somebody asked for a new password of your account at ${base_url}.

If it was you, choose it here:
${link}

The link works once, within an hour. You will be signed out everywhere.

If it was not you, you need not do anything: your password stays as it is.
`,
});

export const signInElsewhereMail = (base_url: string): AccountMail => ({
  kind: 'signs_in_elsewhere',
  subject: 'Your account at Parley has no password',
  text: `Somebody asked for a new password of your account at ${base_url}. Your account has none: you sign in through your organization.

If it was not you, you need not do anything.
`,
});
