import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks'
import type { Deposit } from '../api/deposits.ts'
import { fileApi } from '../api/files.ts'
import type { DepositFile, FileApi, UnfinishedUpload } from '../api/files.ts'
import { passes } from '../api/http.ts'
import { fillPath } from '../api/page.ts'
import type { Page } from '../api/page.ts'
import { say, sayFailure } from '../ui/messages.tsx'
import { findBegun } from './unfinished-uploads.ts'
import { UploadQueue } from './upload-queue.ts'
import { text } from '../../text/text.ts'

export interface FilesOfDeposit {
  readonly api: FileApi
  readonly files: readonly DepositFile[] | undefined
  /** Uploads that are not finished, and that this page does not send. */
  readonly unfinished: readonly UnfinishedUpload[]
  /** Shows the files in another order at once, and asks the daemon for it. */
  readonly sort: (files: readonly DepositFile[]) => Promise<void>
  readonly reload: () => Promise<void>
  readonly queue: UploadQueue
}

/**
 * The files of a deposit and what is being uploaded to it.
 *
 * @param onUploads told which uploads are not finished, each time the daemon was asked
 */
export function useFiles(
  { routes }: Page,
  deposit: Deposit,
  onUploads: (ids: ReadonlySet<string>) => void,
): FilesOfDeposit {
  const { id, revision } = deposit
  const [files, show] = useState<readonly DepositFile[]>()
  const [begun, setBegun] = useState<readonly UnfinishedUpload[]>()
  const [failures, setFailures] = useState(0)
  const known = useRef(begun)
  known.current = begun
  const again = useRef<() => void>(() => {})
  const api = useMemo(() => fileApi(deposit), [id])
  const queue = useMemo(
    () =>
      new UploadQueue(fillPath(routes.uploads, id), {
        findBegun: async (chosen, underWay) => {
          // A file may be chosen before the first list is there.
          const uploads = known.current ?? (await api.uploads())
          const others = uploads.filter((upload) => !underWay.has(upload.id))
          return findBegun(api, others, chosen)
        },
        onChange: () => again.current(),
      }),
    [id],
  )
  const ask = useTurns(show)
  const reload = useCallback(async () => {
    const stored = queue.stored
    try {
      const [isShown, uploads] = await Promise.all([ask(() => api.list()), api.uploads()])
      setBegun(uploads)
      onUploads(new Set(uploads.map((upload) => upload.id)))
      if (isShown) queue.forget(stored)
      setFailures(0)
    } catch (error) {
      if (!passes(error)) {
        sayFailure(error)
        setFailures(0)
        return
      }
      setFailures((count) => {
        if (count === 0) sayFailure(error)
        return count + 1
      })
    }
  }, [api, queue])
  again.current = () => void reload()
  const sort = async (sorted: readonly DepositFile[]) => {
    show(sorted)
    try {
      await ask(() => api.sort(sorted.map((file) => file.id)))
    } catch (error) {
      sayFailure(error)
      await reload()
    }
  }
  const [, draw] = useReducer((count: number) => count + 1, 0)
  useEffect(() => queue.subscribe(() => draw(undefined)), [queue])
  useEffect(() => void reload(), [api, revision])
  useRefresh(reload, failures)
  const unfinished = (begun ?? []).filter((upload) => !queue.underWay.has(upload.id))
  return { api, files, unfinished, sort, reload, queue }
}

/** Milliseconds before a list that could not be had is asked for again. */
const retryDelays = [1_000, 3_000, 8_000, 20_000] as const

/** Asks again after a failure, and when the page or the network comes back. */
function useRefresh(reload: () => Promise<void>, failures: number): void {
  useEffect(() => {
    const refresh = () => {
      if (document.visibilityState === 'visible') void reload()
    }
    addEventListener('online', refresh)
    addEventListener('focus', refresh)
    return () => {
      removeEventListener('online', refresh)
      removeEventListener('focus', refresh)
    }
  }, [reload])
  useEffect(() => {
    if (failures === 0) return undefined
    const timer = setTimeout(() => void reload(), retryDelays[failures - 1] ?? retryDelays[3])
    return () => clearTimeout(timer)
  }, [reload, failures])
}

type Files = readonly DepositFile[]

/**
 * Asks one after another, so that no answer is older than what is shown already; only the last in
 * line is shown. Answers whether it was.
 */
function useTurns(show: (files: Files) => void): (ask: () => Promise<Files>) => Promise<boolean> {
  const line = useRef<Promise<unknown>>(Promise.resolve())
  const last = useRef(0)
  return async (ask) => {
    const number = ++last.current
    const turn = line.current.then(ask)
    line.current = turn.catch(() => undefined)
    const files = await turn
    if (number !== last.current) return false
    show(files)
    return true
  }
}

/** Milliseconds in which a removal can be taken back. */
const grace = 8_000

interface Removal {
  /** Ids of files that are about to go. */
  readonly leaving: ReadonlySet<string>
  readonly remove: (file: DepositFile) => void
}

/**
 * Removes files after a while in which that can be undone: a file that is deleted is gone with its
 * versions. A page that is left does not wait.
 */
export function useRemoval(api: FileApi, onRemoved: () => Promise<void>): Removal {
  const [leaving, setLeaving] = useState<ReadonlySet<string>>(new Set())
  const pending = useRef(new Map<string, DepositFile>())
  const stay = (id: string) => {
    pending.current.delete(id)
    setLeaving(new Set(pending.current.keys()))
  }
  const finish = async (file: DepositFile) => {
    if (!pending.current.delete(file.id)) return
    try {
      await api.remove(file)
    } catch (error) {
      sayFailure(error)
    }
    await onRemoved()
    setLeaving(new Set(pending.current.keys()))
  }
  const remove = (file: DepositFile) => {
    pending.current.set(file.id, file)
    setLeaving(new Set(pending.current.keys()))
    const timer = setTimeout(() => void finish(file), grace)
    const dismiss = say(text('file.removed', { name: file.filename }), {
      forMs: grace,
      undo: () => {
        clearTimeout(timer)
        stay(file.id)
        dismiss()
      },
    })
  }
  useEffect(() => {
    const flush = () => {
      for (const file of pending.current.values()) void api.remove(file, true)
      pending.current.clear()
    }
    addEventListener('pagehide', flush)
    return () => removeEventListener('pagehide', flush)
  }, [api])
  return { leaving, remove }
}
