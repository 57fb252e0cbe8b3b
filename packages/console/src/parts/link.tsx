// Links to other pages of the console; filters become query parameters.
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

type Target = { to: string; search?: Record<string, string | undefined>; children: ReactNode };

export const PageLink = ({ to, search, ...rest }: Target & { className?: string }) => (
  <Link to={to} search={search as never} {...rest} />
);

export const LinkButton = ({ to, search, children, variant }: Target & { variant?: string }) => (
  <Button
    variant={variant}
    renderRoot={(props) => <Link to={to} search={search as never} {...(props as object)} />}
  >
    {children}
  </Button>
);
