// The response of a process that is full or stopping, to INVITE and OPTIONS.

/** 503: another process may take the call; 603 would end it everywhere (RFC 3261 sections 21.5.4 and 21.6.2). */
export const no_capacity = { statusCode: 503, extraHeaders: ['Retry-After: 5'] };
