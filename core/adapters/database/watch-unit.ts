import type { Deposit } from '../../deposit/deposit.ts'
import type { UnitOfWork } from '../../ports/database.ts'

/** A unit of work that remembers which deposits and records were changed through it. */
export interface WatchedUnit {
  readonly unit: UnitOfWork
  readonly changed: {
    readonly deposits: ReadonlySet<string>
    readonly records: ReadonlySet<string>
    /** Deposits among them whose rows are known without reading them. */
    readonly known: ReadonlyMap<string, KnownDeposit>
  }
}

/** A deposit as its unit has left it. */
export interface KnownDeposit {
  readonly deposit: Deposit
  /** What the unit has done with it: `touched` where its revision and time alone are others. */
  readonly by: 'made' | 'changed' | 'touched'
}

/** Watches what a search can tell of: documents, and which of them are listed. */
export function watchUnit(unit: UnitOfWork): WatchedUnit {
  const deposits = new Set<string>()
  const records = new Set<string>()
  const known = new Map<string, KnownDeposit>()
  /** Changed in a way that only their rows tell, at least at first. */
  const unread = new Set<string>()
  const stored = (deposit: Deposit, by: KnownDeposit['by']): void => {
    const { id } = deposit
    const before = known.get(id)?.by ?? (unread.has(id) ? 'changed' : undefined)
    const isMore = before === undefined || (by === 'changed' && before === 'touched')
    known.set(id, { deposit, by: isMore ? by : before })
  }
  const unknown = (id: string): void => {
    deposits.add(id)
    unread.add(id)
    known.delete(id)
  }
  const watched: UnitOfWork = {
    ...unit,
    deposits: {
      ...unit.deposits,
      insert: async (deposit) => {
        await unit.deposits.insert(noted(deposits, deposit.id, deposit))
        stored(deposit, 'made')
      },
      save: async (deposit, now) => {
        const saved = await unit.deposits.save(noted(deposits, deposit.id, deposit), now)
        stored(saved, 'changed')
        return saved
      },
      touch: async (deposit, now) => {
        const touched = await unit.deposits.touch(noted(deposits, deposit.id, deposit), now)
        stored(touched, 'touched')
        return touched
      },
      hide: (id, since) => (unknown(id), unit.deposits.hide(id, since)),
      show: (id) => (unknown(id), unit.deposits.show(id)),
      remove: (id) => (unknown(id), unit.deposits.remove(id)),
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
          unknown(deposit.pid.value)
        }
        return unit.upkeep.restoreRecord(manifests)
      },
    },
  }
  return { unit: watched, changed: { deposits, records, known } }
}

function noted<Value>(ids: Set<string>, id: string, value: Value): Value {
  ids.add(id)
  return value
}
