// What a token of one conversation may do.

export const conversationRights = ['read', 'reply', 'wait'] as const;
export type ConversationRight = (typeof conversationRights)[number];
