import { parseUserId } from '../../core/access/caller.ts'
import type { JsonObject } from '../../core/base/json.ts'
import type { IndexedDocument } from '../../core/search/indexed-document.ts'

interface Overrides extends Partial<Omit<IndexedDocument, 'owners' | 'document'>> {
  readonly owner?: string
  readonly metadata?: JsonObject
}

/** A draft of Ada's by default, with its document as clients see it. */
export function sampleDocument({ owner = 'ada', metadata = {}, ...given }: Overrides) {
  const fields = {
    id: 'd1',
    kind: 'deposit',
    revision: 0,
    status: 'draft',
    created: '2026-01-01T00:00:00.000Z',
    updated: '2026-01-01T00:00:00.000Z',
    ...given,
  } as const
  const _deposit = { id: fields.id, status: fields.status, owners: [owner], created_by: owner }
  return {
    ...fields,
    owners: [parseUserId(owner)],
    document: { ...metadata, $schema: 'https://example.org/schemas/x.json', _deposit },
  } satisfies IndexedDocument
}
