import { randomUUID } from 'node:crypto'
import type { AccountRow } from '../../core/adapters/database/schema/account-tables.ts'
import { snapshot } from '../../core/actions/publish.ts'
import type { JsonObject } from '../../core/base/json.ts'
import { defaults } from '../../core/contract/defaults.ts'
import type { Deposit } from '../../core/deposit/deposit.ts'
import { newDraft } from '../../core/deposit/new-draft.ts'
import { newBucketId } from '../../core/files/file.ts'
import { parseUserId, type UserId } from '../../core/index.ts'
import { mintDepositPid, type PersistentIdentifier } from '../../core/pid/deposit-pid.ts'
import { mintConcept, mintRecid } from '../../core/pid/record-minters.ts'
import type { PublishedRecord } from '../../core/record/record.ts'
import { documentOf } from './documents.ts'
import { ownDeposits } from './scale.ts'

/** A deposit, its record if it is published, and the identifiers of both and of its concept. */
export interface Made {
  readonly deposit: Deposit
  readonly record?: PublishedRecord
  readonly pids: readonly PersistentIdentifier[]
}

/** What a deposit was before it was published, if it was. */
interface Making {
  readonly owner: UserId
  readonly isPublished: boolean
  /** Changes before it was published: the number of its files. */
  readonly revision: number
}

/** Makes deposits as the requests leave them that create, fill and publish them. */
export class Maker {
  /** Among two million identifiers of 40 bits, two are likely the same. */
  readonly #minted = new Set<string>()

  make(index: number, { owner, isPublished, revision }: Making): Made {
    const [pid, concept] = [mintDepositPid(), mintConcept(this.#mint)]
    const draft = newDraft({
      id: pid.value,
      pidType: pid.type,
      bucket: newBucketId(),
      owner,
      concept: concept.value,
      schema: defaults.DEPOSIT_DEFAULT_JSONSCHEMA,
      metadata: asReadBack(index),
      now: timeOf(index),
    })
    const filled = { ...draft, revision }
    if (!isPublished) return { deposit: filled, pids: [pid, concept] }
    const recid = this.#mint()
    const record = snapshot(filled, recid, { schema: recordSchema, now: draft.updated })
    const ref = { type: record.type, value: record.value, revision: record.revision }
    const published: Deposit = {
      ...filled,
      revision: revision + 1,
      status: 'published',
      record: ref,
    }
    return { deposit: published, record, pids: [pid, concept, recid] }
  }

  readonly #mint = (): PersistentIdentifier => {
    let pid = mintRecid()
    while (this.#minted.has(pid.value)) pid = mintRecid()
    this.#minted.add(pid.value)
    return pid
  }
}

/** The schema of published deposits whose drafts have the default schema. */
const recordSchema = defaults.DEPOSIT_DEFAULT_JSONSCHEMA.replace(/^deposits\//, '')

/** The document with its fields in the order of canonical JSON, as they are read from a row. */
function asReadBack(index: number): JsonObject {
  const { title, description } = documentOf(index)
  return { description, title }
}

/** A time one second later for each. */
function timeOf(index: number): string {
  return new Date(Date.UTC(2025, 0, 1) + index * 1000).toISOString()
}

/** Users who have the deposits that a database is filled with. */
export interface Owners {
  /** Rows of all but the measured user. */
  readonly accounts: readonly Pick<AccountRow, 'id' | 'email' | 'admin' | 'disabled' | 'created'>[]
  readonly of: (index: number) => UserId
  /** Number of the deposit among those from which each user has one. */
  readonly turnOf: (index: number) => number
}

/**
 * A thousand deposits for the measured user (or all, if there are no more), spread evenly among
 * those of others, who have a thousand each.
 */
export function ownersOf(measured: UserId, deposits: number): Owners {
  const others = Array.from({ length: Math.ceil(deposits / ownDeposits) }, () =>
    parseUserId(randomUUID()),
  )
  const every = Math.max(1, Math.floor(deposits / ownDeposits))
  return {
    accounts: others.map((id, index) => ({
      id,
      email: `other-${index}@example.org`,
      admin: 0,
      disabled: 0,
      created: timeOf(0),
    })),
    of: (index) => (index % every === 0 ? measured : (others[index % others.length] ?? measured)),
    turnOf: (index) => Math.floor(index / every),
  }
}
