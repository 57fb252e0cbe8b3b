// The sentence that an AI writes, for texts and for the foot of emails.

const phrases: Record<string, { text: string; email: string }> = {
  en: { text: 'This is an AI assistant.', email: 'This message was written by an AI assistant.' },
  de: { text: 'Hier schreibt ein KI-Assistent.', email: 'Diese Nachricht hat ein KI-Assistent geschrieben.' },
  es: {
    text: 'Le escribe un asistente de inteligencia artificial.',
    email: 'Este mensaje lo ha escrito un asistente de inteligencia artificial.',
  },
  fr: {
    text: 'Vous écrivez avec un assistant, une intelligence artificielle.',
    email: 'Ce message a été écrit par un assistant, une intelligence artificielle.',
  },
};

/** Falls back to English: a disclosure in the wrong language is better than none. */
export const disclosureFor = (language: string) => phrases[language.slice(0, 2).toLowerCase()] ?? phrases.en!;
