/** The codes of the protocol that are needed here. @see OAI-PMH 2.0 §3.6 */
type OaiErrorCode =
  | 'badArgument'
  | 'badResumptionToken'
  | 'badVerb'
  | 'cannotDisseminateFormat'
  | 'idDoesNotExist'
  | 'noRecordsMatch'

/** A fault of a request, which the protocol answers with status 200. */
export class OaiError extends Error {
  readonly code: OaiErrorCode

  constructor(code: OaiErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Characters of a metadata prefix and of each part of a set. */
export const namePattern = /^[\w.!~*'()-]+$/
/** Of the identifiers of records: characters of an address, and no quote or space. */
export const identifierPattern = /^oai:(?:[\w.~:/@!$&'()*+,;=-]|%[\dA-Fa-f]{2})+$/
/** Of a moment with milliseconds, as rows have it. */
export const momentPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
