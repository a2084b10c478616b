import type {
  LinkListBody,
  LinkRequest,
  NewLinkBody,
  PersonBody,
  PersonRequest,
} from '../../../../core/contract/sharing-schemas.ts'
import { call, callJson } from '../api/http.ts'
import { fillPath, type Page } from '../api/page.ts'

export type LinkBody = LinkListBody[number]

/** The people of a deposit, and the links to it. */
export function sharingApi({ routes }: Pick<Page, 'routes'>, id: string) {
  const item = fillPath(routes.deposits, id)
  const within = (list: string, name: string): string =>
    `${item}/${list}/${encodeURIComponent(name)}`
  return {
    people: () => callJson<readonly PersonBody[]>(`${item}/people`),
    add: (person: PersonRequest) =>
      callJson<PersonBody>(`${item}/people`, { method: 'POST', body: { ...person } }),
    remove: (person: string) => call(within('people', person), { method: 'DELETE' }),
    /** Gives up one's own role. */
    leave: () => call(`${item}/people/me`, { method: 'DELETE' }),
    links: () => callJson<LinkListBody>(`${item}/links`),
    makeLink: (link: LinkRequest) =>
      callJson<NewLinkBody>(`${item}/links`, { method: 'POST', body: { ...link } }),
    revoke: (link: string) => call(within('links', link), { method: 'DELETE' }),
  }
}

export type SharingApi = ReturnType<typeof sharingApi>
