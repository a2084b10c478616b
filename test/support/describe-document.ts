import { describe, exportFormats, filenameOf, mediaTypeOf } from '../../core/index.ts'
import type { Description, JsonObject, Source } from '../../core/index.ts'

const origin = 'https://deposit.example.org'
const sha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** A record with this document, described as the daemon does. @param keys names of its files */
export function describeDocument(
  metadata: JsonObject,
  keys: readonly string[] = [],
  value = 'abcde-12345',
): Description {
  return describe(sourceOf(metadata, keys, value))
}

/** The data from which the daemon would describe the same record. */
export function sourceOf(
  metadata: JsonObject,
  keys: readonly string[] = [],
  value = 'abcde-12345',
): Source {
  const api = `${origin}/api/records/${value}`
  const url = `${origin}/records/${value}`
  return {
    id: value,
    isDraft: false,
    revision: 0,
    created: '2026-11-22T00:00:00Z',
    updated: '2026-11-22T00:00:00Z',
    metadata,
    document: { ...metadata, _deposit: { id: 'd' } },
    files: keys.map((key, at) => ({
      key,
      size: at * 1000,
      sha256,
      mediaType: mediaTypeOf(key),
      url: `${origin}/api/files/b/${key.split('/').map(encodeURIComponent).join('/')}`,
    })),
    url,
    links: { self: api, html: url, exports: `${api}/export` },
    exports: exportFormats.map((format) => ({
      name: format.name,
      title: format.title,
      mediaType: format.mediaTypes[0] ?? '',
      profile: format.profile,
      filename: filenameOf(format, value),
      url: `${api}/export/${format.name}`,
    })),
    publisher: { name: 'deposit.example.org', ror: undefined },
    origin,
    today: '2026-11-22',
  }
}
