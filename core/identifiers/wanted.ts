import type { Description, Relation } from '../describe/description.ts'
import { doiOf } from '../contract/foreign-values.ts'
import { doiUrl } from '../describe/identifiers.ts'
import type { DepositId } from '../pid/deposit-pid.ts'
import { recordPidType } from '../pid/record-minters.ts'
import type { UnitOfWork } from '../ports/database.ts'
import type { PidReader } from '../ports/pids.ts'
import type { RecordReader } from '../ports/records.ts'
import type { IdentifierReader, NewIdentifier, ProvidedIdentifier } from '../ports/identifiers.ts'
import type { Provider, Wanted } from '../ports/provider.ts'
import type { PublishedRecord } from '../record/record.ts'
import { toFurther } from './citable.ts'

/** What is identified: a record or a concept, by the value of its own identifier. */
interface Subject {
  readonly of: ProvidedIdentifier['of']
  readonly subject: string
  readonly deposit: DepositId
}

/** A deposit or a record, as far as its identifiers go. */
interface Identified {
  /** Value of the record, which a draft may have reserved. */
  readonly value: string
  readonly concept: string
  readonly deposit: DepositId
}

/**
 * Makes the identifiers of a record and of its concept known here: those that were reserved before
 * stay the same. Nobody else hears of them.
 */
export async function reserveIdentifiers(
  unit: UnitOfWork,
  providers: readonly Provider[],
  { value, concept, deposit }: Identified,
  now: string,
): Promise<void> {
  const subjects: readonly Subject[] = [
    { of: 'record', subject: value, deposit },
    { of: 'concept', subject: concept, deposit },
  ]
  const made = providers.flatMap((provider) =>
    subjects.map((subject) => toIdentifier(provider, subject)),
  )
  await unit.identifiers.reserve(made, now)
}

function toIdentifier(provider: Provider, subject: Subject): NewIdentifier {
  const value = provider.reserve(subject.subject)
  const { name, scheme } = provider
  return { ...subject, value, provider: name, scheme, url: provider.toUrl(value) }
}

/**
 * Has the identifiers of a record brought to their providers, in the unit of work that changes the
 * record: after a publish, a correction, a withdrawal. A worker finds out what they are to say.
 * A record that names a DOI from elsewhere gets no second one.
 */
export async function wantIdentifiers(
  unit: UnitOfWork,
  providers: readonly Provider[],
  { record, now, superseded = [] }: Change,
): Promise<void> {
  const { value, concept, predecessor, metadata } = record
  const named = typeof metadata['doi'] === 'string' && metadata['doi'].trim() !== ''
  const fitting = providers.filter(({ scheme }) => !(named && scheme === 'doi'))
  const identified = { value, concept, deposit: record.deposit.id }
  await reserveIdentifiers(unit, fitting, identified, now)
  // What is said of the version before names the one after it.
  const before = predecessor === undefined ? [] : [predecessor]
  const all = [...new Set([value, concept, ...before, ...superseded])]
  const known = await unit.identifiers.ofSubjects(all)
  const wanted = [...known.values()].flat().filter(isWanted(value, concept))
  const local = new Set(providers.filter(({ isLocal }) => isLocal).map(({ name }) => name))
  const isLocal = ({ provider }: ProvidedIdentifier): boolean => local.has(provider)
  await unit.identifiers.register(valuesOf(wanted.filter(isLocal)), now)
  await unit.identifiers.want(valuesOf(wanted.filter((each) => !isLocal(each))), now)
}

interface Change {
  readonly record: PublishedRecord
  /** ISO 8601, UTC. */
  readonly now: string
  /** Values of the versions before it that it supersedes. */
  readonly superseded?: readonly string[]
}

function valuesOf(identifiers: readonly ProvidedIdentifier[]): readonly string[] {
  return identifiers.map(({ value }) => value)
}

/** The version before is told again only where it was told once. */
function isWanted(value: string, concept: string) {
  return ({ subject, status }: ProvidedIdentifier): boolean =>
    subject === value || subject === concept || status !== 'reserved'
}

/** Value of the record's own identifier that a draft has reserved. */
export async function reservedValue(
  identifiers: IdentifierReader,
  deposit: DepositId,
): Promise<string | undefined> {
  const known = await identifiers.ofDeposits([deposit])
  return known.get(deposit)?.[0]?.subject
}

