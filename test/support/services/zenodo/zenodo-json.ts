import { asText, type Json } from '../exchange.ts'
import type { Item, StoredFile } from '../invenio/store.ts'

/** Prefix of the sandbox, as this is one. @see https://developers.zenodo.org/#testing */
export const doiOf = (id: string): string => `10.5072/zenodo.${id}`

/** @see https://developers.zenodo.org/#representation */
export function deposition(item: Item, origin: string, latest?: Item, open?: Item): Json {
  const { draft, published, id, concept } = item
  const { document = {}, files } = draft ?? published ?? {}
  const api = `${origin}/api/deposit/depositions/${id}`
  const doi = asText(document['doi']) || doiOf(id)
  const registered = published && {
    doi,
    doi_url: `https://doi.org/${doi}`,
    conceptdoi: doiOf(concept),
    record_url: `${origin}/records/${id}`,
  }
  const publicLinks = published && {
    doi: `https://doi.org/${doi}`,
    parent_doi: `https://doi.org/${doiOf(concept)}`,
    badge: `${origin}/badge/doi/${encodeURIComponent(doi)}.svg`,
    record: `${origin}/api/records/${id}`,
    record_html: `${origin}/records/${id}`,
    latest: `${origin}/api/records/${latest?.id ?? id}`,
    latest_html: `${origin}/records/${latest?.id ?? id}`,
  }
  const metadata = {
    ...document,
    ...(published && { doi }),
    prereserve_doi: { doi: doiOf(id), recid: Number(id) },
  }
  return {
    created: item.created,
    modified: item.updated,
    id: Number(id),
    conceptrecid: concept,
    record_id: Number(id),
    ...registered,
    owner: item.owner,
    title: document['title'] ?? '',
    state: draft ? (published ? 'inprogress' : 'unsubmitted') : 'done',
    submitted: published !== undefined,
    metadata,
    files: [...(files?.values() ?? [])].map((file) => depositionFile(file, item, origin)),
    links: {
      self: api,
      html: `${origin}/deposit/${id}`,
      files: `${api}/files`,
      bucket: `${origin}/api/files/${item.bucket}`,
      latest_draft: `${origin}/api/deposit/depositions/${open?.id ?? id}`,
      latest_draft_html: `${origin}/deposit/${open?.id ?? id}`,
      publish: `${api}/actions/publish`,
      edit: `${api}/actions/edit`,
      discard: `${api}/actions/discard`,
      newversion: `${api}/actions/newversion`,
      ...publicLinks,
    },
  }
}

/** MD5 without a prefix here. @see https://developers.zenodo.org/#deposition-files */
export function depositionFile({ id, key, content }: StoredFile, item: Item, origin: string): Json {
  const draft = `${origin}/api/records/${item.id}/draft/files/${encodeURIComponent(key)}/content`
  return {
    id,
    filename: key,
    filesize: content?.size,
    checksum: content?.md5,
    links: { self: `${origin}/api/deposit/depositions/${item.id}/files/${id}`, download: draft },
  }
}

/** MD5 with a prefix here. @see https://developers.zenodo.org/#quickstart-upload */
export function bucketFile(
  { key, content, versionId, created }: StoredFile,
  item: Item,
  origin: string,
): Json {
  const self = `${origin}/api/files/${item.bucket}/${encodeURIComponent(key)}`
  return {
    created,
    updated: created,
    version_id: versionId,
    key,
    size: content?.size,
    mimetype: 'application/octet-stream',
    checksum: `md5:${content?.md5 ?? ''}`,
    is_head: true,
    delete_marker: false,
    links: { self, version: `${self}?version_id=${versionId}`, uploads: `${self}?uploads=1` },
  }
}

/** @see https://github.com/zenodo/zenodo-rdm `site/zenodo_rdm/legacy/serializers/schemas/zenodojson.py` */
export function zenodoRecord(item: Item, origin: string, latest?: Item): Json {
  const { document = {}, files } = item.published ?? {}
  const {
    upload_type,
    publication_type,
    image_type,
    license,
    communities: _,
    ...metadata
  } = document
  const { id, concept } = item
  const doi = asText(document['doi']) || doiOf(id)
  const subtype = publication_type ?? image_type
  const newest = latest?.id ?? id
  return {
    created: item.created,
    modified: item.updated,
    id: Number(id),
    recid: id,
    conceptrecid: concept,
    conceptdoi: doiOf(concept),
    doi,
    doi_url: `https://doi.org/${doi}`,
    title: document['title'],
    owners: [{ id: String(item.owner) }],
    revision: item.revision,
    state: 'done',
    submitted: true,
    status: 'published',
    metadata: {
      ...metadata,
      doi,
      resource_type: {
        type: upload_type,
        title: upload_type,
        ...(subtype !== undefined && { subtype }),
      },
      ...(license !== undefined && { license: { id: license } }),
      relations: { version: [{ index: item.index - 1, is_last: newest === id }] },
    },
    files: [...(files?.values() ?? [])].map(({ key, content, id: file }) => ({
      id: file,
      key,
      size: content?.size,
      checksum: `md5:${content?.md5 ?? ''}`,
      links: { self: `${origin}/api/records/${id}/files/${encodeURIComponent(key)}/content` },
    })),
    links: {
      self: `${origin}/api/records/${id}`,
      self_html: `${origin}/records/${id}`,
      doi: `https://doi.org/${doi}`,
      files: `${origin}/api/records/${id}/files`,
      latest: `${origin}/api/records/${newest}`,
      latest_html: `${origin}/records/${newest}`,
      versions: `${origin}/api/records/${id}/versions`,
    },
  }
}
