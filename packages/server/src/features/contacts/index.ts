// Contacts: the people an organization talks to.
export { contactRoutes } from './routes.ts';
export { type ContactService, contactService } from './service.ts';
