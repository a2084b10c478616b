import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks'
import { maxSortedFiles } from '../../../../core/contract/defaults.ts'
import type { Deposit } from '../api/deposits.ts'
import { fileApi } from '../api/files.ts'
import type { DepositFile, FileApi, UnfinishedUpload } from '../api/files.ts'
import { ApiProblem, passes, type Fault } from '../api/http.ts'
import { fillPath } from '../api/page.ts'
import type { Page } from '../api/page.ts'
import { holdUp, track } from '../api/pending.ts'
import { onSessionChange, readSession } from '../api/session.ts'
import { sayFailure } from '../ui/messages.tsx'
import { text } from '../../text/text.ts'
import { findBegun, localUpload } from './unfinished-uploads.ts'
import { useElsewhere } from './use-elsewhere.ts'
import { UploadQueue } from './upload-queue.ts'
import type { UploadView } from './upload-view.ts'

export interface FilesOfDeposit {
  readonly api: FileApi
  readonly files: readonly DepositFile[] | undefined
  /** False while only the beginning of a long list is there. */
  readonly isWhole: boolean
  /** Uploads that are not finished, and that this page does not send. */
  readonly unfinished: readonly UnfinishedUpload[]
  /** Ids of those that another tab, browser or program is sending now. */
  readonly elsewhere: ReadonlySet<string>
  /** Shows the files in another order at once, and asks the daemon for it. */
  readonly sort: (files: readonly DepositFile[]) => Promise<void>
  readonly reload: () => Promise<void>
  readonly queue: UploadQueue
}

interface FilesPlace {
  /** Raised whenever another program may have changed the deposit. */
  readonly others: number
  /** Told which uploads are not finished, each time the daemon was asked. */
  readonly onUploads: (ids: ReadonlySet<string>) => void
  /**
   * Told the ids of files that were replaced here, and all files afterwards, once nothing is on its
   * way.
   */
  readonly onReplaced: (ids: ReadonlySet<string>, files: readonly DepositFile[]) => void
}

/** The files of a deposit and what is being uploaded to it. */
export function useFiles(
  { routes }: Page,
  deposit: Deposit,
  { others, onUploads, onReplaced }: FilesPlace,
): FilesOfDeposit {
  const { id, revision } = deposit
  const [files, show] = useState<readonly DepositFile[]>()
  const [begun, setBegun] = useState<readonly UnfinishedUpload[]>()
  const [failures, setFailures] = useState(0)
  const known = useRef(begun)
  known.current = begun
  const shown = useRef(files)
  shown.current = files
  const replaced = useRef(new Map<string, string>())
  const again = useRef<() => void>(() => {})
  const rested = useRef<(keys: ReadonlySet<string>) => Promise<void>>(async () => {})
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
        onReplace: (key) => {
          const old = shown.current?.find(({ filename }) => filename === key)
          if (old) replaced.current.set(key, old.id)
        },
        onRest: (keys) => void track(rested.current(keys)),
      }),
    [id],
  )
  const [isWhole, setWhole] = useState(false)
  const wasShown = useRef(false)
  const ask = useTurns(show)
  const ofRevision = useListedRevision(deposit, others)
  const load = async (isNeeded: boolean) => {
    const stored = queue.stored
    try {
      const now = wasShown.current ? await api.revision() : revision
      const isLevel = wasShown.current && !isNeeded && now === ofRevision.current
      const listed = isLevel || ask(() => api.list(wasShown.current ? undefined : show))
      const [isShown, uploads] = await Promise.all([listed, api.uploads()])
      if (isShown) {
        ofRevision.current = now
        wasShown.current = true
        setWhole(true)
      }
      setBegun(uploads)
      if (isShown && !isLevel) queue.forget(stored)
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
  }
  const loading = useRef<Promise<void>>(Promise.resolve())
  const reload = useCallback(() => (loading.current = load(true)), [api, queue])
  // After one that is under way, it may have nothing left to do.
  const check = useCallback(
    () => (loading.current = loading.current.then(() => load(false))),
    [api, queue],
  )
  again.current = useSpaced(reload)
  const checkSoon = useSpaced(check)
  const sort = async (sorted: readonly DepositFile[]) => {
    show(sorted)
    try {
      await ask(() => sortPresent(api, sorted))
    } catch (error) {
      sayFailure(error)
      await reload()
    }
  }
  rested.current = async (keys) => {
    try {
      const listed = await api.list()
      await giveUpRests(api, listed, { keys, underWay: queue.underWay })
      const sorted = withInPathOrder(listed, keys)
      if (sorted) await sort(sorted)
      const old = [...replaced.current].filter(([key]) => keys.has(key))
      for (const [key] of old) replaced.current.delete(key)
      if (old.length > 0) onReplaced(new Set(old.map(([, id]) => id)), listed)
    } catch (error) {
      // The files are there, in the order in which they arrived.
      sayFailure(error)
    }
  }
  const [, draw] = useReducer((count: number) => count + 1, 0)
  useEffect(() => queue.subscribe(() => draw(undefined)), [queue])
  useEffect(() => onSessionChange(() => readSession() && queue.signedIn()), [queue])
  useEffect(() => {
    const reconnect = () => void queue.reconnect()
    addEventListener('online', reconnect)
    return () => removeEventListener('online', reconnect)
  }, [queue])
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (queue.isBusy) event.preventDefault()
    }
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [queue])
  useEffect(() => void check(), [api, others])
  useEffect(() => holdUp(() => queue.unbegun().map(toFault)), [queue])
  const unbegun = queue.unbegun().map(({ id }) => localUpload(id))
  useEffect(() => {
    if (begun) onUploads(new Set([...begun.map(({ id }) => id), ...unbegun]))
  }, [begun, unbegun.join(' ')])
  useRefresh(reload, checkSoon, failures)
  const unfinished = (begun ?? []).filter((upload) => !queue.underWay.has(upload.id))
  const elsewhere = useElsewhere(unfinished, checkSoon)
  return { api, files, isWhole, unfinished, elsewhere, sort, reload, queue }
}

