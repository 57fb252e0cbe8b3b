// Finds the tasks in an agent's prompt and phrases each of them for a phone call.

export type Goal = {
  /** For a person, as a question or a statement. */
  said: string;
  /** For a voicemail. */
  noted: string;
};

type Rule = { form: RegExp; goal(rest: string): Goal };

const request = (what: string): Goal => ({
  said: `I would like to ${what}. Is that possible?`,
  noted: `I would like to ${what}.`,
});
const question = (what: string): Goal => ({
  said: `Could you tell me ${what}?`,
  noted: `I would like to know ${what}.`,
});
const information = (what: string): Goal => ({
  said: `I would like to let you know that ${what}.`,
  noted: `I would like to let you know that ${what}.`,
});

const other_party = '(?:them|him|her|the \\w+|whoever answers)';
const rules: Rule[] = [
  { form: /^(?:say|ask):? ["“](.+)["”]$/, goal: (quote) => ({ said: quote, noted: quote }) },
  {
    form: new RegExp(`^ask (?:${other_party} )?to (.+)`),
    goal: (what) => ({ said: `Could you please ${what}?`, noted: `Please ${what}.` }),
  },
  {
    form: new RegExp(`^ask (?:${other_party} )?for ((?:an?|some|two|three) .+)`),
    goal: (what) => request(`ask for ${what}`),
  },
  { form: new RegExp(`^ask (?:${other_party} )?(?:for|about) (.+)`), goal: question },
  {
    form: new RegExp(`^(?:ask|find out|check|inquire|learn)(?: ${other_party})?(?: about| from them)? (.+)`),
    goal: question,
  },
  { form: new RegExp(`^(?:tell|inform|notify) ${other_party} (?:that |about )?(.+)`), goal: information },
  { form: new RegExp(`^let ${other_party} know (?:that |about )?(.+)`), goal: information },
  {
    form: new RegExp(`^remind ${other_party} (of|about|that|to) (.+)`),
    goal: (what) => ({
      said: `I would like to remind you ${what}.`,
      noted: `I would like to remind you ${what}.`,
    }),
  },
  {
    form: /^(?:confirm|verify|make sure)(?: with them)?(?: that)? (.+)/,
    goal: (what) => ({
      said: `I would like to confirm ${what}. Is that right?`,
      noted: `I would like to confirm ${what}.`,
    }),
  },
  {
    form: /^((?:book|make|schedule|reserve|order|cancel|arrange|request|get|move|reschedule|buy|rent) .+)/,
    goal: request,
  },
];

/** Text before the task: "Call the dentist and", "Please", "Your task is to". */
const preamble =
  /^(?:please|then|also|and|first|finally|next|you should|you must|your (?:task|job|goal) is to|(?:call|phone|ring)(?: up)? .*?\b(?:and|to)\b)[ ,:]+/i;

/** Each task once, in the order of the prompt. */
export function goalsOf(system_prompt: string): Goal[] {
  const goals = sentencesOf(system_prompt).flatMap((sentence) => {
    let task = sentence;
    while (preamble.test(task)) task = task.replace(preamble, '');
    const lowered = task.charAt(0).toLowerCase() + task.slice(1);
    for (const { form, goal } of rules) {
      const match = form.exec(lowered);
      if (match) return [goal(addressed(match.slice(1).join(' ')))];
    }
    return [];
  });
  return goals.filter((goal, index) => goals.findIndex(({ said }) => said === goal.said) === index);
}

/** The person or company that the agent calls for, when the prompt names it. */
export function principalOf(system_prompt: string): string | null {
  return (
    /\b(?:on behalf of|for the company|assistant of|work for|calling for|calling from) ([A-Z][\w&' ]{1,40}?)(?=[.,;\n]|$| and\b| to\b)/.exec(
      system_prompt,
    )?.[1] ?? null
  );
}

/** No task of a prompt is longer. */
const max_sentence_chars = 1000;

function withoutEnd(sentence: string): string {
  let end = sentence.length;
  while (end > 0 && '.!?'.includes(sentence[end - 1]!)) end--;
  return sentence.slice(0, end);
}

const sentencesOf = (text: string): string[] =>
  text
    .split(/(?<=[.!?])\s+|\n+|;\s*|,? and then |\. /)
    .map((sentence) => withoutEnd(sentence.trim().slice(0, max_sentence_chars)))
    .filter((sentence) => sentence !== '')
    .slice(0, 20);

/** Changes "they" to "you": the prompt is about the other party, the agent speaks to it. */
const addressed = (text: string): string =>
  text
    .replaceAll(/\bthey are\b|\bthey're\b/gi, 'you are')
    .replaceAll(/\bthey have\b/gi, 'you have')
    .replaceAll(/\bthey\b/gi, 'you')
    .replaceAll(/\btheir\b/gi, 'your')
    .replaceAll(/\bthem\b/gi, 'you')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 300)
    .toWellFormed();
