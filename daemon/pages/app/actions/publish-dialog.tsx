import type { RJSFSchema } from '@rjsf/utils'
import { isOpenAt, toFileAccess } from '../../../../core/contract/file-access.ts'
import { doiOf } from '../../../../core/contract/foreign-values.ts'
import { counted, formatDate, formatSize, text } from '../../text/text.ts'
import type { Deposit, Rehearsal } from '../api/deposits.ts'
import { fieldOf, isArray, type Json, type JsonObject } from '../api/json.ts'
import { ReadingView } from '../read/reading-view.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { Notice } from '../ui/messages.tsx'
import type { KnownIdentifier } from './action-list.ts'
import { Warnings } from './warnings.tsx'

interface PublishDialogProps {
  readonly deposit: Deposit
  readonly document: JsonObject
  /** The identifiers that the record will have. */
  readonly identifiers: readonly KnownIdentifier[]
  readonly rehearsal: Rehearsal | undefined
  /** True where the draft was changed while it was asked before. */
  readonly isChanged: boolean | undefined
  readonly labels: RJSFSchema
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Shows what becomes public, and the record as it will read, before it is published. */
export function PublishDialog(props: PublishDialogProps) {
  const { deposit, document, identifiers, rehearsal, isChanged, labels, onConfirm, onClose } = props
  const isAgain = typeof deposit.metadata._deposit.value === 'string'
  const title = textOf(document['title']) || text('record.untitled')
  const elsewhere = doiElsewhere(identifiers, document)
  const creators = namesOf(document['creators'])
  return (
    <Confirm
      title={text(isAgain ? 'ask.publishAgain' : 'ask.publish')}
      confirm={text('confirm.publish')}
      wide
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>{text(isAgain ? 'explain.publishAgain' : 'explain.publish')}</p>
      {isChanged && <Notice kind="warn">{text('publish.changed')}</Notice>}
      <Warnings rehearsal={rehearsal} labels={labels} intro={text('publish.warnings')} />
      <h3>{text('publish.becomes')}</h3>
      <dl class="fields compact">
        <Fact name={text('publish.title')}>{title}</Fact>
        <Fact name={text('record.files')}>{filesIn(deposit)}</Fact>
        <Fact name={text('publish.access')}>{accessIn(document)}</Fact>
        <Fact name={text('record.license')}>
          {textOf(document['license']) || text('publish.noLicense')}
        </Fact>
        {elsewhere !== undefined && (
          <Fact name="DOI">{text('publish.elsewhere', { doi: elsewhere })}</Fact>
        )}
      </dl>
      <details class="publish-preview" open>
        <summary>{text('publish.preview')}</summary>
        <p class="preview-title" dir="auto">
          {title}
        </p>
        {creators !== '' && <p class="quiet">{creators}</p>}
        <ReadingView schema={labels} document={document} />
      </details>
    </Confirm>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="auto">{children}</dd>
    </div>
  )
}

/** The DOI that the metadata name, unless it was reserved here for this record. */
function doiElsewhere(
  identifiers: readonly KnownIdentifier[],
  document: JsonObject,
): string | undefined {
  const doi = doiOf(document['doi'])
  const isOwn = identifiers.some(({ value }) => value.toLowerCase() === doi?.toLowerCase())
  return isOwn ? undefined : doi
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
