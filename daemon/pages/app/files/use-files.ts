import { useCallback, useEffect, useMemo, useReducer, useState } from 'preact/hooks'
import type { Deposit } from '../api/deposits.ts'
import { fileApi, type DepositFile, type FileApi } from '../api/files.ts'
import type { Page } from '../page.ts'
import { sayFailure } from '../ui/toasts.tsx'
import { UploadQueue } from './upload-queue.ts'

export interface FilesOfDeposit {
  readonly api: FileApi
  readonly files: readonly DepositFile[] | undefined
  readonly show: (files: readonly DepositFile[]) => void
  readonly reload: () => Promise<void>
  readonly queue: UploadQueue
}

/** The files of a deposit and what is being uploaded to it. */
export function useFiles({ routes }: Page, deposit: Deposit): FilesOfDeposit {
  const { id, revision } = deposit
  const [files, show] = useState<readonly DepositFile[]>()
  const api = useMemo(() => fileApi(deposit), [id])
  const reload = useCallback(async () => {
    try {
      show(await api.list())
    } catch (error) {
      sayFailure(error)
    }
  }, [api])
  const queue = useMemo(() => {
    const endpoint = routes.uploads.replace('{pid_value}', encodeURIComponent(id))
    return new UploadQueue(endpoint, () => void reload())
  }, [id])
  const [, draw] = useReducer((count: number) => count + 1, 0)
  useEffect(() => queue.subscribe(() => draw(undefined)), [queue])
  useEffect(() => void reload(), [api, revision])
  return { api, files, show, reload, queue }
}
