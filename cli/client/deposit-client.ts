import { apiPrefix, fillRoute, routes } from '../../core/contract/routes.ts'
import type { DepositBody, FileBody, SearchBody, SortBody } from '../../core/contract/schemas.ts'
import { UsageFailure } from '../failure.ts'
import { isDeposit, isFile, isFileList, isMe, isSearch, type MeBody } from './bodies.ts'
import type { Connection } from './connection.ts'

export type Metadata = Readonly<Record<string, unknown>>

/** Parameters of a search, as they stand in the query string. */
export type SearchParameters = Readonly<
  Partial<Record<'q' | 'page' | 'size' | 'sort' | 'status', string>>
>

/** The REST interface: one method a route. Each throws `Failure` with what it tried. */
export class DepositClient {
  readonly connection: Connection

  constructor(connection: Connection) {
    this.connection = connection
  }

  create(document: Metadata): Promise<DepositBody> {
    const path = pathOf(routes.depositList)
    return this.connection.json('create a deposit', isDeposit, {
      method: 'POST',
      path,
      json: document,
    })
  }

  search(parameters: SearchParameters): Promise<SearchBody> {
    const query = new URLSearchParams(parameters)
    const path = `${pathOf(routes.depositList)}?${query}`
    return this.connection.json('list the deposits', isSearch, { method: 'GET', path })
  }

  read(id: string): Promise<DepositBody> {
    return this.connection.json(`read ${id}`, isDeposit, { method: 'GET', path: itemPath(id) })
  }

  /** @param revision refuses with `stale_revision` when the deposit has another one by now */
  replace(id: string, document: Metadata, revision?: number): Promise<DepositBody> {
    return this.connection.json(`update ${id}`, isDeposit, {
      method: 'PUT',
      path: itemPath(id),
      json: document,
      headers: revision === undefined ? {} : { 'if-match': `"${revision}"` },
    })
  }

  /** Applies a JSON Patch. @see RFC 6902 */
  patch(id: string, patch: unknown): Promise<DepositBody> {
    return this.connection.json(`patch ${id}`, isDeposit, {
      method: 'PATCH',
      path: itemPath(id),
      json: patch,
      headers: { 'content-type': 'application/json-patch+json' },
    })
  }

  async delete(id: string, { force }: { readonly force: boolean }): Promise<void> {
    const path = `${itemPath(id)}${force ? '' : '?force=false'}`
    await this.connection.text(`delete ${id}`, { method: 'DELETE', path })
  }

  runAction(id: string, action: string): Promise<DepositBody> {
    const path = pathOf(routes.depositAction, { pid_value: id, action })
    return this.connection.json(`${action} ${id}`, isDeposit, { method: 'POST', path })
  }

  listFiles(id: string): Promise<FileBody[]> {
    const path = pathOf(routes.fileList, { pid_value: id })
    return this.connection.json(`list the files of ${id}`, isFileList, { method: 'GET', path })
  }

  sortFiles(id: string, order: SortBody): Promise<FileBody[]> {
    const path = pathOf(routes.fileList, { pid_value: id })
    return this.connection.json(`sort the files of ${id}`, isFileList, {
      method: 'PUT',
      path,
      json: order,
    })
  }

  renameFile(id: string, key: string, filename: string): Promise<FileBody> {
    return this.connection.json(`rename ${key} of ${id}`, isFile, {
      method: 'PUT',
      path: pathOf(routes.fileItem, { pid_value: id, key }),
      json: { filename },
    })
  }

  async deleteFile(id: string, key: string): Promise<void> {
    const path = pathOf(routes.fileItem, { pid_value: id, key })
    await this.connection.text(`delete ${key} of ${id}`, { method: 'DELETE', path })
  }

  /** Whose the token is, and what it allows. */
  me(): Promise<MeBody> {
    return this.connection.json('ask who you are', isMe, {
      method: 'GET',
      path: `${apiPrefix}/me`,
    })
  }
}

function itemPath(id: string): string {
  return pathOf(routes.depositItem, { pid_value: id })
}

/**
 * Fills a route with what the user named. A dot segment would lead to another resource: `rm ID ..`
 * must not delete the deposit.
 */
export function pathOf(route: string, values: Readonly<Record<string, string>> = {}): string {
  const stray = Object.values(values).find((value) => /(?:^|\/)\.{0,2}(?:\/|$)/.test(value))
  if (stray === undefined) return apiPrefix + fillRoute(route, values)
  throw new UsageFailure({
    tried: `find "${stray}"`,
    said: 'that is neither an identifier nor the name of a file',
    next: 'see the deposits with `deposit list` and their files with `deposit files ID`',
  })
}
