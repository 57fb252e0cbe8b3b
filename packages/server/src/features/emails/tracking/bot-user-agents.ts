// Tells the visits of programs from those of readers, as far as they show themselves.

/** Scanners of links, and mail services that fetch pictures before anybody reads. */
const machines = [
  // Apple Mail Privacy Protection fetches every picture with exactly this name.
  /^Mozilla\/5\.0$/,
  /\b(bot|crawler|spider|scanner|preview|prefetch|monitoring|headless)\b/i,
  /(googlebot|bingpreview|slackbot|facebookexternalhit|twitterbot|linkedinbot|whatsapp|telegrambot|discordbot)/i,
  /(barracuda|mimecast|proofpoint|symantec|trendmicro|ironport|safelinks|urlscan|virustotal)/i,
];

export const isMachine = (user_agent: string | null): boolean =>
  user_agent !== null && machines.some((machine) => machine.test(user_agent));
