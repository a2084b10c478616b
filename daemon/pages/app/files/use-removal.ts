import { useEffect, useRef, useState } from 'preact/hooks'
import type { TrashedFileBody } from '../../../../core/contract/history.ts'
import { counted, text } from '../../text/text.ts'
import type { DepositFile, FileApi } from '../api/files.ts'
import { track } from '../api/pending.ts'
import { isTaken } from '../past/restore-dialog.tsx'
import { say, sayFailure } from '../ui/messages.tsx'

/** Milliseconds for which the way back is offered. Afterwards it is among the deleted files. */
const offered = 8_000

interface Removal {
  /** Ids of files that are about to go. */
  readonly leaving: ReadonlySet<string>
  readonly remove: (files: readonly DepositFile[]) => void
  /** A deleted file that cannot come back under its name: another one has it. */
  readonly taken: TrashedFileBody | undefined
  /** Called once that file is back, or is left where it is. */
  readonly onAnswered: () => void
}

/**
 * Deletes files at once; an undo brings them back from the deleted files.
 *
 * @param onChanged asks for the list of files
 */
export function useRemoval(api: FileApi, onChanged: () => Promise<void>): Removal {
  const [leaving, setLeaving] = useState<ReadonlySet<string>>(new Set())
  const [taken, setTaken] = useState<readonly TrashedFileBody[]>([])
  const waiting = useRef(new Map<string, DepositFile>())
  const remove = (files: readonly DepositFile[]) => {
    const ids = new Set(files.map(({ id }) => id))
    for (const file of files) waiting.current.set(file.id, file)
    setLeaving((before) => new Set([...before, ...ids]))
    const work = async () => {
      const removed = await removeAll(api, files, waiting.current)
      await onChanged()
      setLeaving((before) => new Set([...before].filter((id) => !ids.has(id))))
      if (removed.length > 0) offerUndo(removed)
    }
    void track(work())
  }
  const offerUndo = (removed: readonly DepositFile[]) => {
    const [first] = removed
    const said =
      removed.length === 1 && first
        ? text('file.removed', { name: first.filename })
        : counted('files.removed', removed.length)
    const dismiss = say(said, {
      forMs: offered,
      undo: () => {
        dismiss()
        track(undo(removed)).catch(sayFailure)
      },
    })
  }
  const undo = async (removed: readonly DepositFile[]) => {
    const found = await restoreAll(api, removed)
    setTaken((before) => [...before, ...found])
    await onChanged()
  }
  useEffect(() => {
    const flush = () => {
      for (const file of waiting.current.values()) void api.remove(file, true)
      waiting.current.clear()
    }
    addEventListener('pagehide', flush)
    return () => removeEventListener('pagehide', flush)
  }, [api])
  return {
    leaving,
    remove,
    taken: taken[0],
    onAnswered: () => setTaken((before) => before.slice(1)),
  }
}

/**
 * Answers those that are deleted; of several failures the first is told.
 *
 * @param waiting those that are not deleted yet, for a page that is left
 */
async function removeAll(
  api: FileApi,
  files: readonly DepositFile[],
  waiting: Map<string, DepositFile>,
): Promise<readonly DepositFile[]> {
  const removed: DepositFile[] = []
  const failures: unknown[] = []
  for (const file of files) {
    if (!waiting.delete(file.id)) continue
    try {
      await api.remove(file, true)
      removed.push(file)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) sayFailure(failures[0])
  return removed
}

/** Answers those whose names other files have. */
async function restoreAll(
  api: FileApi,
  files: readonly DepositFile[],
): Promise<readonly TrashedFileBody[]> {
  const trashed = new Map((await api.trash()).map((file) => [file.id, file]))
  const taken: TrashedFileBody[] = []
  let missing = 0
  for (const { id } of files) {
    const file = trashed.get(id)
    if (!file) {
      missing += 1
      continue
    }
    try {
      await api.restore(file)
    } catch (error) {
      if (!isTaken(error)) throw error
      taken.push(file)
    }
  }
  if (missing > 0) say(counted('files.gone', missing), { kind: 'bad' })
  return taken
}
