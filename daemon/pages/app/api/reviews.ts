import type { CommentBody, CommentListBody } from '../../../../core/contract/review.ts'
import type { SearchResult } from './deposits.ts'
import { callJson } from './http.ts'
import { fillPath, type Page } from './page.ts'

/** Comments on deposits, and the drafts that wait for review. */
export function reviewApi({ routes }: Pick<Page, 'routes'>) {
  const comments = (id: string): string => `${fillPath(routes.deposits, id)}/comments`
  return {
    /** Oldest first. */
    comments: (id: string) => callJson<CommentListBody>(comments(id)),
    comment: (id: string, words: string) =>
      callJson<CommentBody>(comments(id), { method: 'POST', body: { text: words } }),
    /** How many drafts wait: for reviewers all of them, else one's own. */
    count: async () =>
      (await callJson<SearchResult>(`${routes.list}?review=submitted&size=1`)).hits.total,
  }
}

/** Address of the list of drafts that wait for review. */
export function reviewsUrl({ pages }: Pick<Page, 'pages'>): string {
  return `${pages.list}?review=submitted`
}
