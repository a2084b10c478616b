import type { FastifyRequest } from 'fastify'
import { isJsonObject, problem, type DepositError, type JsonObject } from '../../../core/index.ts'
import { mostFaults, type MetadataFault } from '../rules.ts'
import { isOurDoi } from '../numbers.ts'

/** Fields of a deposition, which clients may send back with its metadata. */
const ofAnswer = new Set(
  `created modified id conceptrecid record_id owner title state submitted doi doi_url conceptdoi
   files links metadata`.split(/\s+/),
)

/**
 * The metadata in the body of a request; undefined where it has none.
 *
 * @throws {DepositError} invalid_document: a field is unknown, or `metadata` is no object
 */
export function sentMetadata({ body }: FastifyRequest): JsonObject | undefined {
  if (body === undefined || body === null) return undefined
  if (!isJsonObject(body)) throw invalid([{ field: '', message: 'Not a valid object.' }])
  const isSentBack = Object.hasOwn(body, 'metadata')
  const unknown = Object.keys(body)
    .filter((name) => !isSentBack || !ofAnswer.has(name))
    .slice(0, mostFaults)
  if (unknown.length > 0) {
    throw invalid(unknown.map((field) => ({ field, message: 'Unknown field name.' })))
  }
  const { metadata } = body
  if (metadata === undefined || metadata === null) return undefined
  if (!isJsonObject(metadata)) {
    throw invalid([{ field: 'metadata', message: 'Not a valid object.' }])
  }
  const { doi, ...others } = metadata
  return doi === undefined || doi === '' || isOurDoi(doi) ? others : metadata
}

/** A problem with faults in fields of Zenodo's. */
export function invalid(faults: readonly MetadataFault[]): DepositError {
  return problem('invalid_document', { faults })
}
