import { isProblem, parseInTurn, type PublishedRecord, type Records } from '../../core/index.ts'
import type { Services } from '../api/services.ts'
import { formatDay, text } from './text/text.ts'
import { toText } from './field-lines.ts'

/** A record in the line of versions that this one stands in. */
export interface RecordVersion {
  readonly href: string
  readonly name: string
  readonly day: string
  readonly isThis: boolean
}

/** Steps in each direction; a longer line is cut. */
const maxSteps = 10

/** The records this one was made from and those made from it, newest first. */
export async function findVersions(
  { records, links }: Pick<Services, 'records' | 'links'>,
  record: PublishedRecord,
): Promise<readonly RecordVersion[]> {
  const later = await follow(record, (current) => records.successor(current))
  const earlier = await follow(record, ({ predecessor }) => find(records, predecessor))
  const line = [...later.toReversed(), record, ...earlier]
  return line.map((version, index) => ({
    href: links.recordPage(version.value),
    name: nameOf(version, line.length - index),
    day: formatDay(version.created),
    isThis: version === record,
  }))
}

type Step = (current: PublishedRecord) => Promise<PublishedRecord | undefined>

async function follow(from: PublishedRecord, next: Step): Promise<readonly PublishedRecord[]> {
  const found: PublishedRecord[] = []
  let current = await next(from)
  while (current && found.length < maxSteps) {
    found.push(current)
    await parseInTurn(current)
    current = await next(current)
  }
  return found
}

/** A version that is gone or has moved ends the line. */
async function find(records: Records, value?: string): Promise<PublishedRecord | undefined> {
  if (value === undefined) return undefined
  try {
    return await records.get(value)
  } catch (error) {
    if (isProblem(error)) return undefined
    throw error
  }
}

function nameOf({ metadata }: PublishedRecord, number: number): string {
  return text('record.version', { version: toText(metadata['version']) || number })
}
