// The few figures and names that accounts promise.

/** Control and format characters: a name with them can read as another one. Joiners are part of some scripts. */
export const hasControls = (text: string): boolean =>
  /[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u.test(text);

export const password_chars = { min: 12, max: 128 };

/** The OAuth scope that stands for everything the person may do. */
export const full_scope = 'parley';
