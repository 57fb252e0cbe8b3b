// Fixed sentences of transfers, by language, and the words by which people accept, decline and change their minds.

export type TransferPhrases = {
  announce: string;
  still_trying: string;
  /** When the model has no summary. */
  brief(person: string | null, reason: string | null): string;
  accept: string;
  caller_left: string;
  not_reached: string;
  yes: RegExp;
  no: RegExp;
  never_mind: RegExp;
};

const said = (person: string | null) => (person?.startsWith('+') ? [...person.slice(1)].join(' ') : null);

const english: TransferPhrases = {
  announce: 'One moment, I will put you through.',
  still_trying: 'I am still trying.',
  brief(person, reason) {
    const from = said(person);
    return `A call${from ? ` from ${from}` : ''}${reason ? `: ${reason.replace(/\.$/, '')}` : ''}.`;
  },
  accept: 'Say yes or press one to take the call.',
  caller_left: 'The caller has hung up. Goodbye.',
  not_reached: 'I am sorry, I could not reach anybody. Goodbye.',
  yes: /\b(yes|yeah|yep|sure|okay|ok|fine|put (them|him|her) through|go ahead|of course)\b/i,
  no: /\b(no|nope|not now|not (available|possible)|cannot|can't|busy|later|wrong number)\b/i,
  never_mind:
    /\b(never ?mind|forget (it|about it)|don't (bother|transfer|connect)|do not (bother|transfer|connect)|changed my mind|cancel( (it|that|this|the transfer))?)\b/i,
};

const by_language: Record<string, TransferPhrases> = {
  en: english,
  de: {
    announce: 'Einen Moment, ich verbinde Sie.',
    still_trying: 'Ich versuche es weiter.',
    brief(person, reason) {
      const from = said(person);
      return `Ein Anruf${from ? ` von ${from}` : ''}${reason ? `: ${reason.replace(/\.$/, '')}` : ''}.`;
    },
    accept: 'Sagen Sie ja oder drücken Sie die eins, um das Gespräch anzunehmen.',
    caller_left: 'Der Anrufer hat aufgelegt. Auf Wiederhören.',
    not_reached: 'Es tut mir leid, ich habe niemanden erreicht. Auf Wiederhören.',
    yes: /\b(ja|jawohl|gerne?|okay|ok|in ordnung)\b/i,
    no: /\b(nein|nicht|später|keine zeit|falsch verbunden)\b/i,
    never_mind: /\b(schon gut|egal|vergessen sie es|doch nicht|abbrechen)\b/i,
  },
  es: {
    announce: 'Un momento, le paso.',
    still_trying: 'Sigo intentándolo.',
    brief(person, reason) {
      const from = said(person);
      return `Una llamada${from ? ` de ${from}` : ''}${reason ? `: ${reason.replace(/\.$/, '')}` : ''}.`;
    },
    accept: 'Diga sí o pulse uno para aceptar la llamada.',
    caller_left: 'La persona ha colgado. Adiós.',
    not_reached: 'Lo siento, no he podido localizar a nadie. Adiós.',
    yes: /(^|[\s,.])(sí|si|claro|vale|de acuerdo)($|[\s,.])/i,
    no: /\b(no|ahora no|más tarde|ocupado|ocupada)\b/i,
    never_mind: /\b(déjelo|no importa|olvídelo|cancele)\b/i,
  },
  fr: {
    announce: 'Un instant, je vous mets en relation.',
    still_trying: 'J’essaie encore.',
    brief(person, reason) {
      const from = said(person);
      return `Un appel${from ? ` du ${from}` : ''}${reason ? ` : ${reason.replace(/\.$/, '')}` : ''}.`;
    },
    accept: 'Dites oui ou appuyez sur un pour prendre l’appel.',
    caller_left: 'L’appelant a raccroché. Au revoir.',
    not_reached: 'Je suis désolé, je n’ai pu joindre personne. Au revoir.',
    yes: /\b(oui|d.accord|bien sûr|ok)\b/i,
    no: /\b(non|pas maintenant|plus tard|occupée?)\b/i,
    never_mind: /\b(laissez tomber|ce n.est pas grave|oubliez|annulez)\b/i,
  },
};

export const transferPhrases = (language: string): TransferPhrases =>
  by_language[language.slice(0, 2).toLowerCase()] ?? english;
