import type { Json, JsonObject } from '../base/json.ts'
import type { PersonRole } from '../access/rights.ts'
import type { PidStatus } from '../pid/deposit-pid.ts'
import type { StrangeFile } from './blob-store.ts'
import type { Withdrawal } from '../record/withdrawal.ts'
import { canonicalJson, sha256 } from '../json/canonical.ts'
import { problem } from '../errors/errors.ts'

/**
 * All that is known of one revision of a record, in words of its own: with the bytes it names it
 * is enough to rebuild the rows. It is kept beside the database, as JSON.
 */
export interface RecordManifest extends JsonObject {
  readonly format: 1
  readonly pid: ManifestPid
  readonly revision: number
  readonly schema: string | null
  readonly metadata: JsonObject
  readonly predecessor: string | null
  /** Absent in manifests from before there were concepts. */
  readonly concept?: ManifestConcept
  /** Absent without any. */
  readonly identifiers?: readonly ManifestIdentifier[]
  /** ISO 8601, UTC: of the first revision, and of this one. */
  readonly created: string
  readonly updated: string
  /** When this revision was made, where it was told of again later. */
  readonly made?: string
  readonly deposit: ManifestDeposit
  readonly files: readonly ManifestFile[]
}

/** An identifier from a provider, of the record or its concept, that was to be registered. */
export interface ManifestIdentifier extends JsonObject {
  readonly value: string
  readonly provider: string
  readonly scheme: string
  readonly url: string
  readonly of: 'record' | 'concept'
  readonly subject: string
  /** ISO 8601, UTC; null while it was on its way. */
  readonly registered: string | null
}

/** Which version of which concept the record is. */
export interface ManifestConcept extends JsonObject {
  readonly pid: ManifestPid
  /** 1 for the first version. */
  readonly number: number
}

export interface ManifestPid extends JsonObject {
  readonly type: string
  readonly value: string
  readonly object_uuid: string
  readonly status: PidStatus
  readonly redirect: { readonly type: string; readonly value: string } | null
}

/** The deposit as it was when the manifest was written. */
export interface ManifestDeposit extends JsonObject {
  readonly pid: ManifestPid
  readonly bucket: string
  readonly schema: string | null
  readonly revision: number
  /** At its last publish. */
  readonly owners: readonly ManifestOwner[]
  /** Everybody with a role, owners first; absent while those that published it are the only ones. */
  readonly people?: readonly ManifestPerson[]
  readonly created_by: string
  /** Revision of the record that its last edit started from. */
  readonly base: number | null
  readonly created: string
  /** For interfaces that name deposits by integers; absent in older manifests. */
  readonly number?: number
  /** Set where the record was withdrawn. */
  readonly withdrawal?: Withdrawal & JsonObject
  /** When the deposit itself was last changed; older manifests do not say. */
  readonly updated?: string
}

export interface ManifestOwner extends JsonObject {
  readonly id: string
  readonly email: string | null
}

export interface ManifestPerson extends ManifestOwner {
  readonly role: PersonRole
  readonly since: string
}

export interface ManifestFile extends JsonObject {
  readonly id: string
  readonly key: string
  readonly position: number
  /** Latest first, never empty. */
  readonly versions: readonly ManifestVersion[]
}

export interface ManifestVersion extends JsonObject {
  readonly id: string
  readonly storage_class: string
  readonly created: string
  readonly blob: {
    readonly id: string
    /** Bytes. */
    readonly size: number
    readonly sha256: string
    readonly digests: Readonly<Record<string, string>>
  } & { readonly [name: string]: Json }
}

/** A manifest that is there, with any content. */
export interface ManifestName {
  readonly value: string
  readonly revision: number
}

/** Keeps manifests apart from the rows, so that what loses the one does not lose the other. */
export interface ManifestStore extends AsyncDisposable {
  /**
   * Durable when it answers; replaces an earlier one.
   *
   * @param signal ends the wait for a store that does not answer
   * @throws {DepositError} storage_full: nothing was kept
   * @throws {DepositError} storage_failed, storage_degraded: it is not known to be durable
   */
  readonly write: (manifest: RecordManifest, signal?: AbortSignal) => Promise<void>
  /**
   * Set where many take less than each of them alone. Where it fails, any of them may have been
   * written.
   *
   * @throws {DepositError} storage_full, storage_failed
   */
  readonly writeMany?: (manifests: readonly RecordManifest[]) => Promise<void>
  /** Undefined where there is none. @throws {DepositError} damaged_file: it is not what was written */
  readonly read: (name: ManifestName) => Promise<RecordManifest | undefined>
  readonly list: () => AsyncIterable<ManifestName | StrangeFile>
}

/** The digest comes last; people read what is before it. */
export function toManifestText(manifest: RecordManifest): string {
  const digest = sha256(canonicalJson(manifest))
  return `${JSON.stringify({ ...manifest, digest }, undefined, 2)}\n`
}

/** @throws {DepositError} damaged_file: it is not what was written */
export function parseManifest(text: string): RecordManifest {
  const { digest, ...manifest } = parseObject(text)
  if (sha256(canonicalJson(manifest)) !== digest) throw problem('damaged_file')
  return manifest
}

function parseObject(text: string): RecordManifest & { readonly digest: string } {
  try {
    return JSON.parse(text) as RecordManifest & { readonly digest: string }
  } catch (error) {
    throw problem('damaged_file', { cause: error })
  }
}
