import { parseInTurn, type PublishedRecord } from '../../core/index.ts'
import type { Services } from '../api/services.ts'
import { formatDay, text } from './text/text.ts'
import { toText } from './field-lines.ts'

/** A version of a record's concept. */
interface RecordVersion {
  readonly href: string
  readonly name: string
  readonly day: string
  readonly isThis: boolean
}

/** The versions of a record that its page lists. */
interface RecordVersions {
  /** Newest first. */
  readonly list: readonly RecordVersion[]
  /** Address of all, where there are more. */
  readonly all: { readonly url: string } | undefined
  /** The newest one, where the record is older. */
  readonly newest: { readonly url: string } | undefined
}

/** Versions that are listed at most. */
const mostVersions = 10

/** The newest versions of the record's concept. */
export async function findVersions(
  { records, links }: Pick<Services, 'records' | 'links'>,
  record: PublishedRecord,
): Promise<RecordVersions> {
  const found = await records.versions(record, { offset: 0, size: mostVersions })
  const list: RecordVersion[] = []
  for await (const versions of found.batches) {
    for (const version of versions) {
      await parseInTurn(version)
      list.push({
        href: links.recordPage(version.value),
        name: nameOf(version),
        day: formatDay(version.created),
        isThis: version.value === record.value,
      })
    }
  }
  const [newest] = list
  return {
    list,
    all: found.total > list.length ? { url: links.versionList(record.value) } : undefined,
    newest: newest && record.superseded ? { url: newest.href } : undefined,
  }
}

function nameOf({ metadata, number }: PublishedRecord): string {
  return text('record.version', { version: toText(metadata['version']) || number })
}
