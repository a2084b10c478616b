import type { IndexedDocument, Visibility } from '../../core/ports/search-index.ts'

/** The rows, with counts of how often they are read and by whom. */
export class Rows {
  readonly documents = new Map<string, IndexedDocument>()
  readonly loads: Visibility[] = []
  read = 0
  /** Called between two rows. */
  between: (read: number) => Promise<void> | void = () => {}

  readonly load = async function* (this: Rows, visibility: Visibility) {
    this.loads.push(visibility)
    for (const id of this.documents.keys()) {
      const document = this.documents.get(id)
      if (!document || !isVisible(document, visibility)) continue
      this.read += 1
      await this.between(this.read)
      yield document
    }
  }.bind(this)

  /** The number of documents of a kind. */
  count(kind: 'deposits' | 'records'): number {
    return [...this.documents.values()].filter((row) => isVisible(row, { of: kind })).length
  }

  add(document: IndexedDocument): void {
    this.documents.set(`${document.kind} ${document.id}`, document)
  }

  remove(document: IndexedDocument): void {
    this.documents.delete(`${document.kind} ${document.id}`)
  }
}

function isVisible(document: IndexedDocument, visibility: Visibility): boolean {
  if (visibility.of === 'records') return document.kind === 'record'
  if (document.kind !== 'deposit') return false
  return visibility.of === 'deposits' || document.owners.includes(visibility.user)
}
