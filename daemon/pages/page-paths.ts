import type { ApiRoutes } from '../endpoints.ts'
import type { PagePaths } from './wire/page-data.ts'

/** Where the pages are: the list and its kin stand above the pages of deposits. */
export function pagePaths({
  depositPage,
  recordPage,
}: Pick<ApiRoutes, 'depositPage' | 'recordPage'>): PagePaths {
  const [above = ''] = depositPage.split('/{pid_value}')
  return {
    list: above || '/',
    new: `${above}/new`,
    signedIn: `${above}/signed-in`,
    deposit: depositPage,
    record: recordPage,
  }
}
