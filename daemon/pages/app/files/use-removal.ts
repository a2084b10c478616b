import { useEffect, useRef, useState } from 'preact/hooks'
import { counted, text } from '../../text/text.ts'
import type { DepositFile, FileApi } from '../api/files.ts'
import { ApiProblem } from '../api/http.ts'
import { say, sayFailure } from '../ui/messages.tsx'

/** Milliseconds in which a removal can be taken back. */
const grace = 8_000

/** Files that are deleted at the same time. */
const atOnce = 4

/** Of so many files, a page that is left deletes them before it goes. */
const few = 20

interface Removal {
  /** Ids of files that are about to go. */
  readonly leaving: ReadonlySet<string>
  readonly remove: (files: readonly DepositFile[]) => void
  /** How far the removal of many files is; absent while there is none. */
  readonly progress: Progress | undefined
}

interface Progress {
  readonly done: number
  readonly total: number
}

/**
 * Removes files after a while in which that can be undone: a file that is deleted is gone with its
 * versions. A page that is left does not wait.
 */
export function useRemoval(api: FileApi, onRemoved: () => Promise<void>): Removal {
  const [leaving, setLeaving] = useState<ReadonlySet<string>>(new Set())
  const [progress, setProgress] = useState<Progress>()
  const pending = useRef(new Map<string, DepositFile>())
  const show = () => setLeaving(new Set(pending.current.keys()))
  const stay = (files: readonly DepositFile[]) => {
    for (const { id } of files) pending.current.delete(id)
    show()
  }
  const finish = async (files: readonly DepositFile[]) => {
    const isMany = files.length > few
    let done = 0
    const tell = () => isMany && setProgress({ done, total: files.length })
    tell()
    try {
      await removeAll(api, files, (file) => {
        pending.current.delete(file.id)
        done += 1
        if (done % few === 0) tell()
      })
    } catch (error) {
      sayFailure(error)
    }
    setProgress(undefined)
    await onRemoved()
    // Those that could not be removed are shown again.
    stay(files)
  }
  const remove = (files: readonly DepositFile[]) => {
    for (const file of files) pending.current.set(file.id, file)
    show()
    const [first] = files
    const said =
      files.length === 1 && first
        ? text('file.removed', { name: first.filename })
        : counted('files.removed', files.length)
    const timer = setTimeout(() => void finish(files), grace)
    const dismiss = say(said, {
      forMs: grace,
      undo: () => {
        clearTimeout(timer)
        stay(files)
        dismiss()
      },
    })
  }
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (pending.current.size > few) event.preventDefault()
    }
    const flush = () => {
      for (const file of pending.current.values()) void api.remove(file, true)
      pending.current.clear()
    }
    addEventListener('beforeunload', warn)
    addEventListener('pagehide', flush)
    return () => {
      removeEventListener('beforeunload', warn)
      removeEventListener('pagehide', flush)
    }
  }, [api])
  return { leaving, remove, progress }
}

/** @throws the first failure, after which no other file is removed */
async function removeAll(
  api: FileApi,
  files: readonly DepositFile[],
  onRemoved: (file: DepositFile) => void,
): Promise<void> {
  const line = [...files]
  const work = async (): Promise<void> => {
    for (let file = line.shift(); file !== undefined; file = line.shift()) {
      try {
        await api.remove(file)
      } catch (error) {
        if (!isGone(error)) {
          line.length = 0
          throw error
        }
      }
      onRemoved(file)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

/** Another tab or program may have deleted it. */
function isGone(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 404
}
