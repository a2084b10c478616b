import { element, isProblem, xmlDocument } from '../../../core/index.ts'
import type { Clock, Database, Markup, PublishedRecord, Records } from '../../../core/index.ts'
import type { Describer } from '../describer.ts'
import { readArguments, type OaiRequest } from './arguments.ts'
import { headerOf, readPage, toSeconds } from './harvest.ts'
import { identifierPattern, OaiError } from './oai-error.ts'
import { oaiFormats, payloadOf } from './oai-formats.ts'
import { readToken, toToken, type Harvest } from './resumption-token.ts'
import type { OaiSets } from './sets.ts'

export interface OaiParts {
  readonly database: Database
  readonly records: Records
  readonly describer: Describer
  readonly clock: Clock
  readonly origin: () => string
  /** Name of the service; by default its host. */
  readonly name: string | undefined
  /** Contact of the operator (`mailto:…`), where one is known. */
  readonly contact: string | undefined
  readonly sets: OaiSets
}

const namespace = 'http://www.openarchives.org/OAI/2.0/'

/**
 * Answers count as given this much earlier. A harvester asks next time for what changed since its
 * last answer: so it gets those records, too, whose change began before it and was stored after it.
 */
const lagMs = 10_000

/**
 * Answers a request of OAI-PMH as an XML document, also where it is wrong.
 *
 * @param gone ends the work on an answer, with what it is aborted with
 */
type OaiProvider = (form: URLSearchParams, gone: AbortSignal) => Promise<string>

