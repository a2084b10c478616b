import type {
  LinkListBody,
  LinkRequest,
  NewLinkBody,
  PersonBody,
  PersonRequest,
  TransferBody,
} from '../../core/contract/sharing-schemas.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { has, isDeposit } from './bodies.ts'
import type { Connection } from './connection.ts'
import { pathOf } from './mounted-routes.ts'

/** A link without its secret. */
export type LinkBody = LinkListBody[number]

const isPerson = (body: unknown): body is PersonBody =>
  has(body, { id: 'string', user: 'object', role: 'string', since: 'string' })

const isPersonList = (body: unknown): body is PersonBody[] =>
  Array.isArray(body) && body.every(isPerson)

const isTransfer = (body: unknown): body is TransferBody =>
  has(body, { user: 'object', since: 'string', status: 'string' })

const isLink = (body: unknown): body is LinkBody =>
  has(body, { id: 'string', role: 'string', label: 'string', expires: 'string' })

const isLinkList = (body: unknown): body is LinkBody[] => Array.isArray(body) && body.every(isLink)

const isNewLink = (body: unknown): body is NewLinkBody =>
  isLink(body) && has(body, { url: 'string' })

export function listPeople(connection: Connection, id: string): Promise<readonly PersonBody[]> {
  const path = pathOf(connection.routes.people, { pid_value: id })
  return connection.json(`list the people of ${id}`, isPersonList, { method: 'GET', path })
}

export function putPerson(
  connection: Connection,
  id: string,
  person: PersonRequest,
): Promise<PersonBody> {
  const path = pathOf(connection.routes.people, { pid_value: id })
  const tried = `share ${id} with ${person.user}`
  return connection.json(tried, isPerson, { method: 'POST', path, json: person })
}

/** @returns ids of drafts of the next version on which the person stays */
export async function removePerson(
  connection: Connection,
  id: string,
  person: PersonBody,
): Promise<readonly string[]> {
  const path = `${pathOf(connection.routes.people, { pid_value: id })}/${encodeURIComponent(person.id)}`
  const request = { method: 'DELETE', path } as const
  const stillOn = await connection.header(`unshare ${id}`, 'deposit-still-on', request)
  return stillOn?.split(', ') ?? []
}

export async function leaveDeposit(connection: Connection, id: string): Promise<void> {
  const path = `${pathOf(connection.routes.people, { pid_value: id })}/me`
  await connection.text(`leave ${id}`, { method: 'DELETE', path })
}

export function offerDeposit(
  connection: Connection,
  id: string,
  user: string,
): Promise<TransferBody> {
  const path = pathOf(connection.routes.transfer, { pid_value: id })
  const tried = `transfer ${id} to ${user}`
  return connection.json(tried, isTransfer, { method: 'POST', path, json: { user } })
}

export async function cancelOffer(connection: Connection, id: string): Promise<void> {
  const path = pathOf(connection.routes.transfer, { pid_value: id })
  await connection.text(`take back the offer of ${id}`, { method: 'DELETE', path })
}

export function acceptDeposit(connection: Connection, id: string): Promise<DepositBody> {
  const path = `${pathOf(connection.routes.transfer, { pid_value: id })}/accept`
  return connection.json(`accept ${id}`, isDeposit, { method: 'POST', path })
}

export function listLinks(connection: Connection, id: string): Promise<readonly LinkBody[]> {
  const path = pathOf(connection.routes.links, { pid_value: id })
  return connection.json(`list the links to ${id}`, isLinkList, { method: 'GET', path })
}

export function createLink(
  connection: Connection,
  id: string,
  wanted: LinkRequest,
): Promise<NewLinkBody> {
  const path = pathOf(connection.routes.links, { pid_value: id })
  return connection.json(`make a link to ${id}`, isNewLink, { method: 'POST', path, json: wanted })
}

export async function revokeLink(connection: Connection, id: string, link: string): Promise<void> {
  const path = `${pathOf(connection.routes.links, { pid_value: id })}/${encodeURIComponent(link)}`
  await connection.text(`revoke the link ${link}`, { method: 'DELETE', path })
}
