import type { DepositBody, FileBody } from '../../core/contract/schemas.ts'
import type { FoundDeposit } from './address.ts'
import { ApiFailure } from './api-failure.ts'
import { isDeposit, isFileList } from './bodies.ts'
import type { Connection } from './connection.ts'

/**
 * Reads records as everybody may, for those who named one and may not see its deposit: they are
 * another user's, or there is no token.
 */
export class PublicReader {
  readonly #connection: Connection
  /** Paths of records by the identifiers of their deposits. */
  readonly #paths = new Map<string, string>()
  readonly #read = new Map<string, DepositBody>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  note({ id, record }: FoundDeposit): void {
    if (record !== undefined) this.#paths.set(id, record)
  }

  /** The identifier of the record that was read in place of a deposit. */
  nameOf(deposit: string): string | undefined {
    return this.#read.get(deposit)?.id
  }

  /**
   * The record in the form of a deposit, under its own identifier.
   *
   * @param cause why the deposit cannot be read; thrown where no record was named
   */
  async read(deposit: string, cause: unknown): Promise<DepositBody> {
    const path = this.#paths.get(deposit)
    if (path === undefined || !isClosed(cause)) throw cause
    const record = await this.#connection.json(`read ${path}`, isDeposit, { method: 'GET', path })
    const shown = { ...record, links: { ...record.links, record: path } }
    this.#read.set(deposit, shown)
    return shown
  }

  async listFiles(deposit: string, cause: unknown): Promise<FileBody[]> {
    const { id, links } = this.#read.get(deposit) ?? (await this.read(deposit, cause))
    const path = links['files'] ?? ''
    return this.#connection.list(`list the files of ${id}`, isFileList, { method: 'GET', path })
  }
}

function isClosed(cause: unknown): boolean {
  return cause instanceof ApiFailure && [401, 403, 404].includes(cause.problem.status)
}
