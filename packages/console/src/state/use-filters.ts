// The filters of a page, which are query parameters of its URL.
import { useSearch } from '@tanstack/react-router';

export type Filters = Record<string, string | undefined>;

export const useFilters = (): Filters => useSearch({ strict: false });
