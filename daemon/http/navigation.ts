/**
 * Where a link on a stranger's page may lead a person: to records and their files, to pages, and to
 * the sign-in that a program of others begins. Not to what only programs ask for.
 */
const closed = /^\/(?:api|local|oauth|metrics)(?:\/|$)/
const open = /^\/(?:api\/(?:records|files)\/|oauth\/(?:auth|passphrase)$|oauth\/interaction\/)/

/** @param route the pattern of the route, so that no spelling of a path passes for another one */
export function isOpenToNavigation(route: string): boolean {
  return open.test(route) || !closed.test(route)
}