function toFault({ id, key }: UploadView): Fault {
  return { field: key, message: text('upload.unfinished'), upload: localUpload(id) }
}

/**
 * Gives up uploads without a byte of files that have arrived: the answer to their beginning was lost,
 * and the file was sent by another.
 */
async function giveUpRests(
  api: FileApi,
  listed: readonly DepositFile[],
  {
    keys,
    underWay,
  }: { readonly keys: ReadonlySet<string>; readonly underWay: ReadonlySet<string> },
): Promise<void> {
  const sizes = new Map(listed.map(({ filename, filesize }) => [filename, filesize]))
  for (const upload of await api.uploads()) {
    const { id, filename, filesize, offset } = upload
    const isRest = keys.has(filename) && offset === 0 && sizes.get(filename) === filesize
    if (isRest && !underWay.has(id)) await api.giveUp(upload)
  }
}

/** Sorts again where files went or came meanwhile: those that came are last. */
async function sortPresent(
  api: FileApi,
  wanted: readonly DepositFile[],
): Promise<readonly DepositFile[]> {
  const ids = new Set(wanted.map(({ id }) => id))
  try {
    return await api.sort([...ids])
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== 'wrong_file') throw error
    const present = new Set((await api.list()).map(({ id }) => id))
    const left = [...ids].filter((id) => present.has(id))
    return api.sort([...left, ...[...present].filter((id) => !ids.has(id))])
  }
}

/**
 * The revision of the deposit that the list of files is of. A save of this page changes no file: the
 * list is of its revision as well.
 */
function useListedRevision({ revision }: Deposit, others: number) {
  const listed = useRef<number | undefined>(undefined)
  const known = useRef({ revision, others })
  useEffect(() => {
    const before = known.current
    if (before.others === others && listed.current === before.revision) listed.current = revision
    known.current = { revision, others }
  }, [revision, others])
  return listed
}

/**
 * Files that arrived together, in path order behind those that were there; undefined where they are
 * so already, or too many to be sorted.
 */
function withInPathOrder(
  files: readonly DepositFile[],
  arrived: ReadonlySet<string>,
): readonly DepositFile[] | undefined {
  const [before, after]: [DepositFile[], DepositFile[]] = [[], []]
  for (const file of files) (arrived.has(file.filename) ? after : before).push(file)
  after.sort(({ filename: a }, { filename: b }) => (a < b ? -1 : 1))
  const sorted = [...before, ...after]
  const isSorted = sorted.every((file, index) => file === files[index])
  return isSorted || sorted.length > maxSortedFiles ? undefined : sorted
}

/** Runs it soon, and not again before it is over and some time has passed: a long list takes long. */
function useSpaced(run: () => Promise<void>): () => void {
  const current = useRef(run)
  current.current = run
  const state = useRef({ isPlanned: false, took: 0 })
  return () => {
    if (state.current.isPlanned) return
    state.current.isPlanned = true
    setTimeout(
      () => {
        state.current.isPlanned = false
        const begun = Date.now()
        void current.current().then(() => (state.current.took = Date.now() - begun))
      },
      Math.min(Math.max(50, 3 * state.current.took), 20_000),
    )
  }
}

/** Milliseconds before a list that could not be had is asked for again. */
const retryDelays = [1_000, 3_000, 8_000, 20_000] as const

/** Asks again after a failure, and when the page or the network comes back. */
function useRefresh(reload: () => Promise<void>, reloadSoon: () => void, failures: number): void {
  useEffect(() => {
    const refresh = () => {
      if (document.visibilityState === 'visible') reloadSoon()
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
