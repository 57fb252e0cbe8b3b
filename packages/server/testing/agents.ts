// An agent whose answers tests read: it answers at once, and without the sentence that an AI writes.
export const prompt_agent = {
  name: 'Desk',
  ai_disclosure: false,
  messaging: { reply_delay_seconds: 0 },
} as const;
