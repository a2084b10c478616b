import type { MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { maxBundledBytes, maxBundleFiles } from '../../core/contract/uploads.ts'
import { problem, toFileKey, wrongField, type BundledFile } from '../../core/index.ts'
import { explainFormError, readableName } from './multipart.ts'
import { codeOf } from '../../core/base/errno.ts'

const limits = {
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
    for await (const part of request.parts({ limits, preservePath: true })) {
      if (part.type !== 'file')
        throw wrongField('wrong_file', part.fieldname, 'A bundle has files alone.')
      files.push({ key: keyOf(part), bytes: await part.toBuffer() })
    }
  } catch (error) {
    throw explain(error)
  }
  if (files.length === 0) throw wrongField('wrong_file', 'file', 'The form has no part named file.')
  return files
}

function keyOf({ fieldname, filename }: MultipartFile): BundledFile['key'] {
  if (fieldname === 'file') return toFileKey(readableName(filename))
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