/** The rows that say what is wanted. */
interface Rows {
  readonly records: RecordReader
  readonly pids: PidReader
  readonly identifiers: IdentifierReader
}

/** Tells records, with the addresses of the service. */
export interface Teller {
  readonly describe: (record: PublishedRecord) => Promise<Description>
  /** Address of the page of a record or concept. */
  readonly pageOf: (value: string) => string
}

/**
 * What is to be true of an identifier, as the rows are now: found while its record is public, that of
 * a concept while a version of it is, and hidden otherwise.
 *
 * @returns null where nothing was ever published: nobody outside is to know of it
 */
export async function wantedOf(
  rows: Rows,
  identifier: ProvidedIdentifier,
  teller: Teller,
): Promise<Wanted | null> {
  const { value, subject, status, registered } = identifier
  const target = teller.pageOf(subject)
  const record = await findShown(rows, identifier)
  if (record) {
    const description =
      identifier.of === 'record'
        ? await teller.describe(record)
        : await describeConcept(rows, subject, record, teller)
    return { identifier: value, concept: record.concept, target, description }
  }
  if (status === 'reserved' && registered === undefined) return null
  const { records } = rows
  const last = await (identifier.of === 'record'
    ? records.find(subject)
    : records.findLast(subject))
  const concept = last?.concept ?? subject
  const tombstone = last && (await teller.describe(last))
  return { identifier: value, concept, target, ...(tombstone && { tombstone }) }
}

/** The record that an identifier stands for: of a concept its newest version that is public. */
async function findShown(
  rows: Rows,
  identifier: ProvidedIdentifier,
): Promise<PublishedRecord | undefined> {
  const { of, subject } = identifier
  if (of === 'record') return findPublic(rows, subject)
  if ((await rows.pids.find({ type: recordPidType, value: subject }))?.redirect) return undefined
  for (let offset = 0; ; offset += atOnce) {
    const { values } = await rows.records.versions(subject, { offset, limit: atOnce })
    for (const value of values) {
      const found = await findPublic(rows, value)
      if (found) return found
    }
    if (values.length < atOnce) return undefined
  }
}

/** Versions that are looked at together: the newest one is public, as a rule. */
const atOnce = 20

/** Undefined for a record that is withdrawn, or leads to another. */
async function findPublic({ records, pids }: Rows, value: string) {
  const pid = await pids.find({ type: recordPidType, value })
  return pid?.status === 'K' || pid?.status === 'R' ? records.find(value) : undefined
}

/** Versions that a concept names at its provider: the newest of a longer chain. */
const mostVersionsNamed = 100

/**
 * A concept is described as its newest version, with its own address and identifiers, and the
 * versions that are public.
 */
async function describeConcept(
  rows: Rows,
  concept: string,
  newest: PublishedRecord,
  { describe, pageOf }: Teller,
): Promise<Description> {
  const about = await describe(newest)
  const page = { offset: 0, limit: mostVersionsNamed }
  const { values } = await rows.records.versions(concept, page)
  const known = await rows.identifiers.ofSubjects([concept, newest.value, ...values])
  const versions: Relation[] = []
  for (const value of values) {
    const doi = await doiOfVersion(rows, value, known.get(value) ?? [])
    versions.push(toVersion(doi, pageOf(value)))
  }
  const ofNewest = new Set((known.get(newest.value) ?? []).map(({ value }) => value))
  const alternateIdentifiers = [
    ...(known.get(concept) ?? []).flatMap(toFurther),
    ...about.alternateIdentifiers.filter(({ identifier }) => !ofNewest.has(identifier)),
  ]
  const url = pageOf(concept)
  const alone = { concept: undefined, previous: undefined, next: undefined }
  return { ...about, ...alone, url, versions, alternateIdentifiers }
}

/** The DOI that the service made for it, or the one from elsewhere that it names. */
async function doiOfVersion(
  { records }: Rows,
  value: string,
  known: readonly ProvidedIdentifier[],
): Promise<string | undefined> {
  const own = known.find(({ scheme, status }) => scheme === 'doi' && status !== 'reserved')
  if (own) return own.value
  const record = await records.find(value)
  return doiOf(record?.metadata['doi'])
}

function toVersion(doi: string | undefined, page: string): Relation {
  const named =
    doi === undefined
      ? { identifier: page, scheme: 'URL', url: page }
      : { identifier: doi, scheme: 'DOI', url: doiUrl(doi) }
  return { ...named, relation: 'HasVersion', resourceType: undefined }
}
