import { isJsonObject, problem, type JsonObject } from '../../core/index.ts'

/**
 * The document a client sent.
 *
 * @throws {DepositError} invalid_document: the body is some other JSON
 */
export function toDocument(body: unknown): JsonObject {
  if (isJsonObject(body)) return body
  throw problem('invalid_document', {
    faults: [{ field: '', message: 'A deposit is a JSON object.' }],
  })
}
