// The errors of search.
import { defineErrors } from '../../error-definition.ts';

export const searchErrors = defineErrors({
  invalid_search: {
    status: 422,
    message: 'The search cannot be read.',
    when: 'A term of q is not part of the query language: a quotation mark without end, or an operator with a value that it does not take.',
    fix: 'Correct the term at the position that detail names; put text with special characters in quotation marks.',
  },
  too_many_terms: {
    status: 422,
    message: 'The search has too many terms.',
    when: 'q has more than 12 terms.',
    fix: 'Use at most 12 words, phrases and operators.',
  },
  search_off: {
    status: 503,
    message: 'Search is turned off on this server.',
    when: 'The server runs with PARLEY_SEARCH=off, and the request needs the search index.',
    fix: 'Use lists without q, from, to, label and metadata. The operator can set PARLEY_SEARCH=on and run rebuild-projections.',
  },
});
