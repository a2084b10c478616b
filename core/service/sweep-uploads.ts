import { collectAbandoned } from './collect-garbage.ts'
import { giveUpConcept } from './deposits.ts'
import { oldestAnswer } from './kept-answers.ts'
import type { Parts } from './parts.ts'
import { releaseInvitations } from './people.ts'
import { isExpired, removeArrived, removeUpload, uploadStatus } from './upload-status.ts'
import { whyKept } from '../identifiers/known-outside.ts'
import type { DepositId } from '../pid/deposit-pid.ts'
import type { BlobId } from '../files/file.ts'
import type { ManifestStore } from '../ports/manifest-store.ts'
import { removeBlobs } from './remove-blobs.ts'
import { keptByManifests, type IsKept } from './strange-manifests.ts'

type SweptParts = Parts & { readonly manifests: ManifestStore }

/**
 * Removes expired uploads, bytes whose upload is gone, deleted deposits past their retention,
 * deleted files past theirs, changes of metadata that are too old to be undone, stored answers too old
 * to be replayed, expired tokens, and entries of the audit trail. Bytes that a manifest names whose
 * record the rows do not know are kept: these rows may be an older copy of those it was published with.
 */
export async function sweep(parts: SweptParts): Promise<void> {
  const isKept = keptByManifests(parts)
  await removeExpired(parts, isKept)
  await removeStrays(parts)
  await purgeDeletions(parts, isKept)
  await purgeTrash(parts, isKept)
  await forgetChanges(parts)
  await collectAbandoned(parts, isKept)
  await parts.database.write(async (unit) => {
    await unit.answers.removeBefore(oldestAnswer(parts))
    await unit.issuer.removeExpired(parts.clock.settled())
    await unit.tokens.removeExpired(parts.clock.settled())
  })
  await forgetActs(parts)
}

/** Entries removed in one unit of work. */
const actsAtOnce = 1000

/** Removes the entries of the audit trail that are older than they are kept. */
async function forgetActs({ clock, database, settings: { auditMs } }: Parts): Promise<void> {
  if (auditMs === 0) return
  const before = new Date(Date.parse(clock.settled()) - auditMs).toISOString()
  for (;;) {
    const removed = await database.write((unit) => unit.audit.removeBefore(before, actsAtOnce))
    if (removed < actsAtOnce) return
  }
}

async function removeExpired(parts: Parts, isKept: IsKept): Promise<void> {
  const { clock, database, settings } = parts
  const begun = new Date(Date.parse(clock.settled()) - settings.uploadExpiryMs).toISOString()
  for (const upload of await database.read.uploads.begunBefore(begun)) {
    if (!isExpired(parts, await uploadStatus(parts, upload))) continue
    const isPublished = upload.finished === undefined && (await isKept(upload.id))
    await database.write(async (unit) => {
      const current = await unit.uploads.find(upload.id)
      if (current && isPublished) await unit.uploads.remove(current.id)
      else if (current) await removeUpload(parts, unit, current)
    })
  }
}

/** A row is made before the first byte arrives, so bytes without one are garbage. */
async function removeStrays(parts: Parts): Promise<void> {
  const { blobs, database } = parts
  for (const id of await blobs.uploads.list()) {
    if (!(await database.read.uploads.find(id))) await removeArrived(parts, [id])
  }
}

/**
 * Removes soft-deleted deposits and their files for good once their retention is over. Deposits
 * hidden for another reason stay.
 *
 * @see Contract §5, "delete"
 */
export async function purgeDeletions(
  parts: SweptParts,
  isKept = keptByManifests(parts),
): Promise<void> {
  const { clock, database, settings } = parts
  const before = new Date(Date.parse(clock.settled()) - settings.retentionMs).toISOString()
  for (const id of await database.read.deposits.hiddenBefore(before)) {
    await purge(parts, id, before, isKept)
  }
}

async function purge(parts: Parts, id: DepositId, before: string, isKept: IsKept): Promise<void> {
  await parts.database.write(async (unit) => {
    // It may have been restored since.
    const hidden = await unit.deposits.findHidden(id)
    if (!hidden || hidden.since >= before) return
    const pid = await unit.pids.find({ type: hidden.deposit.pidType, value: id })
    if (pid?.status !== 'D') return
    if (await whyKept(unit, hidden.deposit)) return
    const blobs = await unit.files.removeAll(hidden.deposit.bucket)
    await unit.deposits.remove(id)
    await giveUpConcept(unit, hidden.deposit)
    await releaseInvitations(unit, hidden.deposit)
    unit.afterCommit(() => removeUnlessKept(parts, blobs, isKept))
  })
}

/** Removes deleted files for good once their retention is over. */
async function purgeTrash(parts: Parts, isKept: IsKept): Promise<void> {
  const { clock, database, settings } = parts
  const before = new Date(Date.parse(clock.settled()) - settings.retentionMs).toISOString()
  for (let count = 1; count > 0;) {
    const { files, blobs } = await database.write((unit) => unit.trash.removeBefore(before))
    await removeUnlessKept(parts, blobs, isKept)
    count = files
  }
}

/** A failure is left to garbage collection. */
async function removeUnlessKept(
  parts: Parts,
  blobs: readonly BlobId[],
  isKept: IsKept,
): Promise<void> {
  try {
    for (const id of blobs) if (!(await isKept(id))) await removeBlobs(parts, [id])
  } catch (error) {
    parts.report(error)
  }
}

async function forgetChanges({ clock, database, settings }: Parts): Promise<void> {
  const before = new Date(Date.parse(clock.settled()) - settings.historyMs).toISOString()
  for (let count = 1; count > 0;) {
    count = await database.write((unit) => unit.history.removeBefore(before))
  }
}
