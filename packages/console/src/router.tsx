// Which address shows which page; each page is loaded when it is first opened.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { Empty, Page } from './parts/page.tsx';
import { Problem } from './parts/problem.tsx';
import { Shell } from './shell.tsx';

export type Search = Record<string, string | undefined>;

const root = createRootRoute({ component: Shell });

/** Filters stand in the address as plain words; anything else that a link carries is left out. */
const words = (...names: string[]) => ({
  validateSearch: (given: Record<string, unknown>): Search =>
    Object.fromEntries(
      names.flatMap((name) =>
        typeof given[name] === 'string' || typeof given[name] === 'number' ? [[name, String(given[name])]] : [],
      ),
    ),
});
const under = () => root;

const routes = [
  createRoute({ getParentRoute: under, path: '/', ...words('days', 'bucket'), component: lazyRouteComponent(() => import('./pages/overview.tsx'), 'OverviewPage') }),
  createRoute({ getParentRoute: under, path: '/calls', ...words('status', 'to'), component: lazyRouteComponent(() => import('./pages/calls.tsx'), 'CallsPage') }),
  createRoute({ getParentRoute: under, path: '/calls/$id', component: lazyRouteComponent(() => import('./pages/call.tsx'), 'CallPage') }),
];

export const router = createRouter({
  routeTree: root.addChildren(routes),
  defaultPreload: 'intent',
  defaultErrorComponent: ({ error }) => (
    <Page title="That did not work">
      <Problem error={error} />
    </Page>
  ),
  defaultNotFoundComponent: () => (
    <Page title="No such page">
      <Empty title="There is nothing at this address">The menu leads to everything there is.</Empty>
    </Page>
  ),
});
