import { asJson, type Exchange, type Json } from '../exchange.ts'
import type { InvenioStore, Item, StoredFile, Version } from '../invenio/store.ts'

export const doiOf = (id: string): string => `10.5072/${id}`

export const draftJson = (item: Item, exchange: Exchange, store: InvenioStore): Json =>
  toJson(item, item.draft, exchange, store, true)

export const recordJson = (item: Item, exchange: Exchange, store: InvenioStore): Json =>
  toJson(item, item.published, exchange, store, false)

/** @see https://inveniordm.docs.cern.ch/reference/rest_api_drafts_records/ */
function toJson(
  item: Item,
  version: Version | undefined,
  { origin }: Exchange,
  store: InvenioStore,
  isDraft: boolean,
): Json {
  const { id, concept, index, owner } = item
  const { document = {}, files } = version ?? {}
  const record = `${origin}/api/records/${id}`
  const self = isDraft ? `${record}/draft` : record
  const entries = [...(files?.values() ?? [])].filter(({ isCommitted }) => isCommitted)
  const isPublished = item.published !== undefined
  const open = [...store.items.values()].findLast((other) => other.concept === concept)
  return {
    id,
    created: item.created,
    updated: item.updated,
    revision_id: item.revision,
    is_published: isPublished,
    is_draft: isDraft,
    status: isDraft
      ? isPublished
        ? 'draft'
        : index > 1
          ? 'new_version_draft'
          : 'draft'
      : 'published',
    versions: { index, is_latest: store.latest(item)?.id === id, is_latest_draft: open?.id === id },
    parent: { id: concept, access: { owned_by: { user: String(owner) } }, communities: {} },
    access: { record: 'public', files: 'public', ...asJson(document['access']), status: 'open' },
    pids: asJson(document['pids']),
    metadata: asJson(document['metadata']),
    custom_fields: asJson(document['custom_fields']),
    files: {
      enabled: asJson(document['files'])['enabled'] !== false,
      order: [],
      count: entries.length,
      total_bytes: entries.reduce((sum, { content }) => sum + (content?.size ?? 0), 0),
      entries: Object.fromEntries(entries.map((file) => [file.key, fileJson(file, self)])),
    },
    links: {
      self,
      self_html: isDraft ? `${origin}/uploads/${id}` : `${origin}/records/${id}`,
      files: `${self}/files`,
      draft: `${record}/draft`,
      versions: `${record}/versions`,
      latest: `${record}/versions/latest`,
      latest_html: `${origin}/records/${id}/latest`,
      ...(isDraft && {
        publish: `${self}/actions/publish`,
        reserve_doi: `${self}/pids/doi`,
        record,
      }),
    },
  }
}

/** @param base address of the draft or record */
export function fileJson(
  { key, id, versionId, created, content, isCommitted, parts }: StoredFile,
  base: string,
): Json {
  const self = `${base}/files/${encodeURIComponent(key)}`
  const urls =
    parts &&
    Array.from({ length: parts.count }, (_, at) => ({
      part: at + 1,
      url: `${self}/content/${at + 1}`,
    }))
  const digest = content?.md5.includes('-')
    ? `multipart:${content.md5}`
    : `md5:${content?.md5 ?? ''}`
  return {
    key,
    created,
    updated: created,
    metadata: null,
    status: isCommitted ? 'completed' : 'pending',
    transfer: { type: parts ? 'M' : 'L' },
    ...(isCommitted && {
      file_id: id,
      version_id: versionId,
      size: content?.size,
      checksum: digest,
      mimetype: 'application/octet-stream',
      storage_class: 'L',
    }),
    links: {
      self,
      content: `${self}/content`,
      commit: `${self}/commit`,
      ...(urls && { parts: urls }),
    },
  }
}
