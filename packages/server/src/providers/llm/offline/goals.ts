// Reads a prompt for what the agent is to achieve, and puts each of it into words for the phone.

export type Goal = {
  /** To a person, as a question or a statement. */
  said: string;
  /** Into a machine that records. */
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
const news = (what: string): Goal => ({
  said: `I would like to let you know that ${what}.`,
  noted: `I would like to let you know that ${what}.`,
});

const somebody = '(?:them|him|her|the \\w+|whoever answers)';
const rules: Rule[] = [
  { form: /^(?:say|ask):? ["“](.+)["”]$/, goal: (quote) => ({ said: quote, noted: quote }) },
  {
    form: new RegExp(`^ask (?:${somebody} )?to (.+)`),
    goal: (what) => ({ said: `Could you please ${what}?`, noted: `Please ${what}.` }),
  },
  {
    form: new RegExp(`^ask (?:${somebody} )?for ((?:an?|some|two|three) .+)`),
    goal: (what) => request(`ask for ${what}`),
  },
  { form: new RegExp(`^ask (?:${somebody} )?(?:for|about) (.+)`), goal: question },
  {
    form: new RegExp(`^(?:ask|find out|check|inquire|learn)(?: ${somebody})?(?: about| from them)? (.+)`),
    goal: question,
  },
  { form: new RegExp(`^(?:tell|inform|notify) ${somebody} (?:that |about )?(.+)`), goal: news },
  { form: new RegExp(`^let ${somebody} know (?:that |about )?(.+)`), goal: news },
  {
    form: new RegExp(`^remind ${somebody} (of|about|that|to) (.+)`),
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

/** What comes before the task: "Call the dentist and", "Please", "Your task is to". */
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

/** For whom the agent speaks, when the prompt says so. */
export function principalOf(system_prompt: string): string | null {
  return (
    /\b(?:on behalf of|for the company|assistant of|work for|calling for|calling from) ([A-Z][\w&' ]{1,40}?)(?=[.,;\n]|$| and\b| to\b)/.exec(
      system_prompt,
    )?.[1] ?? null
  );
}

const sentencesOf = (text: string): string[] =>
  text
    .split(/(?<=[.!?])\s+|\n+|;\s*|,? and then |\. /)
    .map((sentence) => sentence.trim().replace(/[.!?]+$/, ''))
    .filter((sentence) => sentence !== '')
    .slice(0, 20);

/** The prompt speaks about the other party, the agent speaks to it. */
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
