// Fixed sentences that the agent says without asking the model, by language.

export type Phrases = {
  disclosure: string;
  still_there: string;
  giving_up: string;
  say_again: string;
  apology: string;
  /** The other party spoke, and its words are not known. */
  not_understood: string;
  /** The same again and again. */
  never_understood: string;
  /** Said while a tool runs. */
  one_moment: string;
  still_working: readonly string[];
};

const english: Phrases = {
  disclosure: 'Hello, this is an AI assistant speaking.',
  still_there: 'Are you still there?',
  giving_up: 'I cannot hear you, so I will end the call now. Goodbye.',
  say_again: 'Sorry, I did not catch that. Could you say it again?',
  apology: 'I am sorry, I have a technical problem and have to end this call. Goodbye.',
  not_understood: 'Sorry, I could not understand you. Please say it again.',
  never_understood: 'Sorry, I cannot understand you on this line, so I have to end the call. Goodbye.',
  one_moment: 'One moment.',
  still_working: ['It takes a moment longer.', 'I am still waiting for the answer.'],
};

const by_language: Record<string, Phrases> = {
  en: english,
  de: {
    disclosure: 'Guten Tag, hier spricht ein KI-Assistent.',
    still_there: 'Sind Sie noch da?',
    giving_up: 'Ich kann Sie nicht hören und beende das Gespräch. Auf Wiederhören.',
    say_again: 'Entschuldigung, das habe ich nicht verstanden. Können Sie es wiederholen?',
    apology: 'Es tut mir leid, ich habe ein technisches Problem und muss auflegen. Auf Wiederhören.',
    not_understood: 'Entschuldigung, ich konnte Sie nicht verstehen. Bitte sagen Sie es noch einmal.',
    never_understood: 'Es tut mir leid, ich kann Sie nicht verstehen und muss auflegen. Auf Wiederhören.',
    one_moment: 'Einen Moment, bitte.',
    still_working: ['Es dauert noch einen Moment.', 'Ich warte noch auf die Antwort.'],
  },
  es: {
    disclosure: 'Hola, le habla un asistente de inteligencia artificial.',
    still_there: '¿Sigue ahí?',
    giving_up: 'No le oigo, así que termino la llamada. Adiós.',
    say_again: 'Perdone, no le he entendido. ¿Puede repetirlo?',
    apology: 'Lo siento, tengo un problema técnico y debo terminar la llamada. Adiós.',
    not_understood: 'Perdone, no he podido entenderle. Repítalo, por favor.',
    never_understood: 'Lo siento, no consigo entenderle y debo terminar la llamada. Adiós.',
    one_moment: 'Un momento, por favor.',
    still_working: ['Tarda un momento más.', 'Sigo esperando la respuesta.'],
  },
  fr: {
    disclosure: 'Bonjour, je suis un assistant vocal, une intelligence artificielle.',
    still_there: 'Êtes-vous toujours là ?',
    giving_up: 'Je ne vous entends pas, je termine donc cet appel. Au revoir.',
    say_again: 'Pardon, je n’ai pas compris. Pouvez-vous répéter ?',
    apology: 'Je suis désolé, j’ai un problème technique et dois terminer cet appel. Au revoir.',
    not_understood: 'Pardon, je n’ai pas pu vous comprendre. Répétez, s’il vous plaît.',
    never_understood:
      'Je suis désolé, je n’arrive pas à vous comprendre et dois terminer cet appel. Au revoir.',
    one_moment: 'Un instant, s’il vous plaît.',
    still_working: ['Cela prend encore un instant.', 'J’attends toujours la réponse.'],
  },
};

/** Falls back to English: a disclosure in the wrong language is better than none. */
export const phrasesFor = (language: string): Phrases =>
  by_language[language.slice(0, 2).toLowerCase()] ?? english;
