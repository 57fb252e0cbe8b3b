// The few figures and names that accounts promise.

export const password_chars = { min: 12, max: 128 };

/** The OAuth scope that stands for everything the person may do. */
export const full_scope = 'parley';
