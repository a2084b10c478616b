import type { UnitOfWork } from '../../ports/database.ts'

/** A unit of work that remembers which deposits and records were changed through it. */
export interface WatchedUnit {
  readonly unit: UnitOfWork
  readonly changed: {
    readonly deposits: ReadonlySet<string>
    readonly records: ReadonlySet<string>
  }
}

/** Watches what a search can tell of: documents, and which of them are listed. */
export function watchUnit(unit: UnitOfWork): WatchedUnit {
  const deposits = new Set<string>()
  const records = new Set<string>()
  const watched: UnitOfWork = {
    ...unit,
    deposits: {
      ...unit.deposits,
      insert: (deposit) => unit.deposits.insert(noted(deposits, deposit.id, deposit)),
      save: (deposit, now) => unit.deposits.save(noted(deposits, deposit.id, deposit), now),
      touch: (deposit, now) => unit.deposits.touch(noted(deposits, deposit.id, deposit), now),
      hide: (id, since) => unit.deposits.hide(noted(deposits, id, id), since),
      show: (id) => unit.deposits.show(noted(deposits, id, id)),
      remove: (id) => unit.deposits.remove(noted(deposits, id, id)),
    },
    records: {
      ...unit.records,
      insert: async (record) => {
        const superseded = await unit.records.insert(noted(records, record.value, record))
        for (const value of superseded) records.add(value)
        return superseded
      },
      addRevision: (record) => unit.records.addRevision(noted(records, record.value, record)),
      showNewest: async (concept, before) => {
        const changed = await unit.records.showNewest(concept, before)
        for (const value of changed) records.add(value)
        return changed
      },
      touch: (values, now) => {
        for (const value of values) records.add(value)
        return unit.records.touch(values, now)
      },
    },
    pids: {
      ...unit.pids,
      setStatus: (name, status, now) =>
        unit.pids.setStatus(noted(records, name.value, name), status, now),
      redirect: (name, target, now) =>
        unit.pids.redirect(noted(records, name.value, name), target, now),
    },
    upkeep: {
      ...unit.upkeep,
      restoreRecord: (manifests) => {
        for (const { pid, deposit } of manifests) {
          records.add(pid.value)
          deposits.add(deposit.pid.value)
        }
        return unit.upkeep.restoreRecord(manifests)
      },
    },
  }
  return { unit: watched, changed: { deposits, records } }
}

function noted<Value>(ids: Set<string>, id: string, value: Value): Value {
  ids.add(id)
  return value
}
