import type { RJSFSchema } from '@rjsf/utils'
import type { ComponentChildren } from 'preact'
import { isOpenAt, toFileAccess } from '../../../../core/contract/file-access.ts'
import { doiOf } from '../../../../core/contract/foreign-values.ts'
import { publishing } from '../../text/publishing.ts'
import { addTexts, counted, formatDate, formatSize, text } from '../../text/text.ts'
import type { Deposit } from '../api/deposits.ts'
import { fieldOf, isArray, type Json, type JsonObject } from '../api/json.ts'
import { ReadingView } from '../read/reading-view.tsx'
import { today } from '../ui/today.ts'
import type { KnownIdentifier } from './action-list.ts'

addTexts(publishing)

/** The draft that is about to become public. */
export interface Becoming {
  readonly deposit: Deposit
  readonly document: JsonObject
  /** The identifiers that the record will have. */
  readonly identifiers: readonly KnownIdentifier[]
  readonly labels: RJSFSchema
  /** True where the preview is opened by a click. */
  readonly isFolded?: boolean
  /** Changes the publication date; absent where the person may not. */
  readonly onDate?: ((day: string) => void) | undefined
}

/** The facts of a draft that becomes public, and the record as it will read. */
export function WhatBecomesPublic(props: Becoming) {
  const { deposit, document, identifiers, labels, isFolded = false, onDate } = props
  const title = textOf(document['title']) || text('record.untitled')
  const creators = namesOf(document['creators'])
  const elsewhere = doiElsewhere(identifiers, document)
  const date = dateBefore(deposit, document)
  return (
    <>
      <h3>{text('publish.becomes')}</h3>
      <dl class="fields compact">
        <Fact name={text('publish.title')}>{title}</Fact>
        <Fact name={text('record.files')}>{filesIn(deposit)}</Fact>
        <Fact name={text('publish.access')}>{accessIn(document)}</Fact>
        <Fact name={text('record.license')}>
          {textOf(document['license']) || text('publish.noLicense')}
        </Fact>
        {identifiers.map(({ kind, value, status }) => (
          <Fact key={kind} name={kind}>
            {status === 'reserved' ? text('publish.own', { value }) : value}
          </Fact>
        ))}
        {elsewhere !== undefined && (
          <Fact name="DOI">{text('publish.elsewhere', { doi: elsewhere })}</Fact>
        )}
        {date !== undefined && (
          <Fact name={dateLabel(labels)}>
            {text('publish.before', { day: formatDate(date) })}{' '}
            {onDate && (
              <button type="button" onClick={() => onDate(today())}>
                {text('publish.today')}
              </button>
            )}
          </Fact>
        )}
      </dl>
      <details class="publish-preview" open={!isFolded}>
        <summary>{text('publish.preview')}</summary>
        <p class="preview-title" dir="auto">
          {title}
        </p>
        {creators !== '' && <p class="quiet">{creators}</p>}
        <ReadingView schema={labels} document={document} />
      </details>
    </>
  )
}

/** What publishing does to the draft, in a sentence or two. */
export function explainPublish({ metadata }: Deposit, { access }: JsonObject): string {
  if (typeof metadata._deposit.value === 'string') return text('explain.publishAgain')
  const found = toFileAccess(access)
  if (isOpenAt(found, new Date().toISOString())) return text('explain.publish')
  if (found.until === undefined) return text('publish.explainClosed')
  return text('publish.explainUntil', { day: formatDate(found.until) })
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="auto">{children}</dd>
    </div>
  )
}

/** The DOI that the metadata name, unless it is of this service. */
function doiElsewhere(
  identifiers: readonly KnownIdentifier[],
  document: JsonObject,
): string | undefined {
  const doi = doiOf(document['doi'])
  const isOwn = identifiers.some(({ value }) => value.toLowerCase() === doi?.toLowerCase())
  return isOwn ? undefined : doi
}

/** The publication date of a new version, where it is before today: it began with that of the one before. */
function dateBefore({ links, metadata }: Deposit, document: JsonObject): string | undefined {
  const date = textOf(document['publication_date'])
  const isNewVersion = links['previous_version'] !== undefined
  const isPublished = typeof metadata._deposit.value === 'string'
  return isNewVersion && !isPublished && date !== '' && date < today().slice(0, date.length)
    ? date
    : undefined
}

function dateLabel({ properties }: RJSFSchema): string {
  const { title } = (properties?.['publication_date'] ?? {}) as { readonly title?: string }
  return title ?? 'publication_date'
}

function filesIn({ files }: Deposit): string {
  if (!files || files.count === 0) return text('publish.noFiles')
  return `${counted('files.count', files.count)}, ${formatSize(files.size)}`
}

function accessIn({ access }: JsonObject): string {
  const found = toFileAccess(access)
  if (isOpenAt(found, new Date().toISOString())) return text('publish.public')
  if (found.until === undefined) return text('record.restricted')
  return text('record.opens', { day: formatDate(found.until) })
}

function namesOf(creators: Json | undefined): string {
  if (!isArray(creators)) return ''
  return creators
    .map((creator) => textOf(fieldOf(creator, 'name')))
    .filter(Boolean)
    .join('; ')
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value.trim() : ''
}
