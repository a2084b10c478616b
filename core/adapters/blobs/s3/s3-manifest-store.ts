import type { StrangeFile } from '../../../ports/blob-store.ts'
import {
  parseManifest,
  toManifestText,
  type ManifestName,
  type ManifestStore,
} from '../../../ports/manifest-store.ts'
import type { Bucket } from './bucket.ts'

const folder = 'records/'
const keyPattern = /^records\/([^/]+)\/(\d{1,9})\.json$/

/**
 * Manifests as objects, `records/<value>/<revision>.json`, each with a digest of itself.
 *
 * @param bucket is closed with them
 */
export function openS3Manifests(bucket: Bucket): ManifestStore {
  const keyOf = ({ value, revision }: ManifestName): string =>
    `${folder}${encodeURIComponent(value)}/${revision}.json`
  return {
    write: (manifest, signal) =>
      bucket.put(
        keyOf({ value: manifest.pid.value, revision: manifest.revision }),
        toManifestText(manifest),
        { ...(signal && { signal }) },
      ),
    read: async (name) => {
      const found = await bucket.get(keyOf(name))
      return found && parseManifest(found.toString())
    },
    list: () => list(bucket),
    [Symbol.asyncDispose]: async () => bucket[Symbol.dispose](),
  }
}

async function* list(bucket: Bucket): AsyncGenerator<ManifestName | StrangeFile, void, undefined> {
  if (!bucket.isThere) return
  for await (const { key } of bucket.list(folder)) {
    const [, value, revision] = keyPattern.exec(key) ?? []
    if (value === undefined || revision === undefined) yield { strange: key }
    else yield { value: decodeURIComponent(value), revision: Number(revision) }
  }
}
