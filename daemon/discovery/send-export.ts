import type { FastifyReply, FastifyRequest } from 'fastify'
import { hash } from 'node:crypto'
import { dcatXml, filenameOf, problem, type ExportFormat, type Source } from '../../core/index.ts'
import { packageNames } from '../../core/contract/exports.ts'
import { suggestion } from '../../core/contract/nearest.ts'
import { isFresh } from '../http/revision.ts'
import { foreignPolicy } from '../http/file-headers.ts'
import { setPublic } from '../http/sharing.ts'
import type { Describer } from './describer.ts'
import { toLinkHeader } from './signposting.ts'

/** A format, in the style of its citations where it has some. */
export interface Choice {
  readonly format: ExportFormat
  readonly style: string | undefined
}

/**
 * Formats that a client may name in `Accept`: those of menus, and RDF in its other syntax, for which
 * DCAT has one address already.
 */
export function negotiated(formats: readonly ExportFormat[]): readonly ExportFormat[] {
  return [...formats, dcatXml]
}

/** {@link negotiated} formats by media type, in the order of preference. */
export function offersOf(formats: readonly ExportFormat[]): ReadonlyMap<string, Choice> {
  const named = formats.filter(({ byNameOnly }) => byNameOnly !== true)
  return new Map(
    named.flatMap((format) =>
      format.mediaTypes.map((type, at) => [type, { format, style: format.styles?.[at] }] as const),
    ),
  )
}

/**
 * The format that an address names, in the style of `?style=`.
 *
 * @throws {DepositError} not_found: there is none of that name
 * @throws {DepositError} malformed_request: it has no such style
 */
export function requireFormat(formats: readonly ExportFormat[], request: FastifyRequest): Choice {
  const { name } = request.params as { readonly name: string }
  const format = formats.find((each) => each.name === name)
  if (!format) {
    const names = formats.map((each) => each.name)
    const meant = suggestion(name, [...names, ...packageNames]) || '.'
    const packages = `Packages with all files are ${packageNames.join(', ')}.`
    const message = `There is no format "${name}"${meant} Formats are ${names.join(', ')}. ${packages}`
    throw problem('not_found', { message })
  }
  const { style } = request.query as { readonly style?: unknown }
  if (style === undefined || !format.styles) return { format, style: undefined }
  const known = format.styles.find((each) => each === style)
  if (known === undefined) {
    const names = format.styles.join(', ')
    throw problem('malformed_request', { message: `There is no such style. There are ${names}.` })
  }
  return { format, style: known }
}

/** Sends a record in another format; that of a draft is kept in no shared cache. */
export async function sendExport(
  request: FastifyRequest,
  reply: FastifyReply,
  source: Source,
  { write, choice }: { readonly write: Describer['write']; readonly choice: Choice },
): Promise<FastifyReply> {
  const { format, style } = choice
  const text = await write(source, format, style)
  const writer = [format.name, ...(style === undefined ? [] : [style])].join('-')
  // The text may change without the record: with the version after it, or by an update of the service.
  const etag = `"${source.revision}-${writer}-${hash('sha256', text).slice(0, 16)}"`
  if (source.isDraft) reply.header('cache-control', 'private, no-cache')
  // From then on the text names them.
  else setPublic(request, reply, source.opensIn)
  // A format of the operator may be HTML, with the text of a stranger in it.
  reply.headers({ etag, link: backTo(source), 'content-security-policy': foreignPolicy })
  const { 'if-none-match': known } = request.headers
  if (known !== undefined && isFresh({ 'if-none-match': known }, etag, '')) {
    return reply.code(304).send()
  }
  const type = format.mediaTypes.find((each) => each.endsWith(`style=${style}`))
  reply.header('content-disposition', `inline; filename="${filenameOf(format, source.id)}"`)
  return reply.type(withCharset(type ?? format.mediaTypes[0] ?? 'text/plain')).send(text)
}

function backTo({ url }: Source): string {
  return toLinkHeader([{ rel: 'describes', href: url, type: 'text/html' }])
}

function withCharset(type: string): string {
  return type.startsWith('text/') || type === 'application/json' ? `${type}; charset=utf-8` : type
}
