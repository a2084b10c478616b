import { useEffect, useMemo, useState } from 'preact/hooks'
import { counted, formatNumber, formatSize, text } from '../../text/text.ts'
import { maxSortedFiles } from '../../../../core/contract/defaults.ts'
import type { DepositFile, FileApi } from '../api/files.ts'
import { say } from '../ui/messages.tsx'
import { FileList } from './file-list.tsx'
import { FileSelection } from './file-selection.tsx'
import {
  byName,
  filtered,
  folderOf,
  levelAt,
  reordered,
  type Folder,
  type Selection,
} from './file-tree.ts'

/** Rows of a page. */
const pageSize = 25

/** So many files are shown without folders, filter and pages. */
const few = 20

interface FileBrowserProps {
  readonly files: readonly DepositFile[]
  readonly api: FileApi
  /** True where files can be renamed and removed. */
  readonly isOpen: boolean
  readonly isSortable: boolean
  /** Told which folder is open, with a slash at its end; empty for the top, and where files are found. */
  readonly onFolder: (path: string) => void
  /** Told all files in the order they shall have. */
  readonly onSorted: (files: readonly DepositFile[]) => void
  readonly onChanged: () => void
  readonly onPreview: (file: DepositFile) => void
  readonly onRemove: (files: readonly DepositFile[]) => void
}

/** Many files as folders and pages, with a filter, and several at once. */
export function FileBrowser(props: FileBrowserProps) {
  const { files, api, isOpen, onSorted, onChanged, onRemove } = props
  const [filter, setFilter] = useState('')
  const [folder, setFolder] = useState('')
  const [page, setPage] = useState(0)
  const [selected, select] = useState<ReadonlyMap<string, string>>(new Map())
  const isMany = files.length > few
  const isFiltered = filter.trim() !== ''
  const level = useMemo(() => {
    if (!isMany || isFiltered) return { folders: [], files: filtered(files, filter) }
    return levelAt(files, folder)
  }, [files, filter, folder])
  // The last file of a folder may have gone.
  const isEmpty = level.files.length === 0 && level.folders.length === 0
  useEffect(() => {
    if (folder !== '' && isEmpty && !isFiltered) setFolder('')
  }, [folder, isEmpty])
  const opened = isMany && !isFiltered ? folder : ''
  useEffect(() => props.onFolder(opened), [opened])
  const isSortable = props.isSortable && files.length <= maxSortedFiles
  const rows = level.folders.length + level.files.length
  const last = Math.max(0, Math.ceil(rows / pageSize) - 1)
  const shownPage = isMany ? Math.min(page, last) : 0
  const from = shownPage * pageSize
  const to = isMany ? from + pageSize : rows
  const folders = level.folders.slice(from, to)
  const first = Math.max(0, from - level.folders.length)
  const shown = level.files.slice(first, Math.max(0, to - level.folders.length))
  const chosen = useMemo(() => files.filter(({ id }) => selected.has(id)), [files, selected])
  const goTo = (path: string) => {
    setFolder(path)
    setFilter('')
    setPage(0)
  }
  const toggle = (those: readonly DepositFile[], isOn: boolean) => {
    const next = new Map(selected)
    const isFlat = isFiltered || !isMany
    for (const { id, filename } of those) {
      if (isOn) next.set(id, isFlat ? folderOf(filename) : folder)
      else next.delete(id)
    }
    select(next)
  }
  const selection = { selected, onToggle: toggle }
  return (
    <div class="file-browser">
      {(isMany || isSortable) && files.length > 1 && (
        <div class="file-tools">
          {isMany && (
            <input
              type="search"
              value={filter}
              placeholder={text('files.filter')}
              aria-label={text('files.filter')}
              onInput={({ currentTarget }) => {
                setFilter(currentTarget.value)
                setPage(0)
              }}
            />
          )}
          {isSortable && (
            <button
              type="button"
              onClick={() => {
                onSorted(byName(files))
                say(text('files.sorted'))
              }}
            >
              {text('files.sort')}
            </button>
          )}
          {isOpen && rows > 1 && (
            <label class="check">
              <input
                type="checkbox"
                checked={selected.size > 0 && chosen.length === inLevel(level).length}
                onChange={({ currentTarget }) => toggle(inLevel(level), currentTarget.checked)}
              />{' '}
              {text('files.selectAll')}
            </label>
          )}
        </div>
      )}
      {isMany && !isFiltered && folder !== '' && <Crumbs path={folder} onGo={goTo} />}
      {isOpen && chosen.length > 0 && (
        <FileSelection
          files={chosen}
          bases={selected}
          all={files}
          api={api}
          onDone={() => select(new Map())}
          onChanged={onChanged}
          onRemove={onRemove}
        />
      )}
      {isFiltered && (
        <p class="quiet" role="status">
          {counted('files.found', level.files.length)}
        </p>
      )}
      {folders.length > 0 && (
        <ul class="file-list folders" aria-label={text('files.folders')}>
          {folders.map((inside) => (
            <FolderRow
              key={inside.path}
              folder={inside}
              isOpen={isOpen}
              selection={selection}
              onGo={goTo}
            />
          ))}
        </ul>
      )}
      {shown.length > 0 && (
        <FileList
          {...props}
          files={level.files}
          shown={shown}
          first={first}
          base={isFiltered ? '' : isMany ? folder : ''}
          isSortable={isSortable && !isFiltered}
          selection={files.length > 1 ? selection : undefined}
          onSorted={(sorted, at) => {
            onSorted(reordered(files, sorted))
            if (at !== undefined && isMany)
              setPage(Math.floor((at + level.folders.length) / pageSize))
          }}
        />
      )}
      {isMany && rows > pageSize && (
        <nav class="paging" aria-label={text('files.pages')}>
          <button type="button" disabled={shownPage <= 0} onClick={() => setPage(shownPage - 1)}>
            {text('paging.previous')}
          </button>
          <span aria-live="polite">
            {text('paging.shown', {
              from: from + 1,
              to: Math.min(to, rows),
              total: formatNumber(rows),
            })}
          </span>
          <button type="button" disabled={shownPage >= last} onClick={() => setPage(shownPage + 1)}>
            {text('paging.next')}
          </button>
        </nav>
      )}
    </div>
  )
}

