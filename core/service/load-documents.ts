import type { SchemaUrl } from '../deposit/document.ts'
import type { Readers } from '../ports/database.ts'
import type { LoadDocuments } from '../ports/search-index.ts'
import { toIndexedDeposit, toIndexedRecord } from '../search/indexed-document.ts'

/** Reads what an index is built from: the rows a visibility covers. */
export function loadDocuments({ deposits, records }: Readers, schemaUrl: SchemaUrl): LoadDocuments {
  return async function* (visibility) {
    if (visibility.of === 'records') {
      for await (const record of records.eachListed()) yield toIndexedRecord(record, schemaUrl)
    } else {
      for await (const deposit of deposits.each(visibility)) {
        yield toIndexedDeposit(deposit, schemaUrl)
      }
    }
  }
}
