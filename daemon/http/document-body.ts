import { InvalidDocument, isJsonObject, type JsonObject } from '../../core/index.ts'

/**
 * The document a client sent.
 *
 * @throws {InvalidDocument} the body is some other JSON
 */
export function toDocument(body: unknown): JsonObject {
  if (isJsonObject(body)) return body
  throw new InvalidDocument([{ field: '', message: 'A deposit is a JSON object.' }])
}
