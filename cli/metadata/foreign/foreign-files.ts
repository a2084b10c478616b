import { isAccessField } from '../../../core/contract/access-fields.ts'
import { findAccessLimits } from '../../../core/contract/access-limits.ts'
import { toAccess } from '../../../core/contract/foreign/access-of-files.ts'
import { isBlank } from '../../../core/contract/access-words.ts'
import type { Metadata } from '../../client/deposit-client.ts'
import { isOpenAt, toFileAccess, type FileAccess } from '../../../core/contract/file-access.ts'
import { copyInDatapackage, findCopy, type FoundCopy } from '../../../core/contract/own-copy.ts'
import { datapackageFile, isOfCrate } from '../../packages/recognise.ts'
import { filled, isForeign, textOf, type Foreign } from '../../../core/contract/foreign-values.ts'
import { watch } from '../../../core/contract/foreign/watch.ts'

type Translate = (document: Foreign) => Metadata

/** Converted foreign metadata. */
interface Translated {
  readonly metadata: Metadata
  /** Fields without an equivalent in our metadata. */
  readonly notTaken: readonly string[]
  /** Those of them that Zenodo has, as they are. */
  readonly ofZenodo?: Foreign
  /** The record whose metadata document the file carries. */
  readonly origin?: { readonly service: string; readonly record: string }
  /** It carries one as well, and was changed since: fields of that document that it does not have. */
  readonly lacking?: readonly string[]
}

/** Foreign metadata files of a folder, in order of preference; the first counts, as for Zenodo. */
export const foreignFiles: Readonly<Record<string, () => Promise<Translate>>> = {
  '.zenodo.json': async () =>
    (await import('../../../core/contract/zenodo-metadata.ts')).fromZenodo,
  'ro-crate-metadata.json': async () => (await import('./ro-crate.ts')).fromRoCrate,
  'ro-crate-metadata.jsonld': async () => (await import('./ro-crate.ts')).fromRoCrate,
  'CITATION.cff': async () =>
    (await import('../../../core/contract/foreign/citation-cff.ts')).fromCitationCff,
  'codemeta.json': async () => (await import('./codemeta.ts')).fromCodemeta,
  'datapackage.json': async () => (await import('./datapackage.ts')).fromDatapackage,
}

/** @param name of one of {@link foreignFiles}; undefined for a file of any other */
export async function translate(name: string, document: Foreign): Promise<Translated | undefined> {
  const load = Object.hasOwn(foreignFiles, name) ? foreignFiles[name] : undefined
  if (load === undefined) return undefined
  const copy = isOfCrate(name) || name === datapackageFile ? findCopy(document) : undefined
  if (copy !== undefined && 'record' in copy) return toOriginal(copy, document)
  const own = isOfCrate(name)
    ? (await import('./ro-crate.ts')).rootOfCrate(document)
    : unwrap(document)
  const { view, unread } = watch(own)
  const metadata = (await load())(view)
  const limits = findAccessLimits(document, new Date().toISOString())
  const apart = isOfCrate(name) ? (await import('./ro-crate.ts')).unreachedIn(document) : []
  const notTaken = [...unread().filter((field) => !isAccessField(field)), ...apart]
  // Our own field may stand in them, to say that the files are open.
  const { access } = own
  const said = isBlank(access) ? {} : { access }
  const limited = toAccess(limits, textOf(own['access_conditions']))
  const ofZenodo = name === '.zenodo.json' && {
    ofZenodo: Object.fromEntries(
      notTaken.filter(isOfZenodo).map((field) => [field, own[field]] as const),
    ),
  }
  const translated = { metadata: { ...metadata, ...said, ...limited }, notTaken, ...ofZenodo }
  return copy === undefined ? translated : keepClosed(translated, copy.before ?? {})
}

/**
 * A description that was changed since a service wrote it opens no files that the document in it
 * closes: what said so may have been lost with the change.
 */
function keepClosed(translated: Translated, before: Metadata): Translated {
  const { access, ...others } = translated.metadata
  const stricter = joined(before['access'], access, new Date().toISOString())
  const lacking = Object.keys(before).filter((name) => !Object.hasOwn(translated.metadata, name))
  return {
    ...translated,
    metadata: { ...others, ...filled({ access: stricter }) },
    lacking: lacking.filter((name) => name !== 'access'),
  }
}

/** The metadata document of a record; what the description says of access holds as well. */
function toOriginal(
  { service, record, metadata, leftOut }: Extract<FoundCopy, { record: string }>,
  description: Foreign,
): Translated {
  const now = new Date().toISOString()
  const { [copyInDatapackage]: _, ...rest } = description
  const { access: limited } = toAccess(findAccessLimits(rest, now))
  const said = limited ?? (isBlank(rest['access']) ? undefined : rest['access'])
  const { access: original, ...others } = metadata
  const access = joined(original, said, now)
  const origin = { service, record }
  return { metadata: { ...others, ...filled({ access }) }, notTaken: leftOut, origin }
}

/** The stricter of two, the first where they agree. An embargo that is over is none. */
function joined(original: unknown, said: unknown, now: string): unknown {
  const [one, other] = [toFileAccess(original), toFileAccess(said)]
  if (isOpenAt(other, now))
    return one.files === 'restricted' && isOpenAt(one, now) ? said : (original ?? said)
  return endOf(one) < endOf(other) ? said : original
}

/** The day on which files open, to be compared as text. */
function endOf({ files, until }: FileAccess): string {
  return files === 'public' ? '' : (until ?? '~')
}

/** A field of Zenodo's deposit API that our metadata have no equivalent of. */
export function isOfZenodo(field: string): boolean {
  return /^(?:communities|(?:journal|conference|imprint|partof|thesis)_[a-z]+)$/.test(field)
}

/** Unwraps `{"metadata": …}`, the form of Zenodo's interface, which people keep in files. */
function unwrap(document: Foreign): Foreign {
  const { metadata } = document
  return isForeign(metadata) && Object.keys(document).length === 1 ? metadata : document
}