export function oaiProvider(parts: OaiParts): OaiProvider {
  const { database, records, describer, clock, origin, sets } = parts
  const host = (): string => new URL(origin()).hostname
  const nameOf = ({ value }: PublishedRecord): string =>
    `oai:${host()}:${encodeURIComponent(value).replaceAll('%2F', '/')}`

  return async (form, gone) => {
    const now = clock.now()
    let attributes: Readonly<Record<string, string>> = {}
    let content: Markup
    try {
      const request = readArguments(form)
      attributes = shownArguments(request)
      content = await answer(request, now, gone)
    } catch (error) {
      if (!(error instanceof OaiError)) throw error
      content = element('error', { code: error.code }, error.message)
    }
    const responseDate = new Date(Date.parse(now) - lagMs).toISOString()
    const head = {
      xmlns: namespace,
      'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
      'xsi:schemaLocation': `${namespace} ${namespace}OAI-PMH.xsd`,
    }
    return xmlDocument(
      element('OAI-PMH', head, [
        element('responseDate', {}, toSeconds(responseDate)),
        element('request', attributes, `${origin()}/oai`),
        content,
      ]),
    )
  }

  async function answer(request: OaiRequest, now: string, gone: AbortSignal): Promise<Markup> {
    const { verb, given } = request
    switch (verb) {
      case 'Identify':
        return identify(now)
      case 'ListSets':
        if ('resumptionToken' in given)
          throw new OaiError('badResumptionToken', 'The list of sets has one page.')
        return sets.list()
      case 'ListMetadataFormats':
        if (given['identifier'] !== undefined) await find(given['identifier'])
        return listFormats()
      case 'GetRecord': {
        const { record, isDeleted } = await find(given['identifier'] ?? '')
        const prefix = given['metadataPrefix'] ?? ''
        return element('GetRecord', {}, [await whole(record, prefix, isDeleted)])
      }
      case 'ListIdentifiers':
      case 'ListRecords':
        return list(toHarvest(request, now), gone)
    }
  }

  async function identify(now: string): Promise<Markup> {
    const [first] = await database.read.records.changes({ withMoved: true, limit: 1 })
    return element('Identify', {}, [
      element('repositoryName', {}, parts.name ?? host()),
      element('baseURL', {}, `${origin()}/oai`),
      element('protocolVersion', {}, '2.0'),
      element('adminEmail', {}, emailOf(parts.contact, host())),
      element('earliestDatestamp', {}, toSeconds(first?.updated ?? now)),
      element('deletedRecord', {}, 'persistent'),
      element('granularity', {}, 'YYYY-MM-DDThh:mm:ssZ'),
    ])
  }

  async function list(harvest: Harvest, gone: AbortSignal): Promise<Markup> {
    const { verb, prefix, set, cursor } = harvest
    const isKnown = set === undefined || sets.has(set)
    const page = isKnown
      ? await readPage(database.read, harvest, sets, async (record, isDeleted) => {
          gone.throwIfAborted()
          return verb === 'ListIdentifiers'
            ? headerOf(record, nameOf(record), { sets, isDeleted })
            : whole(record, prefix, isDeleted)
        })
      : { items: [], last: undefined }
    if (page.items.length === 0) throw new OaiError('noRecordsMatch', 'There is no such record.')
    const next = page.last && { ...harvest, after: page.last, cursor: cursor + page.items.length }
    const token =
      next || cursor > 0
        ? [element('resumptionToken', { cursor: String(cursor) }, next ? toToken(next) : '')]
        : []
    return element(verb, {}, [...page.items, ...token])
  }

  async function whole(
    record: PublishedRecord,
    prefix: string,
    isDeleted: boolean,
  ): Promise<Markup> {
    const format = formatOf(prefix)
    const header = headerOf(record, nameOf(record), { sets, isDeleted })
    if (isDeleted) return element('record', {}, [header])
    const text = await describer.write(await describer.recordSource(record), format.format)
    return element('record', {}, [header, element('metadata', {}, [payloadOf(format, text)])])
  }

  /**
   * One whose identifier leads to another, or that was withdrawn, counts as deleted.
   *
   * @throws {OaiError} idDoesNotExist
   */
  async function find(identifier: string) {
    const start = `oai:${host()}:`
    const value =
      identifierPattern.test(identifier) && identifier.startsWith(start)
        ? decoded(identifier.slice(start.length))
        : undefined
    try {
      if (value !== undefined) return { record: await records.get(value), isDeleted: false }
    } catch (error) {
      if (!isProblem(error)) throw error
      const moved =
        isProblem(error, 'moved', 'record_withdrawn') &&
        (await database.read.records.find(value ?? ''))
      if (moved) return { record: moved, isDeleted: true }
    }
    throw new OaiError('idDoesNotExist', 'There is no record of this identifier.')
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** @throws {OaiError} badResumptionToken, cannotDisseminateFormat */
function toHarvest({ verb, given, range }: OaiRequest, now: string): Harvest {
  const { resumptionToken: token, metadataPrefix: prefix = '', set } = given
  const harvest =
    token === undefined
      ? { verb, prefix, set, range, after: undefined, cursor: 0 }
      : readToken(token, verb)
  formatOf(harvest.prefix)
  const { until = now } = harvest.range
  return { ...harvest, range: { ...harvest.range, until: until < now ? until : now } }
}

/** @throws {OaiError} cannotDisseminateFormat */
function formatOf(prefix: string) {
  const format = oaiFormats.find((each) => each.prefix === prefix)
  if (format) return format
  const names = oaiFormats.map((each) => each.prefix).join(', ')
  throw new OaiError('cannotDisseminateFormat', `There is no such format. There are ${names}.`)
}

function listFormats(): Markup {
  const formats = oaiFormats.map((format) =>
    element('metadataFormat', {}, [
      element('metadataPrefix', {}, format.prefix),
      element('schema', {}, format.schema),
      element('metadataNamespace', {}, format.namespace),
    ]),
  )
  return element('ListMetadataFormats', {}, formats)
}

/** Arguments as the answer repeats them: without an identifier that is no address. */
function shownArguments({ verb, given }: OaiRequest): Readonly<Record<string, string>> {
  const { identifier, ...others } = given
  const isShown = identifier !== undefined && identifierPattern.test(identifier)
  return { verb, ...others, ...(isShown && { identifier }) }
}

/** The protocol demands an address of mail. @see RFC 2142 §5 */
function emailOf(contact: string | undefined, host: string): string {
  if (contact?.startsWith('mailto:')) return contact.slice('mailto:'.length)
  return host.includes('.') ? `postmaster@${host}` : 'postmaster@localhost.invalid'
}
