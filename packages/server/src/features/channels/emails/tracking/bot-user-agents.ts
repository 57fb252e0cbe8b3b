// Recognizes visits of programs by their user agent, so that statistics can tell them from readers.

/** Link scanners, and mail services that fetch images before anyone reads the message. */
const bots = [
  // Apple Mail Privacy Protection fetches every image with exactly this user agent.
  /^Mozilla\/5\.0$/,
  /\b(bot|crawler|spider|scanner|preview|prefetch|monitoring|headless)\b/i,
  /(googlebot|bingpreview|slackbot|facebookexternalhit|twitterbot|linkedinbot|whatsapp|telegrambot|discordbot)/i,
  /(barracuda|mimecast|proofpoint|symantec|trendmicro|ironport|safelinks|urlscan|virustotal)/i,
];

export const isBot = (user_agent: string | null): boolean =>
  user_agent !== null && bots.some((bot) => bot.test(user_agent));
