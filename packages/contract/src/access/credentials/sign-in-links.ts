// Sign-in links: where a person opens the console, signed in without typing a key where that is safe.
import { z } from 'zod';
import { defineOperations } from '../../operation.ts';
import { Timestamp } from '../../schema/fields.ts';

export const SignInLink = z
  .strictObject({
    url: z.string().describe('The address to open in a browser on this machine.'),
    expires_at: Timestamp.nullable().describe(
      'The link signs in once, until then. null: it is the plain address of the console, where people sign in themselves.',
    ),
  })
  .meta({ id: 'SignInLink' });
export type SignInLink = z.infer<typeof SignInLink>;

const example: SignInLink = {
  url: 'http://127.0.0.1:41233/#sign-in=pX3…',
  expires_at: '2026-06-06T12:15:00.000Z',
};

export const signInLinks = defineOperations('sign_in_links', 'Links that open the console.', {
  create: {
    method: 'POST',
    path: '/v1/console/sign-in-links',
    summary: 'Create a link that opens the console',
    description:
      'With the shared key or the operator key, on a server that only its own machine reaches, the link signs in once and replaces the one before. Otherwise it is the address of the console.',
    access: 'any_credential',
    success: { status: 201, body: SignInLink, example },
  },
});
