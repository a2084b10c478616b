import type { SchemaUrl } from '../deposit/document.ts'
import type { Readers } from '../ports/database.ts'
import type { LoadDocuments, LoadDocumentsById } from '../ports/search-index.ts'
import { parseDepositId } from '../pid/deposit-pid.ts'
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

/** Reads single documents as their rows are now. */
export function loadDocumentsById(
  { deposits, records }: Readers,
  schemaUrl: SchemaUrl,
): LoadDocumentsById {
  return async (kind, ids) => {
    if (kind === 'records') {
      return (await records.findAll(ids)).map((record) => toIndexedRecord(record, schemaUrl))
    }
    const found = await deposits.findAll(ids.map(parseDepositId))
    return found.map((deposit) => toIndexedDeposit(deposit, schemaUrl))
  }
}
