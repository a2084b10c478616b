import { queries } from './documents.ts'

/** Queries: a word or two that some documents have. */
export const asked = queries(100)

/** URL of the ten most recently changed. */
export function listOfTen(origin: string): string {
  return `${origin}/api/deposits/?size=10`
}

/** URL of the best ten for a query. */
export function searchFor(query: string, origin: string): string {
  return `${listOfTen(origin)}&q=${encodeURIComponent(query)}`
}
