import type { MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import type { Readable } from 'node:stream'
import { withoutFolders } from '../../core/contract/file-key.ts'
import { problem, toFileKey, wrongField } from '../../core/index.ts'
import type { BundledFile, Incoming, StagedBlob } from '../../core/index.ts'
import { codeOf } from '../../core/base/errno.ts'
import { maxBundledBytes, maxBundleFiles } from '../../core/contract/uploads.ts'

/** A form with one file, its bytes already durable. Disposing of it removes what is not kept. */
export interface ReceivedForm extends AsyncDisposable {
  /** The client's name of the file: the field `name`, else the part's `filename`. */
  readonly name: string
  readonly staged: StagedBlob
}

type Stage = (bytes: Readable, incoming: Incoming) => Promise<StagedBlob>

const limits = { files: 2, fields: 10, parts: 12 }

/** The part `file` holds the bytes also where it has no `filename`: then the field `name` has one. */
function isPartAFile(field: string | undefined, type?: string, filename?: string): boolean {
  return field === 'file' || filename !== undefined || type === 'application/octet-stream'
}

/** Fields a form may have beside its file. */
const knownFields = ['name', 'checksum'] as const

/**
 * Receives a form with exactly one part `file` and the fields `name` and `checksum`, in any order.
 * The bytes go to `stage` as they arrive; when anything is wrong, nothing of them is kept.
 *
 * @throws {DepositError} wrong_file: no file part, two of them, a field twice, or no name
 * @throws {DepositError} broken_upload: the form ends before its closing boundary
 * @see Specification, "Deposit files list", POST
 */
export async function receiveForm(request: FastifyRequest, stage: Stage): Promise<ReceivedForm> {
  await using stack = new AsyncDisposableStack()
  const fields = new Map<string, string>()
  let file: { readonly filename: string; readonly staged: StagedBlob } | undefined
  try {
    for await (const part of request.parts({ limits, isPartAFile })) {
      if (part.type === 'file') {
        requireOnlyFile(part, file)
        const staged = stack.use(await stage(part.file, incomingOf(fields)))
        file = { filename: part.filename, staged }
      } else if (isKnown(part.fieldname)) {
        requireOnce(part.fieldname, fields)
        fields.set(part.fieldname, String(part.value))
      }
    }
  } catch (error) {
    leaveRestUnparsed(request)
    throw explainFormError(error)
  }
  if (!file) throw wrongField('wrong_file', 'file', 'The form has no part named file.')
  const name = nameOf(fields.get('name'), file.filename)
  const { staged } = file
  staged.requireChecksum(fields.get('checksum'))
  const parts = stack.move()
  return { name, staged, [Symbol.asyncDispose]: () => parts.disposeAsync() }
}

/** A form that is refused may have a hundred thousand more parts: they are read, and no longer parsed. */
function leaveRestUnparsed({ raw }: FastifyRequest): void {
  raw.unpipe().resume()
}

/** @throws {DepositError} wrong_file: neither the field nor the part names the file */
function nameOf(field = '', filename = ''): string {
  const name = field === '' ? withoutFolders(filename) : field
  if (name === '') throw wrongField('wrong_file', 'name', 'The file has no name.')
  return readableName(name)
}

/** @throws {DepositError} wrong_file: the name was not valid UTF-8 */
function readableName(name: string): string {
  // The form's parser puts this in the place of bytes that it cannot read.
  if (name.includes('\uFFFD'))
    throw wrongField('wrong_file', 'name', 'The name is not valid UTF-8.')
  return name
}

function requireOnlyFile(part: MultipartFile, earlier: unknown): void {
  if (part.fieldname !== 'file') {
    throw wrongField('wrong_file', part.fieldname, 'The part with the file must be named file.')
  }
  if (earlier)
    throw wrongField('wrong_file', 'file', 'The form has more than one file; send one at a time.')
}

/** @throws {DepositError} wrong_file: the form has the field already */
function requireOnce(field: string, fields: ReadonlyMap<string, string>): void {
  if (!fields.has(field)) return
  throw wrongField('wrong_file', field, 'The form has this field more than once.')
}

function isKnown(field: string): boolean {
  return (knownFields as readonly string[]).includes(field)
}

/** A checksum that comes before the file may name an algorithm that must be computed on the way. */
function incomingOf(fields: ReadonlyMap<string, string>): Incoming {
  const checksum = fields.get('checksum')
  return checksum === undefined ? {} : { checksum }
}

/** The parser's errors have no status of their own where the form was cut off. */
function explainFormError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const code = codeOf(error)
  if (error.message.startsWith('The needle cannot')) {
    return wrongField('malformed_request', 'content-type', 'A boundary has at most 70 characters.')
  }
  if (error.message.endsWith('Boundary not found')) {
    const said = 'No boundary is given. Leave Content-Type out: what writes the form sets it.'
    return wrongField('malformed_request', 'content-type', said)
  }
  if (/^FST_(?:FILES|FIELDS|PARTS)_LIMIT$/.test(code)) {
    return wrongField('wrong_file', '', 'The form has more parts than one file and its fields.')
  }
  if (code === 'ECONNRESET' || /terminated early|Unexpected end|^Malformed/i.test(error.message)) {
    return problem('broken_upload', { cause: error })
  }
  return error
}

const bundleLimits = {
  files: maxBundleFiles,
  fileSize: maxBundledBytes,
  fields: 0,
  parts: maxBundleFiles,
} as const

/**
 * Receives a form of parts named `file`, whose file names are keys: unlike that of a single file, it
 * keeps their folders. The files are small and few, and held in memory.
 *
 * @throws {DepositError} wrong_file: there is none, there are too many, or one has no safe name
 * @throws {DepositError} file_too_large: one of them is not small
 * @throws {DepositError} broken_upload: the form ends before its closing boundary
 */
export async function receiveBundle(request: FastifyRequest): Promise<readonly BundledFile[]> {
  const files: BundledFile[] = []
  try {
    for await (const part of request.parts({ limits: bundleLimits, preservePath: true })) {
      if (part.type !== 'file')
        throw wrongField('wrong_file', part.fieldname, 'A bundle has files alone.')
      files.push({ ...namesOf(part), bytes: await part.toBuffer() })
    }
  } catch (error) {
    leaveRestUnparsed(request)
    throw explain(error)
  }
  if (files.length === 0) throw wrongField('wrong_file', 'file', 'The form has no part named file.')
  return files
}

function namesOf({ fieldname, filename }: MultipartFile): Omit<BundledFile, 'bytes'> {
  const name = readableName(filename)
  if (fieldname === 'file') return { key: toFileKey(name), name }
  throw wrongField('wrong_file', fieldname, 'The part with a file must be named file.')
}

function explain(error: unknown): unknown {
  const code = codeOf(error)
  if (code === 'FST_REQ_FILE_TOO_LARGE')
    return problem('file_too_large', { limit: maxBundledBytes })
  if (code === 'FST_FILES_LIMIT' || code === 'FST_PARTS_LIMIT') {
    return wrongField('wrong_file', 'file', `A bundle has at most ${maxBundleFiles} files.`)
  }
  if (code === 'FST_FIELDS_LIMIT') return wrongField('wrong_file', '', 'A bundle has files alone.')
  return explainFormError(error)
}
