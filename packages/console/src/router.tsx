// The routes of the console; each page is loaded when it is first opened.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router';
import { NotFoundPage } from './not-found-page.tsx';
import { Page } from './parts/page.tsx';
import { Problem } from './parts/problem.tsx';
import { Shell } from './shell.tsx';
import type { Filters } from './state/use-filters.ts';

const root = createRootRoute({ component: Shell });

/** Filters are plain strings in the URL; other query parameters are ignored. */
const filters = (...names: string[]) => ({
  validateSearch: (search: Record<string, unknown>): Filters =>
    Object.fromEntries(
      names.flatMap((name) =>
        typeof search[name] === 'string' || typeof search[name] === 'number'
          ? [[name, String(search[name])]]
          : [],
      ),
    ),
});
const page = (path: string, component: RouteComponent, ...names: string[]) =>
  createRoute({ getParentRoute: () => root, path, ...filters(...names), component });

const routes = [
  page(
    '/',
    lazyRouteComponent(() => import('./pages/overview/overview.tsx'), 'OverviewPage'),
    'days',
    'bucket',
  ),
  page(
    '/inbox',
    lazyRouteComponent(() => import('./pages/inbox/inbox.tsx'), 'InboxPage'),
    'view',
    'id',
    'pane',
  ),
  page(
    '/calls',
    lazyRouteComponent(() => import('./pages/calls/calls.tsx'), 'CallsPage'),
    'status',
    'to',
  ),
  page(
    '/calls/$id',
    lazyRouteComponent(() => import('./pages/calls/call.tsx'), 'CallPage'),
  ),
  page(
    '/emails',
    lazyRouteComponent(() => import('./pages/emails/emails.tsx'), 'EmailsPage'),
    'status',
    'direction',
  ),
  page(
    '/emails/$id',
    lazyRouteComponent(() => import('./pages/emails/email.tsx'), 'EmailPage'),
  ),
  page(
    '/sms',
    lazyRouteComponent(() => import('./pages/sms/sms.tsx'), 'SmsPage'),
    'conversation',
  ),
  page(
    '/compose',
    lazyRouteComponent(() => import('./pages/compose/compose.tsx'), 'ComposePage'),
    'channel',
    'to',
  ),
  page(
    '/approvals',
    lazyRouteComponent(() => import('./pages/approvals/approvals.tsx'), 'ApprovalsPage'),
    'id',
    'part',
    'status',
  ),
  page(
    '/budgets',
    lazyRouteComponent(() => import('./pages/rules/budgets.tsx'), 'BudgetsPage'),
  ),
  page(
    '/quiet-hours',
    lazyRouteComponent(() => import('./pages/rules/quiet-hours.tsx'), 'QuietHoursPage'),
  ),
  page(
    '/consents',
    lazyRouteComponent(() => import('./pages/contacts/consents.tsx'), 'ConsentsPage'),
    'recipient',
  ),
  page(
    '/contact-rules',
    lazyRouteComponent(() => import('./pages/rules/contact-rules.tsx'), 'ContactRulesPage'),
  ),
  page(
    '/receive-rules',
    lazyRouteComponent(() => import('./pages/rules/receive-rules.tsx'), 'ReceiveRulesPage'),
    'part',
  ),
  page(
    '/verifications',
    lazyRouteComponent(() => import('./pages/verifications/verifications.tsx'), 'VerificationsPage'),
  ),
  page(
    '/verifications/$id',
    lazyRouteComponent(() => import('./pages/verifications/verification.tsx'), 'VerificationPage'),
  ),
  page(
    '/numbers',
    lazyRouteComponent(() => import('./pages/numbers/numbers.tsx'), 'NumbersPage'),
  ),
  page(
    '/agents',
    lazyRouteComponent(() => import('./pages/agents/agents.tsx'), 'AgentsPage'),
  ),
  page(
    '/agents/$id',
    lazyRouteComponent(() => import('./pages/agents/agent.tsx'), 'AgentPage'),
    'part',
  ),
  page(
    '/tools',
    lazyRouteComponent(() => import('./pages/tools/tools.tsx'), 'ToolsPage'),
    'part',
  ),
  page(
    '/domains',
    lazyRouteComponent(() => import('./pages/domains/domains.tsx'), 'DomainsPage'),
  ),
  page(
    '/domains/$id',
    lazyRouteComponent(() => import('./pages/domains/domain.tsx'), 'DomainPage'),
  ),
  page(
    '/contacts',
    lazyRouteComponent(() => import('./pages/contacts/contacts.tsx'), 'ContactsPage'),
    'q',
  ),
  page(
    '/contacts/$id',
    lazyRouteComponent(() => import('./pages/contacts/contact.tsx'), 'ContactPage'),
  ),
  page(
    '/suppressions',
    lazyRouteComponent(() => import('./pages/contacts/suppressions.tsx'), 'SuppressionsPage'),
    'channel',
  ),
  page(
    '/privacy',
    lazyRouteComponent(() => import('./pages/privacy/privacy.tsx'), 'PrivacyPage'),
    'part',
  ),
  page(
    '/providers',
    lazyRouteComponent(() => import('./pages/organization/providers.tsx'), 'ProvidersPage'),
  ),
  page(
    '/api-keys',
    lazyRouteComponent(() => import('./pages/connect/api-keys.tsx'), 'ApiKeysPage'),
  ),
  page(
    '/connected-apps',
    lazyRouteComponent(() => import('./pages/connect/connected-apps.tsx'), 'ConnectedAppsPage'),
  ),
  page(
    '/members',
    lazyRouteComponent(() => import('./pages/organization/members.tsx'), 'MembersPage'),
    'part',
  ),
  page(
    '/admin',
    lazyRouteComponent(() => import('./pages/admin/admin.tsx'), 'AdminPage'),
    'part',
  ),
  page(
    '/webhooks',
    lazyRouteComponent(() => import('./pages/webhooks/webhooks.tsx'), 'WebhooksPage'),
    'part',
  ),
  page(
    '/webhooks/$id',
    lazyRouteComponent(() => import('./pages/webhooks/webhook.tsx'), 'WebhookPage'),
    'status',
  ),
  page(
    '/webhooks/$id/$delivery_id',
    lazyRouteComponent(() => import('./pages/webhooks/webhook-delivery.tsx'), 'WebhookDeliveryPage'),
  ),
  page(
    '/sandbox',
    lazyRouteComponent(() => import('./pages/sandbox/sandbox.tsx'), 'SandboxPage'),
    'channel',
  ),
  page(
    '/connect',
    lazyRouteComponent(() => import('./pages/connect/connect.tsx'), 'ConnectPage'),
    'part',
  ),
];

export const router = createRouter({
  routeTree: root.addChildren(routes),
  defaultPreload: 'intent',
  defaultErrorComponent: ({ error }) => (
    <Page title="Something failed">
      <Problem error={error} />
    </Page>
  ),
  defaultNotFoundComponent: NotFoundPage,
});
