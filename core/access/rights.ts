import { createHash } from 'node:crypto'
import type { Brand } from '../base/brand.ts'
import type { Caller, UserId } from './caller.ts'

/** The roles that a person can have on a deposit, the one with most rights first. */
export const personRoles = ['owner', 'editor', 'reader'] as const

export type PersonRole = (typeof personRoles)[number]

/** Whether a role has fewer rights than another. */
export function isLower(role: PersonRole, than: PersonRole): boolean {
  return personRoles.indexOf(role) > personRoles.indexOf(than)
}

/** Somebody with a role on a deposit. */
export interface Person {
  readonly user: UserId
  readonly role: PersonRole
  /** ISO 8601, UTC. */
  readonly since: string
  /** Mark of the address by which they were named; absent where an owner named nobody. */
  readonly named?: AddressMark
}

/**
 * Tells whether an e-mail address is the one that the owners of a deposit know somebody by, without
 * keeping it: a person who has another address since is not told by it.
 */
export type AddressMark = Brand<string, 'AddressMark'>

/** @param email in lower case */
export function markOf(user: UserId, email: string): AddressMark {
  return createHash('sha256').update(`${user} ${email}`).digest('hex').slice(0, 16) as AddressMark
}

/** A deposit that was offered to somebody, who has not taken it yet. */
export interface Offer {
  readonly to: UserId
  /** The owner whose place is offered. */
  readonly by: UserId
  /** ISO 8601, UTC. */
  readonly since: string
  /** As that of a person. */
  readonly named?: AddressMark
}

/** With whom a deposit is shared. */
export interface Sharing {
  readonly id: string
  readonly owners: readonly UserId[]
  /** Everybody with a role, the owners among them; absent while its owners are the only ones. */
  readonly people?: readonly Person[]
  readonly created: string
}

/**
 * Rights on a deposit: `read`; `update` its document and files; `act`, such as publish; `delete`;
 * `manage` who has which right.
 */
export type Right = 'read' | 'update' | 'act' | 'delete' | 'manage'

/** What a caller is to a deposit. */
export type Role = 'administrator' | PersonRole | 'link editor' | 'link reader' | 'stranger'

const rights: Readonly<Record<Role, readonly Right[]>> = {
  administrator: ['read', 'update', 'act', 'delete', 'manage'],
  owner: ['read', 'update', 'act', 'delete', 'manage'],
  editor: ['read', 'update', 'act'],
  reader: ['read'],
  'link editor': ['read', 'update'],
  'link reader': ['read'],
  stranger: [],
}

/** Whether a role has a right. The scopes of a token are asked for apart. */
export function hasRight(role: Role, right: Right): boolean {
  return rights[role].includes(right)
}

/** The role of a caller on a deposit: everything that asks for a permission asks this. */
export function roleOf(caller: Caller, deposit: Sharing): Role {
  if (caller === 'system') return 'administrator'
  if (caller === 'anonymous') return 'stranger'
  if (caller.link)
    return caller.onlyDeposit === deposit.id ? `link ${caller.link.role}` : 'stranger'
  if (caller.admin) return 'administrator'
  return personRoleOf(caller.user, deposit) ?? 'stranger'
}

/** The role that a person was given, whatever else they may do. */
export function personRoleOf(user: UserId, { owners, people }: Sharing): PersonRole | undefined {
  if (owners.includes(user)) return 'owner'
  return people?.find((person) => person.user === user)?.role
}

/** Everybody with a role, the owners first. */
export function peopleOf({ owners, people, created }: Sharing): readonly Person[] {
  return people ?? owners.map((user) => ({ user, role: 'owner', since: created }))
}

/** The users who find a deposit in their lists and searches. */
export function findersOf(deposit: Sharing): readonly UserId[] {
  return deposit.people === undefined ? deposit.owners : deposit.people.map(({ user }) => user)
}

/** A deposit shared with `people`, whose owners are those among them, in their order. */
export function sharedWith<Kind extends Sharing>(deposit: Kind, people: readonly Person[]): Kind {
  const owners = people.filter(({ role }) => role === 'owner')
  const others = people.filter(({ role }) => role !== 'owner')
  return { ...deposit, owners: owners.map(({ user }) => user), people: [...owners, ...others] }
}
