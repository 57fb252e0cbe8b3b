// Contacts: the people an organization talks to.
export { contactRoutes } from './routes.ts';
export { contactService } from './service.ts';
