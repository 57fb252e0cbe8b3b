// Limits and names that the account pages and the account engine share.

/** Control and format characters: a name with them can look like another name. Joiners are part of some scripts. */
const controls = /[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/gu;
export const withoutControls = (text: string): string => text.replaceAll(controls, '').trim();
export const hasControls = (text: string): boolean => text.search(controls) !== -1;

export const password_chars = { min: 12, max: 128 };

/** The OAuth scope for everything that the user may do. */
export const full_scope = 'parley';

export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);