function inLevel({ folders, files }: ReturnType<typeof levelAt>): readonly DepositFile[] {
  return [...folders.flatMap((folder) => folder.files), ...files]
}

interface FolderRowProps {
  readonly folder: Folder
  readonly isOpen: boolean
  readonly selection: Selection
  readonly onGo: (path: string) => void
}

function FolderRow({ folder, isOpen, selection, onGo }: FolderRowProps) {
  const { name, path, files } = folder
  const size = files.reduce((sum, { filesize }) => sum + filesize, 0)
  return (
    <li class="file folder">
      <span class="file-name">
        {isOpen && (
          <input
            type="checkbox"
            aria-label={text('files.select', { name: `${name}/` })}
            checked={files.every(({ id }) => selection.selected.has(id))}
            onChange={({ currentTarget }) => selection.onToggle(files, currentTarget.checked)}
          />
        )}
        <button type="button" class="link" onClick={() => onGo(path)}>
          {name}/
        </button>
      </span>
      <span class="file-facts">
        {counted('files.count', files.length)}, {formatSize(size)}
      </span>
    </li>
  )
}

/** The folders that lead to the one that is shown. */
function Crumbs({ path, onGo }: { readonly path: string; readonly onGo: (path: string) => void }) {
  const names = path.split('/').slice(0, -1)
  return (
    <nav class="crumbs" aria-label={text('files.folders')}>
      <button type="button" class="link" onClick={() => onGo('')}>
        {text('files.top')}
      </button>
      {names.map((name, index) => {
        const target = `${names.slice(0, index + 1).join('/')}/`
        const isLast = index === names.length - 1
        return (
          <span key={target}>
            {' / '}
            {isLast ? (
              <span aria-current="location">{name}</span>
            ) : (
              <button type="button" class="link" onClick={() => onGo(target)}>
                {name}
              </button>
            )}
          </span>
        )
      })}
    </nav>
  )
}
