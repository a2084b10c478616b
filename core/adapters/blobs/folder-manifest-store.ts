import { mkdir, opendir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isProblem, problem } from '../../errors/errors.ts'
import type { StrangeFile } from '../../ports/blob-store.ts'
import {
  parseManifest,
  toManifestText,
  type ManifestName,
  type ManifestStore,
} from '../../ports/manifest-store.ts'
import { AskedThread } from '../../base/asked-thread.ts'
import { lostAndFound, syncFolder, writeTextDurably } from '../../base/durable-files.ts'
import type { ManifestFault, ManifestTexts } from './manifest-worker.ts'
import { StorageHealth } from '../storage-health.ts'
import { isMissing } from '../../base/errno.ts'

const fileName = /^(\d{1,9})\.json$/

/**
 * Manifests as files, `<value>/<revision>.json`, each with a digest of itself.
 *
 * @param health of the disk: after a failed sync, a folder may be there whose name is not durable
 */
export function openFolderManifests(
  root: string,
  health: StorageHealth = new StorageHealth(),
): ManifestStore {
  const pathOf = ({ value, revision }: ManifestName): string =>
    join(root, encodeURIComponent(value), `${revision}.json`)
  const thread = new AskedThread<ManifestTexts, ManifestFault | undefined>(
    import.meta.url,
    'manifest-worker',
    'manifests',
  )
  let begun: Promise<void> | undefined
  /** Folders may have been made by a process that died before its sync: they are found, not durable. */
  const begin = async (): Promise<void> => {
    begun ??= syncFound(root)
    await begun.catch((error: unknown) => {
      begun = undefined
      throw error
    })
  }
  return {
    write: async (manifest) => {
      health.requireSound()
      const path = pathOf({ value: manifest.pid.value, revision: manifest.revision })
      await health.changing(async () => {
        await begin()
        await makeFolder(root)
        await makeFolder(dirname(path))
        await writeTextDurably(path, toManifestText(manifest))
      })
    },
    // Each call of the system by itself would go to a thread and back: that takes longer than the call.
    writeMany: async (manifests) => {
      health.requireSound()
      const texts = manifests.map((manifest) => ({
        path: pathOf({ value: manifest.pid.value, revision: manifest.revision }),
        text: toManifestText(manifest),
      }))
      await health.changing(async () => {
        await begin()
        const fault = await thread.ask({ root, texts })
        if (fault) throw Object.assign(new Error(fault.message), fault)
      })
    },
    read: async (name) => {
      try {
        return parseManifest(await readFile(pathOf(name), 'utf8'))
      } catch (error) {
        if (isProblem(error, 'damaged_file')) throw error
        if (isMissing(error)) return undefined
        throw problem('damaged_file', { cause: error })
      }
    },
    list: () => list(root),
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}

async function makeFolder(path: string): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode: 0o700 })
  if (made !== undefined) await syncFolder(dirname(path))
}

/** Makes the names durable that are there already. */
async function syncFound(root: string): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 })
  await syncFolder(dirname(root))
  await syncFolder(root)
}

async function* list(root: string): AsyncGenerator<ManifestName | StrangeFile, void, undefined> {
  const folders = await opendir(root).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  for await (const folder of folders) {
    if (folder.name === lostAndFound) continue
    if (!folder.isDirectory()) yield { strange: join(root, folder.name) }
    else yield* listFolder(join(root, folder.name), decodeURIComponent(folder.name))
  }
}

async function* listFolder(
  path: string,
  value: string,
): AsyncGenerator<ManifestName | StrangeFile, void, undefined> {
  for await (const entry of await opendir(path)) {
    const revision = fileName.exec(entry.name)?.[1]
    if (entry.isFile() && revision !== undefined) yield { value, revision: Number(revision) }
    // A crash may leave a draft of a manifest: it is ignored.
    else if (!entry.name.endsWith('.new')) yield { strange: join(path, entry.name) }
  }
}
