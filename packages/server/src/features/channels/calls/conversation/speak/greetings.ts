// Recognizes the words with which people answer a phone or ask whether somebody is there. They are no reply to anything.

const words_by_language = {
  en: 'hello hi hey yes yeah yep morning afternoon evening good speaking anybody anyone there',
  de: 'hallo ja guten tag morgen abend moin servus grüß gott grüezi bitte wer da jemand',
  es: 'hola sí si bueno diga dígame buenas buenos días tardes noches aló hay alguien',
  fr: 'allô allo oui bonjour bonsoir quelqu’un',
  it: 'pronto ciao sì buongiorno buonasera salve',
  pt: 'alô alo olá oi sim bom boa dia tarde noite estou',
  nl: 'goedemorgen goedemiddag goedenavond goedendag met hoi',
  pl: 'halo tak dzień dobry słucham',
  tr: 'alo efendim buyurun merhaba',
};
const words = new Set(Object.values(words_by_language).flatMap((list) => list.split(' ')));
const most_words = 5;

export function isGreeting(text: string): boolean {
  const said = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\s'’]/gu, ' ')
    .replaceAll("'", '’')
    .trim()
    .split(/\s+/);
  return said[0] !== '' && said.length <= most_words && said.every((word) => words.has(word));
}
