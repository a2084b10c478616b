import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { answerQuestions } from '../../base/asked-thread.ts'
import { codeOf } from '../../base/errno.ts'

/** Manifests by the paths of their files, which lie in folders of `root`. */
export interface ManifestTexts {
  readonly root: string
  readonly texts: readonly { readonly path: string; readonly text: string }[]
}

/** The error that kept them from being written; an error that is sent to another thread loses its code. */
export interface ManifestFault {
  readonly message: string
  readonly code: string
  /** The call of the system that failed. */
  readonly syscall: string
}

/** Undefined where all of them are durable. */
answerQuestions((question: ManifestTexts): ManifestFault | undefined => {
  try {
    writeAll(question)
    return undefined
  } catch (error) {
    return toFault(error)
  }
})

function toFault(error: unknown): ManifestFault {
  const syscall = error instanceof Error && 'syscall' in error ? String(error.syscall) : ''
  return { message: String(error), code: codeOf(error), syscall }
}

/**
 * Writes all drafts, then syncs them one after another: what the first sync has written, the others
 * need not write. So it is with the names.
 */
function writeAll({ root, texts }: ManifestTexts): void {
  const folders = new Set(texts.map(({ path }) => dirname(path)))
  if (makeFolder(root)) syncFolder(dirname(root))
  makeFolders(root, folders)
  const drafts: Draft[] = []
  try {
    for (const { path, text } of texts) drafts.push(writeDraft(path, text))
    for (const { file } of drafts) fsyncSync(file)
    for (const draft of drafts) {
      renameSync(draft.name, draft.path)
      draft.isNamed = true
    }
  } finally {
    for (const { file, name, isNamed } of drafts) {
      closeSync(file)
      if (!isNamed) rmSync(name, { force: true })
    }
  }
  for (const folder of folders) syncFolder(folder)
}

/** Their names are durable, also where one cannot be made: whoever finds a folder takes it for that. */
function makeFolders(root: string, folders: Iterable<string>): void {
  let isAnyNew = false
  try {
    for (const folder of folders) isAnyNew = makeFolder(folder) || isAnyNew
  } finally {
    if (isAnyNew) syncFolder(root)
  }
}

interface Draft {
  readonly path: string
  readonly name: string
  readonly file: number
  isNamed: boolean
}

/** Never an existing file: it could be a link, or be open elsewhere. */
function writeDraft(path: string, text: string): Draft {
  const name = `${path}.${randomUUID()}.new`
  const file = openSync(name, 'wx', 0o600)
  const draft = { path, name, file, isNamed: false }
  try {
    writeFileSync(file, text)
  } catch (error) {
    closeSync(file)
    rmSync(name, { force: true })
    throw error
  }
  return draft
}

/** True where it was missing. */
function makeFolder(path: string): boolean {
  return mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined
}

/** Windows has no call for that. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
