import { useEffect, useRef, useState } from 'preact/hooks'
import type { TrashedFileBody } from '../../../../core/contract/history.ts'
import { counted, text } from '../../text/text.ts'
import type { DepositFile, FileApi } from '../api/files.ts'
import { ApiProblem } from '../api/http.ts'
import { track } from '../api/pending.ts'
import { isTaken } from '../past/restore-dialog.tsx'
import { say, sayFailure } from '../ui/messages.tsx'

/** Milliseconds for which the way back is offered. Afterwards it is among the deleted files. */
const offered = 8_000

/** Files that are deleted at the same time. */
const atOnce = 4

/** Of more files, it is told how far their removal is, and a page that is left asks first. */
const few = 20

interface Removal {
  /** Ids of files that are about to go. */
  readonly leaving: ReadonlySet<string>
  readonly remove: (files: readonly DepositFile[]) => void
  /** Offers to bring files back that were replaced. @param now all files, with those in their place */
  readonly offerUndoOfReplace: (replaced: ReadonlySet<string>, now: readonly DepositFile[]) => void
  /** How far the removal of many files is; absent while there is none. */
  readonly progress: Progress | undefined
  /** A deleted file that cannot come back under its name: another one has it. */
  readonly taken: TrashedFileBody | undefined
  /** Called once that file is back, or is left where it is. */
  readonly onAnswered: () => void
}

interface Progress {
  readonly done: number
  readonly total: number
}

/**
 * Deletes files at once; an undo brings them back from the deleted files.
 *
 * @param onChanged asks for the list of files
 */
export function useRemoval(api: FileApi, onChanged: () => Promise<void>): Removal {
  const [leaving, setLeaving] = useState<ReadonlySet<string>>(new Set())
  const [taken, setTaken] = useState<readonly TrashedFileBody[]>([])
  const [progress, setProgress] = useState<Progress>()
  const waiting = useRef(new Map<string, DepositFile>())
  const remove = (files: readonly DepositFile[]) => {
    const ids = new Set(files.map(({ id }) => id))
    for (const file of files) waiting.current.set(file.id, file)
    setLeaving((before) => new Set([...before, ...ids]))
    const total = files.length
    const tell = (done: number) => total > few && setProgress({ done, total })
    const work = async () => {
      tell(0)
      const removed = await removeAll(api, files, {
        waiting: waiting.current,
        onRemoved: (done) => done % few === 0 && tell(done),
      })
      setProgress(undefined)
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
  const offerUndoOfReplace = async (replaced: ReadonlySet<string>, now: readonly DepositFile[]) => {
    const old = (await api.trash()).filter(({ id }) => replaced.has(id))
    if (old.length === 0) return
    const dismiss = say(counted('files.replaced', old.length), {
      forMs: offered,
      undo: () => {
        dismiss()
        const work = async () => {
          const found = await undoReplace(api, old, now)
          setTaken((before) => [...before, ...found])
          await onChanged()
        }
        track(work()).catch(sayFailure)
      },
    })
  }
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (waiting.current.size > few) event.preventDefault()
    }
    const flush = () => {
      for (const file of waiting.current.values()) void api.remove(file, true)
      waiting.current.clear()
    }
    addEventListener('beforeunload', warn)
    addEventListener('pagehide', flush)
    return () => {
      removeEventListener('beforeunload', warn)
      removeEventListener('pagehide', flush)
    }
  }, [api])
  return {
    leaving,
    remove,
    offerUndoOfReplace: (replaced, now) => void offerUndoOfReplace(replaced, now).catch(sayFailure),
    progress,
    taken: taken[0],
    onAnswered: () => setTaken((before) => before.slice(1)),
  }
}

interface Removing {
  /** Those that are not deleted yet, for a page that is left. */
  readonly waiting: Map<string, DepositFile>
  readonly onRemoved: (done: number) => void
}

/**
 * Answers those that are deleted. A file that was replaced meanwhile stays, and that is told; the first
 * failure is told, and ends it.
 */
async function removeAll(
  api: FileApi,
  files: readonly DepositFile[],
  { waiting, onRemoved }: Removing,
): Promise<readonly DepositFile[]> {
  const removed: DepositFile[] = []
  const line = [...files]
  const work = async (): Promise<void> => {
    for (let file = line.shift(); file !== undefined; file = line.shift()) {
      if (!waiting.has(file.id)) continue
      waiting.delete(file.id)
      try {
        await api.remove(file, true)
      } catch (error) {
        if (isGone(error)) continue
        if (isReplaced(error)) {
          say(text('file.replaced', { name: file.filename }), { kind: 'bad' })
          continue
        }
        for (const { id } of line.splice(0)) waiting.delete(id)
        throw error
      }
      removed.push(file)
      onRemoved(removed.length)
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, work))
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed) sayFailure(failed.reason)
  return removed
}

/** Another tab or program may have deleted it. */
function isGone(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 404
}

/** Another tab or program may have replaced it. */
function isReplaced(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 412
}

/** Answers those whose names other files have. */
async function restoreAll(
  api: FileApi,
  files: readonly DepositFile[],
): Promise<readonly TrashedFileBody[]> {
  // A list that was out of date may have named an older file: the one that went last was deleted here.
  const trashed = new Map<string, TrashedFileBody>()
  for (const file of await api.trash()) {
    const before = trashed.get(file.filename)
    if (!before || before.deleted < file.deleted) trashed.set(file.filename, file)
  }
  const taken: TrashedFileBody[] = []
  let missing = 0
  for (const { filename } of files) {
    const file = trashed.get(filename)
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

/** Deletes the files that took the place of others, and brings those back; answers those that cannot be. */
async function undoReplace(
  api: FileApi,
  old: readonly TrashedFileBody[],
  now: readonly DepositFile[],
): Promise<readonly TrashedFileBody[]> {
  const taken: TrashedFileBody[] = []
  for (const file of old) {
    const present = now.find(({ filename }) => filename === file.filename)
    try {
      if (present) await api.remove(present)
    } catch (error) {
      // Replaced once more, it stays, and the restored one needs another name.
      if (!isGone(error) && !isReplaced(error)) throw error
    }
    try {
      await api.restore(file)
    } catch (error) {
      if (!isTaken(error)) throw error
      taken.push(file)
    }
  }
  return taken
}
