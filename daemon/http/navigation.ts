/**
 * Where a link on a stranger's page may lead a person: to records and their files, to pages, and
 * back from an issuer. Not to a sign-in under way, nor to what only programs ask for.
 */
const closed = /^\/(?:api|local|oauth|metrics)(?:\/|$)/
const open = /^\/(?:api\/(?:records|files)\/|oauth\/(?:callback|passphrase)(?:\/|$))/

/** @param route the pattern of the route, so that no spelling of a path passes for another one */
export function isOpenToNavigation(route: string): boolean {
  return open.test(route) || !closed.test(route)
}
