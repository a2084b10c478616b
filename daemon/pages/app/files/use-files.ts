import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks'
import type { Deposit } from '../api/deposits.ts'
import { fileApi, type DepositFile, type FileApi } from '../api/files.ts'
import { fillPath, type Page } from '../page.ts'
import { sayFailure } from '../ui/toasts.tsx'
import { UploadQueue } from './upload-queue.ts'

export interface FilesOfDeposit {
  readonly api: FileApi
  readonly files: readonly DepositFile[] | undefined
  /** Shows the files in another order at once, and asks the daemon for it. */
  readonly sort: (files: readonly DepositFile[]) => Promise<void>
  readonly reload: () => Promise<void>
  readonly queue: UploadQueue
}

/** The files of a deposit and what is being uploaded to it. */
export function useFiles({ routes }: Page, deposit: Deposit): FilesOfDeposit {
  const { id, revision } = deposit
  const [files, show] = useState<readonly DepositFile[]>()
  const api = useMemo(() => fileApi(deposit), [id])
  const ask = useTurns(show)
  const reload = useCallback(() => ask(() => api.list()), [api])
  const sort = async (sorted: readonly DepositFile[]) => {
    show(sorted)
    const isSorted = await ask(() => api.sort(sorted.map((file) => file.id)))
    if (!isSorted) await reload()
  }
  const queue = useMemo(
    () => new UploadQueue(fillPath(routes.uploads, id), () => void reload()),
    [id],
  )
  const [, draw] = useReducer((count: number) => count + 1, 0)
  useEffect(() => queue.subscribe(() => draw(undefined)), [queue])
  useEffect(() => void reload(), [api, revision])
  return { api, files, sort, reload: async () => void (await reload()), queue }
}

type Files = readonly DepositFile[]

/**
 * Asks one after another, so that no answer is older than what is shown already; only the last in
 * line is shown. Answers whether it went well; what went wrong is said.
 */
function useTurns(show: (files: Files) => void): (ask: () => Promise<Files>) => Promise<boolean> {
  const line = useRef<Promise<unknown>>(Promise.resolve())
  const last = useRef(0)
  return async (ask) => {
    const number = ++last.current
    const turn = line.current.then(ask)
    line.current = turn.catch(() => undefined)
    try {
      const files = await turn
      if (number === last.current) show(files)
      return true
    } catch (error) {
      sayFailure(error)
      return false
    }
  }
}
