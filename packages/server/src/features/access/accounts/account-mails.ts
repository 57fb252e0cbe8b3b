// The texts of mail about accounts. They contain no text from the person who caused the mail.

export type AccountMail = { kind: string; subject: string; text: string };

export const codeMail = (base_url: string, code: string, minutes: number): AccountMail => ({
  kind: 'verify_address',
  subject: 'Your code for Parley',
  text: `Someone requested an account with this address at ${base_url}.

If it was you, enter this code on the sign-up page:

    ${code.slice(0, 4)} ${code.slice(4)}

It works once, within ${minutes} minutes. Do not share it.

If it was not you, you can ignore this mail: no account is created without the code.
`,
});

export const accountExistsMail = (base_url: string): AccountMail => ({
  kind: 'account_exists',
  subject: 'You already have an account at Parley',
  text: `Someone requested a new account with this address at ${base_url}. The address already has an account, so no new one was created.

To sign in:
${base_url}/auth/sign-in

To choose a new password:
${base_url}/auth/passwords/forgot

If it was not you, you can ignore this mail.
`,
});

export const passwordLinkMail = (base_url: string, link: string): AccountMail => ({
  kind: 'reset_password',
  subject: 'Choose a new password for Parley',
  text: `Someone requested a new password for your account at ${base_url}.

If it was you, choose a new password here:
${link}

The link works once, within an hour. You will be signed out everywhere.

If it was not you, you can ignore this mail: your password does not change.
`,
});

export const noPasswordMail = (base_url: string): AccountMail => ({
  kind: 'signs_in_elsewhere',
  subject: 'Your account at Parley has no password',
  text: `Someone requested a new password for your account at ${base_url}. Your account has no password: you sign in through your organization.

If it was not you, you can ignore this mail.
`,
});
