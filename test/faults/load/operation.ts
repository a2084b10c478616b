import type { Reply } from '../../support/http.ts'
import type { User } from '../../support/user.ts'
import type { DepositModel } from './deposit-model.ts'

/** A deposit of a client: the state that must be found, and the data for further requests. */
export interface Known {
  readonly id: string
  readonly bucket: string
  readonly revision: number
  /** By key. */
  readonly fileIds: ReadonlyMap<string, string>
  /** Value of its record, once it is published. */
  readonly record?: string
  /** Value of the record of which it is the next version. */
  readonly predecessor?: string
  readonly model: DepositModel
}

/** One request that changes something, and the state once it is acknowledged. */
export interface Operation {
  readonly name: string
  /** The deposit that is changed; undefined for a create. */
  readonly target: Known | undefined
  readonly becomes: DepositModel
  /** Status of the acknowledgement. */
  readonly status: number
  /** Set where it is no change of the deposit itself. */
  readonly keepsRevision?: true
  readonly send: (user: User) => Promise<Reply>
}

/** A deposit, or a file. */
interface Answered {
  readonly id?: string
  readonly filename?: string
  readonly revision?: number
  readonly links?: DepositLinks
}

interface DepositLinks {
  readonly bucket?: string
  readonly record?: string
  readonly previous_version?: string
}

/** The client's knowledge of the deposit once the operation is acknowledged. */
export function acknowledged({ target, becomes }: Operation, reply: Reply): Known {
  const body = (reply.body ?? {}) as Answered
  const revision = Number(
    reply.headers.get('deposit-revision') ?? body.revision ?? target?.revision ?? NaN,
  )
  const fileIds = new Map(target?.fileIds)
  const files: readonly Answered[] = Array.isArray(reply.body) ? reply.body : [body]
  for (const { filename, id = '' } of files) if (filename !== undefined) fileIds.set(filename, id)
  const model = becomes
  const records = recordsOf(body.links)
  if (target) return { ...target, ...records, revision, fileIds, model }
  const bucket = lastSegment(body.links?.bucket) ?? ''
  return { id: body.id ?? '', bucket, ...records, revision, fileIds, model }
}

/** The records of a deposit by its links. */
export function recordsOf(links: DepositLinks = {}): Pick<Known, 'record' | 'predecessor'> {
  const record = lastSegment(links.record)
  const predecessor = lastSegment(links.previous_version)
  return { ...(record && { record }), ...(predecessor && { predecessor }) }
}

/** Last segment of a link: its origin does not outlive the daemon. */
export function lastSegment(link: string | undefined): string | undefined {
  return link?.split('/').at(-1)
}
