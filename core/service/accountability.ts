import { AsyncLocalStorage } from 'node:async_hooks'
import type { ShareLink } from '../access/links.ts'
import { peopleOf } from '../access/rights.ts'
import type { Deposit } from '../deposit/deposit.ts'
import type { AuditEntry } from '../ports/audit.ts'
import type { Database, UnitOfWork } from '../ports/database.ts'

/** Something that somebody does, for the audit trail. */
export interface Act {
  /** Called in a unit of work, before it changes anything. */
  readonly begin?: (unit: UnitOfWork) => Promise<void>
  /** What is told of it; called at the end of a unit of work that changed something. */
  readonly tell: (unit: UnitOfWork) => Promise<AuditEntry> | AuditEntry
  /** Called once an entry of it is durable. */
  readonly noted: () => void
}

const acts = new AsyncLocalStorage<Act>()

/** Runs `work` as an act: what it changes in {@link accountable} rows is noted with the change. */
export function actAs<Result>(act: Act, work: () => Result): Result {
  return acts.run(act, work)
}

/**
 * A database whose units of work note what they change on behalf of somebody, in the same
 * transaction: no change is without its entry, and no entry without its change. What the service
 * does by itself, such as sweeping, is not noted.
 */
export function accountable(database: Database): Database {
  const { read, upkeep, seal, isShared, isWritable, isSilent, lead, locks, view } = database
  return {
    read,
    upkeep,
    ...(seal && { seal }),
    isShared,
    isWritable,
    isSilent,
    lead,
    ...(locks && { locks }),
    view,
    write: async (work, options) => {
      const act = acts.getStore()
      if (!act) return database.write(work, options)
      let isNoted = false
      const result = await database.write(async (unit) => {
        await act.begin?.(unit)
        const { watched, entries } = watch(unit)
        const answer = await work(watched)
        const changes = entries()
        isNoted = changes.length > 0
        if (isNoted) {
          const told = await act.tell(unit)
          await unit.audit.add(changes.map((change) => ({ ...told, ...change })))
        }
        return answer
      }, options)
      if (isNoted) act.noted()
      return result
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

type Change = Pick<AuditEntry, 'deposit' | 'was' | 'revision' | 'object' | 'files'>

/** Most keys of files that an entry names. */
const mostFiles = 100

interface Watched {
  readonly watched: UnitOfWork
  /** An entry for each deposit that was changed; else one for what was changed beside them. */
  readonly entries: () => readonly Change[]
}

/** Watches what people change: deposits, their files, people and links, records, tokens, accounts, clients. */
function watch(unit: UnitOfWork): Watched {
  const deposits = new Map<string, Change>()
  /** Deposits as they were read. */
  const found = new Map<string, Deposit>()
  const files = new Set<string>()
  let object: string | undefined
  const changed = (deposit: string, change: Change): void => {
    const { was = change.was } = deposits.get(deposit) ?? {}
    deposits.set(deposit, { deposit, ...change, ...(was !== undefined && { was }) })
  }
  /** Beside what else has changed in a deposit. */
  const also = (deposit: string, words: string): void => {
    const change = deposits.get(deposit)
    const object = change?.object === undefined ? words : `${change.object}, ${words}`
    deposits.set(deposit, { deposit, ...change, object })
  }
  const read = <Found extends Deposit | undefined>(deposit: Found): Found => {
    if (deposit && !found.has(deposit.id)) found.set(deposit.id, deposit)
    return deposit
  }
  const about = (text: string): void => {
    object ??= text
  }
  const named = (keys: readonly string[]): void => {
    for (const key of keys) if (files.size < mostFiles) files.add(key)
  }
  const { accounts, clients, comments, issuer, links, passphrases, pids, records, tokens, trash } =
    unit
  const watched: UnitOfWork = {
    ...unit,
    deposits: {
      ...unit.deposits,
      find: async (id) => read(await unit.deposits.find(id)),
      lock: async (id) => read(await unit.deposits.lock(id)),
      nextVersions: async (concept) => (await unit.deposits.nextVersions(concept)).map(read),
      insert: async (deposit) => {
        await unit.deposits.insert(deposit)
        changed(deposit.id, { revision: deposit.revision })
      },
      save: async (deposit, now) => {
        const saved = await unit.deposits.save(deposit, now)
        const before = found.get(deposit.id)
        const people = before === undefined ? '' : peopleChanged(before, saved)
        changed(deposit.id, {
          was: deposit.revision,
          revision: saved.revision,
          ...(people !== '' && { object: people }),
        })
        return saved
      },
      touch: async (deposit, now) => {
        const saved = await unit.deposits.touch(deposit, now)
        changed(deposit.id, { was: deposit.revision, revision: saved.revision })
        return saved
      },
      hide: async (id, since) => {
        await unit.deposits.hide(id, since)
        changed(id, {})
      },
      show: async (id) => {
        const isShown = await unit.deposits.show(id)
        if (isShown) changed(id, {})
        return isShown
      },
      remove: async (id) => {
        await unit.deposits.remove(id)
        changed(id, {})
      },
    },
    files: {
      ...unit.files,
      add: (file, known) => (named([file.key]), unit.files.add(file, known)),
      addAll: (bucket, all) => (named(all.map(({ key }) => key)), unit.files.addAll(bucket, all)),
      addVersion: (file, version) => (named([file.key]), unit.files.addVersion(file, version)),
      bringBack: (file, version) => (named([file.key]), unit.files.bringBack(file, version)),
      rename: (file, key) => (named([file.key, key]), unit.files.rename(file, key)),
      remove: (file) => (named([file.key]), unit.files.remove(file)),
    },
    trash: {
      ...trash,
      restore: (file, key) => (named([file.key, key]), trash.restore(file, key)),
      remove: (file) => (named([file.key]), trash.remove(file)),
      removeSome: async (bucket, until) => {
        const removed = await trash.removeSome(bucket, until)
        named(removed.keys)
        return removed
      },
    },
    links: {
      ...links,
      insert: (link) => (about(linkWords(link)), links.insert(link)),
      revoke: async (deposit, id, now) => {
        const link = (await links.list(deposit)).find((each) => each.id === id)
        const isRevoked = await links.revoke(deposit, id, now)
        if (isRevoked && link) about(linkWords({ ...link, revoked: now }))
        return isRevoked
      },
      revokeBy: async (deposit, user, now) => {
        const own = (await links.list(deposit)).filter(({ createdBy }) => createdBy === user)
        await links.revokeBy(deposit, user, now)
        for (const link of own) also(deposit, linkWords({ ...link, revoked: now }))
      },
    },
    records: {
      ...records,
      insert: (record) => (about(`record:${record.value}`), records.insert(record)),
      addRevision: async (record) => {
        await records.addRevision(record)
        const { value, revision, deposit } = record
        about(`record:${value}`)
        if (!deposits.has(deposit.id)) changed(deposit.id, { was: revision - 1, revision })
      },
    },
    comments: {
      ...comments,
      add: (comment) => {
        // Steps of a review are changes of the deposit.
        if (comment.action === undefined) changed(comment.deposit, { revision: comment.revision })
        return comments.add(comment)
      },
    },
    tokens: {
      ...tokens,
      insert: (token) => (about(`token:${token.id}`), tokens.insert(token)),
      remove: (id) => (about(`token:${id}`), tokens.remove(id)),
    },
    accounts: {
      ...accounts,
      insert: (account) => (about(`user:${account.id}`), accounts.insert(account)),
      update: (account) => (about(`user:${account.id}`), accounts.update(account)),
      remove: (id) => (about(`user:${id}`), accounts.remove(id)),
    },
    passphrases: {
      ...passphrases,
      put: (user, hashed) => (about(`user:${user}`), passphrases.put(user, hashed)),
    },
    issuer: {
      ...issuer,
      removeOf: (user, kept) => (about(`user:${user}`), issuer.removeOf(user, kept)),
      remove: (kind, hash) => {
        // As it is listed to its user.
        if (kind === 'Grant') about(`sign-in:${hash.slice(0, 32)}`)
        return issuer.remove(kind, hash)
      },
    },
    clients: {
      ...clients,
      insert: (client) => (about(`client:${client.id}`), clients.insert(client)),
      remove: (id) => (about(`client:${id}`), clients.remove(id)),
    },
    pids: {
      ...pids,
      redirect: (name, to, now) => (about(`pid:${name.value}`), pids.redirect(name, to, now)),
    },
  }
  const entries = (): readonly Change[] => {
    const rest = { ...(object !== undefined && { object }), files: [...files] }
    const [first, ...others] = deposits.values()
    if (first) return [{ ...first, ...rest }, ...others]
    return object === undefined && files.size === 0 ? [] : [rest]
  }
  return { watched, entries }
}

/** Who has another role than before, or was offered the deposit: `user:ID role=reader was=editor`. */
function peopleChanged(before: Deposit, after: Deposit): string {
  if (before.people === after.people && before.offer === after.offer) return ''
  const [had, have] = [rolesOf(before), rolesOf(after)]
  const roles = [...new Set([...had.keys(), ...have.keys()])].flatMap((user) => {
    const [was, is = 'none'] = [had.get(user), have.get(user)]
    return was === is ? [] : [`user:${user} role=${is}${was === undefined ? '' : ` was=${was}`}`]
  })
  const [offered, offer] = [before.offer?.to, after.offer?.to]
  if (offered !== undefined && offered !== offer) roles.push(`user:${offered} offer=ended`)
  if (offer !== undefined && offered !== offer) roles.push(`user:${offer} offer=made`)
  return roles.join(', ')
}

function rolesOf(deposit: Deposit): ReadonlyMap<string, string> {
  return new Map(peopleOf(deposit).map(({ user, role }) => [user, role]))
}

function linkWords({ id, role, anonymous, revoked }: ShareLink): string {
  const words = [`link:${id}`, `role=${role}`]
  if (anonymous) words.push('anonymous')
  if (revoked !== undefined) words.push('revoked')
  return words.join(' ')
}
