// Contacts: the people an organization talks to.
import { contactRoutes } from './routes.ts';
import { contactService } from './service.ts';
import { findContactByParty } from './store.ts';

export { contactPersonalData } from './personal-data-store.ts';
export type { ContactService } from './service.ts';

export function contactFeature(deps: Parameters<typeof contactService>[0]) {
  const service = contactService(deps);
  return {
    service,
    routes: [contactRoutes(service)],
    findByParty: (organization_id: string, party: string) =>
      findContactByParty(deps.db, organization_id, party),
  };
}
export type ContactFeature = ReturnType<typeof contactFeature>;
