// Header fields of mails that programs send, as vacation responders, lists, shops and mail servers write them, and of mails of people.

type Case = { name: string; headers: string[]; mail_from?: string };

const from = 'From: Ana Sousa <ana@example.org>';

export const automatic_mails: Case[] = [
  { name: 'vacation reply (RFC 3834)', headers: [from, 'Auto-Submitted: auto-replied'] },
  { name: 'vacation reply with a parameter', headers: [from, 'Auto-Submitted: auto-replied (vacation)'] },
  { name: 'notice of a program', headers: [from, 'Auto-Submitted: auto-generated'] },
  { name: 'notice of a monitor', headers: [from, 'auto-submitted: auto-notified; owner-email="a@b.test"'] },
  { name: 'unknown keyword', headers: [from, 'Auto-Submitted: x-robot'] },
  { name: 'older vacation program', headers: [from, 'Precedence: junk', 'X-Autoreply: yes'] },
  { name: 'older responder', headers: [from, 'X-Autorespond: Out of office'] },
  { name: 'Precedence bulk', headers: [from, 'Precedence: bulk'] },
  { name: 'Precedence list', headers: [from, 'Precedence: list'] },
  { name: 'Precedence auto_reply', headers: [from, 'Precedence: auto_reply'] },
  { name: 'mailing list', headers: [from, 'List-Id: Gardeners <garden.lists.example.org>'] },
  { name: 'newsletter', headers: [from, 'List-Unsubscribe: <https://example.org/u/1>'] },
  { name: 'discussion group', headers: [from, 'List-Post: <mailto:group@example.org>'] },
  { name: 'Exchange out of office', headers: [from, 'X-Auto-Response-Suppress: All'] },
  { name: 'Exchange meeting notice', headers: [from, 'X-Auto-Response-Suppress: DR, OOF, AutoReply'] },
  { name: 'bounce', headers: ['From: Mail Delivery System <MAILER-DAEMON@mx.example.org>'] },
  { name: 'bounce without a return path', headers: [from], mail_from: '' },
  { name: 'bounce with the Return-Path of a provider', headers: ['Return-Path: <>', from] },
  { name: 'postmaster', headers: ['From: postmaster@example.org'] },
  { name: 'no-reply address', headers: ['From: Shop <no-reply@example.org>'] },
  { name: 'noreply address with a tag', headers: ['From: noreply+4711@example.org'] },
  { name: 'do-not-reply address', headers: ['From: "Bank" <do-not-reply@example.org>'] },
  { name: 'donotreply address', headers: ['From: DoNotReply@example.org'] },
  { name: 'no_reply address with a number', headers: ['From: no_reply2@example.org'] },
  { name: 'bounces address of a list', headers: ['From: bounces-ana=example.org@lists.example.org'] },
  {
    name: 'read receipt',
    headers: [from, 'Content-Type: multipart/report; report-type=disposition-notification; boundary=b'],
  },
  { name: 'agent of another installation', headers: [from, 'X-Parley-Agent: 1'] },
];

export const human_mails: Case[] = [
  { name: 'plain mail', headers: [from] },
  { name: 'Auto-Submitted: no', headers: [from, 'Auto-Submitted: no'] },
  { name: 'Auto-Submitted: no with a comment', headers: [from, 'Auto-Submitted: no (person)'] },
  { name: 'Precedence first-class', headers: [from, 'Precedence: first-class'] },
  { name: 'asks for no delivery report', headers: [from, 'X-Auto-Response-Suppress: DR, RN'] },
  { name: 'name that begins like no', headers: ['From: Noreen <noreen@example.org>'] },
  { name: 'name that begins like bounce', headers: ['From: bouncer@example.org'] },
  { name: 'address that names a reply', headers: ['From: reply@example.org'] },
  { name: 'words of a subject', headers: [from, 'Subject: Precedence: bulk is a header'] },
];

export const rawMail = ({ headers }: Case, { to, id }: { to: string; id: string }): string =>
  [
    `To: ${to}`,
    ...(headers.some((each) => each.startsWith('Subject')) ? [] : ['Subject: About the order']),
    `Message-ID: <${id}@sender.test>`,
    'Date: Wed, 18 Nov 2026 10:00:00 +0000',
    ...headers,
    '',
    'When does it arrive?',
    '',
  ].join('\r\n');
