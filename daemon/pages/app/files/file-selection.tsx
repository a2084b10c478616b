import { useId, useState } from 'preact/hooks'
import { counted, formatNumber, formatSize, text } from '../../text/text.ts'
import { safeKey } from '../../../../core/contract/file-key.ts'
import type { DepositFile, FileApi } from '../api/files.ts'
import { track } from '../api/pending.ts'
import { Confirm } from '../ui/dialog.tsx'
import { say, sayFailure } from '../ui/messages.tsx'
import { saveBytes } from './save-bytes.ts'
import { folderOf, foldersOf, movedName } from './file-tree.ts'
import { moveAll, type Move } from './move-all.ts'

/** Of more files, it is told how far their moving is. */
const few = 20

/** Milliseconds for which the way back is offered. */
const offered = 12_000

/** Names that are told where files could not be moved. */
const mostNamed = 5

interface FileSelectionProps {
  /** Those that are selected. */
  readonly files: readonly DepositFile[]
  /** The folder that was open when each was selected, by their ids. */
  readonly bases: ReadonlyMap<string, string>
  readonly all: readonly DepositFile[]
  readonly api: FileApi
  readonly onDone: () => void
  readonly onChanged: () => void
  readonly onRemove: (files: readonly DepositFile[]) => void
}

/** What can be done with several files at once. */
export function FileSelection(props: FileSelectionProps) {
  const { files, bases, all, api, onDone, onChanged, onRemove } = props
  const [isMoving, setMoving] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [progress, setProgress] = useState<string>()
  const size = files.reduce((sum, file) => sum + file.filesize, 0)
  const movesTo = (path: string): readonly Move[] =>
    files.map((file) => ({
      file,
      to: movedName(file.filename, path, bases.get(file.id) ?? folderOf(file.filename)),
    }))
  const move = async (moves: readonly Move[]) => {
    setMoving(false)
    setBusy(true)
    const tell = (done: number, total: number) => {
      if (total > few && done % few === 0)
        setProgress(text('files.moving', { done: formatNumber(done), total: formatNumber(total) }))
    }
    const { back, failed } = await track(moveAll(api, moves, tell))
    setProgress(undefined)
    setBusy(false)
    if (back.length > 0) {
      const dismiss = say(counted('files.moved', back.length), {
        forMs: offered,
        undo: () => {
          dismiss()
          void move(back)
        },
      })
    }
    if (failed.length > 0) {
      const names = firstNames(failed.map(({ file }) => file.filename))
      say(counted('files.notMoved', failed.length, { names }), { kind: 'bad' })
      sayFailure(failed[0]?.error)
    } else onDone()
    onChanged()
  }
  const download = async () => {
    setBusy(true)
    for (const file of files) await saveBytes(file)
    setBusy(false)
  }
  return (
    <div class="file-selection" role="group" aria-label={text('files.selection')}>
      <span role="status">
        {progress ?? `${counted('files.selected', files.length)}, ${formatSize(size)}`}
      </span>
      <span class="file-actions">
        <button type="button" disabled={isBusy} onClick={() => setMoving(true)}>
          {text('files.move')}
        </button>
        <button type="button" disabled={isBusy} onClick={() => void download()}>
          {text('files.download')}
        </button>
        <button
          type="button"
          class="danger"
          disabled={isBusy}
          onClick={() => {
            onRemove(files)
            onDone()
          }}
        >
          {text('files.remove')}
        </button>
        <button type="button" class="quiet-button" onClick={onDone}>
          {text('files.unselect')}
        </button>
      </span>
      {isMoving && (
        <MoveDialog
          count={files.length}
          folders={foldersOf(all)}
          tell={(path) => tellMoves(movesTo(path), all)}
          onMove={(path) => void move(movesTo(path))}
          onClose={() => setMoving(false)}
        />
      )}
    </div>
  )
}

/** The first file that moves, and how many names are taken where they lead. */
function tellMoves(moves: readonly Move[], all: readonly DepositFile[]): string {
  const moving = moves.filter(({ file, to }) => to !== file.filename)
  const [first] = moving
  if (!first) return ''
  const taken = new Set(all.map(({ filename }) => filename))
  for (const { file } of moving) taken.delete(file.filename)
  let inTheWay = 0
  for (const { to } of moving) {
    if (taken.has(to)) inTheWay += 1
    taken.add(to)
  }
  const said = text('files.moveSo', { from: first.file.filename, to: first.to })
  return inTheWay === 0 ? said : `${said} ${counted('files.moveTaken', inTheWay)}`
}

function firstNames(names: readonly string[]): string {
  return names.slice(0, mostNamed).join(', ') + (names.length > mostNamed ? ', …' : '')
}

interface MoveDialogProps {
  readonly count: number
  readonly folders: readonly string[]
  /** What becomes of the files in a folder. */
  readonly tell: (path: string) => string
  /** Told the folder with a slash at its end; empty for the top. */
  readonly onMove: (path: string) => void
  readonly onClose: () => void
}

function MoveDialog({ count, folders, tell, onMove, onClose }: MoveDialogProps) {
  const [typed, setTyped] = useState('')
  const [fault, setFault] = useState('')
  const [list, error] = [useId(), useId()]
  const path = typed.trim().replace(/^\/+|\/+$/g, '')
  const safe = path === '' ? { key: 'x' } : safeKey(`${path}/x`)
  const confirm = () => {
    if ('reason' in safe) setFault(safe.reason)
    else onMove(safe.key.slice(0, -1))
  }
  return (
    <Confirm
      title={counted('files.moveTitle', count)}
      confirm={text('files.moveDo')}
      onConfirm={confirm}
      onClose={onClose}
    >
      <label>
        {text('files.moveTo')}
        <input
          type="text"
          list={list}
          value={typed}
          aria-invalid={fault !== ''}
          aria-describedby={error}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </label>
      <datalist id={list}>
        {folders.slice(0, 200).map((path) => (
          <option key={path} value={path} />
        ))}
      </datalist>
      <p class="quiet">{'key' in safe && tell(safe.key.slice(0, -1))}</p>
      <p id={error} class="field-error" aria-live="polite">
        {fault}
      </p>
    </Confirm>
  )
}
