import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import {
  commitChannel,
  isProblem,
  writeManifests,
  type ManifestStore,
  type Parts,
} from '../../core/index.ts'

/** How long commits are gathered before their manifests are written. */
const gatherMs = 200

/**
 * Writes the manifests of what is published, behind those who publish: at every start those that
 * are due still, then after each commit, and once more when it is disposed of.
 */
export function startManifests(
  { database, report }: Pick<Parts, 'database' | 'report'>,
  manifests: ManifestStore,
): AsyncDisposable {
  const stopping = new AbortController()
  let writing = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const write = (): void => {
    timer = undefined
    writing = writing
      .then(() => writeManifests(database, manifests, stopping.signal))
      .catch((error: unknown) => {
        // The rows say which manifests are due: the next commit tries again.
        if (!isProblem(error, 'storage_full')) report(error)
      })
  }
  const wake = (): void => {
    timer ??= setTimeout(write, gatherMs)
  }
  subscribe(commitChannel, wake)
  wake()
  return {
    [Symbol.asyncDispose]: async () => {
      unsubscribe(commitChannel, wake)
      clearTimeout(timer)
      write()
      await writing
    },
  }
}
