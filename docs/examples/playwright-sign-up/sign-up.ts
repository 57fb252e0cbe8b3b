// Signs up on a page with a real browser, and types the code that the page sends by email.
// SIGN_UP_URL=https://… node sign-up.ts
import { createParley } from '@parley/sdk';
import { chromium } from 'playwright-core';

const parley = createParley(); // PARLEY_URL, PARLEY_API_KEY

/** The address of a mailbox that receives mail; creates one at the first run. */
async function mailbox(): Promise<string> {
  for await (const domain of parley.emailDomains.list())
    if (domain.receive_ready) return domain.default_address;
  const made = await parley.emailDomains.create({ kind: 'service_mail', local_prefix_user: 'sign-up' });
  return made.default_address;
}

const browser = await chromium.launch({
  ...(process.env.CHROMIUM_PATH ? { executablePath: process.env.CHROMIUM_PATH } : {}),
  args: ['--no-sandbox'],
});
try {
  const page = await browser.newPage();
  await page.goto(process.env.SIGN_UP_URL!);
  const address = await mailbox();
  // Taken before the form is sent, so that a fast email is not missed.
  const since = new Date().toISOString();
  await page.getByLabel('Email').fill(address);
  await page.getByRole('button', { name: 'Sign up' }).click();
  const { email, code } = await parley.emails.wait({ to: address, since, timeout_seconds: 50 });
  if (code === null) throw new Error(email ? `No code in "${email.subject}"` : 'No email arrived');
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
  console.log(`signed up as ${address} with code ${code}`);
} finally {
  await browser.close();
}
