// The pages of the console in the order of the menu.
import {
  type Icon,
  IconAddressBook,
  IconApps,
  IconBan,
  IconChartBar,
  IconEraser,
  IconFlask,
  IconGauge,
  IconHash,
  IconInbox,
  IconKey,
  IconMail,
  IconMailbox,
  IconMessage,
  IconMoon,
  IconPhone,
  IconPlug,
  IconRobot,
  IconRosetteDiscountCheck,
  IconShieldCheck,
  IconShieldLock,
  IconSignature,
  IconStack2,
  IconTool,
  IconUserCheck,
  IconUsers,
  IconWebhook,
  IconWorld,
  IconWriting,
} from '@tabler/icons-react';

export type Entry = {
  to: string;
  label: string;
  icon: Icon;
  needs?: 'sandbox' | 'superadmin' | 'managed';
  /** Shows how many wait. */
  counts?: 'approvals' | 'unread';
};

export const menu: { title: string | null; entries: Entry[] }[] = [
  {
    title: null,
    entries: [
      { to: '/inbox', label: 'Inbox', icon: IconInbox, counts: 'unread' },
      { to: '/', label: 'Overview', icon: IconGauge },
    ],
  },
  {
    title: 'Channels',
    entries: [
      { to: '/compose', label: 'Compose', icon: IconWriting },
      { to: '/calls', label: 'Calls', icon: IconPhone },
      { to: '/emails', label: 'Emails', icon: IconMail },
      { to: '/sms', label: 'SMS', icon: IconMessage },
    ],
  },
  {
    title: 'Guard rails',
    entries: [
      { to: '/approvals', label: 'Approvals', icon: IconShieldCheck, counts: 'approvals' },
      { to: '/budgets', label: 'Budgets', icon: IconChartBar },
      { to: '/quiet-hours', label: 'Quiet hours', icon: IconMoon },
      { to: '/contact-rules', label: 'Contact rules', icon: IconUserCheck },
      { to: '/receive-rules', label: 'Receiving', icon: IconMailbox },
    ],
  },
  {
    title: 'Set-up',
    entries: [
      { to: '/numbers', label: 'Numbers', icon: IconHash },
      { to: '/verifications', label: 'Verifications', icon: IconRosetteDiscountCheck },
      { to: '/agents', label: 'Agents', icon: IconRobot },
      { to: '/tools', label: 'Tools', icon: IconTool },
      { to: '/domains', label: 'Domains', icon: IconWorld },
      { to: '/providers', label: 'Providers', icon: IconStack2 },
    ],
  },
  {
    title: 'People',
    entries: [
      { to: '/contacts', label: 'Contacts', icon: IconAddressBook },
      { to: '/consents', label: 'Consents', icon: IconSignature },
      { to: '/suppressions', label: 'Suppressions', icon: IconBan },
      { to: '/privacy', label: 'Privacy', icon: IconEraser },
      { to: '/members', label: 'Members', icon: IconUsers, needs: 'managed' },
    ],
  },
  {
    title: 'Developers',
    entries: [
      { to: '/webhooks', label: 'Webhooks', icon: IconWebhook },
      { to: '/connect', label: 'Connect', icon: IconPlug },
      { to: '/api-keys', label: 'API keys', icon: IconKey },
      { to: '/connected-apps', label: 'Connected apps', icon: IconApps, needs: 'managed' },
      { to: '/sandbox', label: 'Sandbox', icon: IconFlask, needs: 'sandbox' },
      { to: '/admin', label: 'Admin', icon: IconShieldLock, needs: 'superadmin' },
    ],
  },
];
