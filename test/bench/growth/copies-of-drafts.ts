import { hex, uuidOf, type Copies } from './grown.ts'

/** Rows of a draft without files that a request made. */
type DraftRows = Readonly<Record<'deposits' | 'versions', object>> & {
  readonly pids: readonly object[]
}

/** Adds copies of a draft, each with an id of its own. */
export class CopiesOfDrafts {
  readonly #copies: Copies
  readonly #rows: DraftRows

  constructor(copies: Copies, id: string) {
    const { row } = copies
    const deposits = row('deposits', `id = '${id}'`)
    const versions = row('versions', `deposit_id = '${id}'`)
    this.#copies = copies
    this.#rows = {
      deposits,
      versions,
      pids: [id, String(versions['concept'])].map((value) => row('pids', `pid_value = '${value}'`)),
    }
  }

  /**
   * @param changed columns that the copy has otherwise, by table
   * @returns the id of the copy
   */
  add(
    number: number,
    changed: { readonly deposits?: object; readonly versions?: object } = {},
  ): string {
    const { add } = this.#copies
    const [id, bucket, concept] = [hex(number, 32), uuidOf(number), `copy-${number}`]
    add('deposits', { ...this.#rows.deposits, id, bucket_id: bucket, ...changed.deposits })
    add('versions', { ...this.#rows.versions, deposit_id: id, concept, ...changed.versions })
    add('numbers', { deposit_id: id })
    for (const [at, pid] of this.#rows.pids.entries())
      add('pids', { ...pid, pid_value: [id, concept][at], object_uuid: uuidOf(2 * number + at) })
    return id
  }
}
