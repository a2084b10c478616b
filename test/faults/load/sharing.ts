import { bodyOf } from '../../support/http.ts'
import type { Random } from '../random.ts'
import {
  accepted,
  restorable,
  restored,
  submitted,
  takenBack,
  withLink,
  withoutLink,
  withoutPerson,
  withPerson,
  type DepositModel,
} from './deposit-model.ts'
import type { Known, Operation } from './operation.ts'
import type { Plan } from './operations.ts'
import { randomKey } from './random-key.ts'

/** Requests about people, links, reviews and deleted files of a deposit. */

const roles = ['reader', 'editor', 'owner'] as const

/** Invites somebody who has no account. */
export const invite: Plan = (target, random) =>
  shareWith(`${randomKey(random)}@example.org`, target, random)

/** The same, or gives one of the people another role. */
export const share: Plan = (target, random) => {
  const known = random.chance(0.3) ? random.pick(Object.keys(target.model.people)) : undefined
  return known === undefined ? invite(target, random) : shareWith(known, target, random)
}

function shareWith(email: string, target: Known, random: Random): Operation {
  const role = random.pick(roles) ?? 'reader'
  return {
    name: 'share',
    target,
    becomes: withPerson(target.model, email, role),
    status: 201,
    // The same role again changes nothing.
    ...(target.model.people[email] === role && { keepsRevision: true as const }),
    send: (user) => user.post(`/deposits/${target.id}/people`, { json: { user: email, role } }),
  }
}

export const unshare: Plan = (target, random) => {
  const email = random.pick(Object.keys(target.model.people)) ?? ''
  const at = `/deposits/${target.id}/people`
  return {
    name: 'unshare',
    target,
    becomes: withoutPerson(target.model, email),
    status: 204,
    send: async (user) => {
      const people = bodyOf<readonly Person[]>(await user.get(at), 200)
      return user.delete(`${at}/${people.find((each) => each.user.email === email)?.id}`)
    },
  }
}

interface Person {
  readonly id: string
  readonly user: { readonly email: string | null }
}

export const link: Plan = (target, random) => {
  const label = randomKey(random)
  return {
    name: 'link',
    target,
    becomes: withLink(target.model, label),
    status: 201,
    keepsRevision: true,
    send: (user) => user.post(`/deposits/${target.id}/links`, { json: { role: 'reader', label } }),
  }
}

export const revoke: Plan = (target, random) => {
  const label = random.pick(target.model.links) ?? ''
  const at = `/deposits/${target.id}/links`
  return {
    name: 'revoke',
    target,
    becomes: withoutLink(target.model, label),
    status: 204,
    keepsRevision: true,
    send: async (user) => {
      const links = bodyOf<readonly Labelled[]>(await user.get(at), 200)
      return user.delete(`${at}/${links.find((each) => each.label === label)?.id}`)
    },
  }
}

interface Labelled {
  readonly id: string
  readonly label: string
}

export const restore: Plan = (target, random) => {
  const key = random.pick(restorable(target.model)) ?? ''
  const at = `/deposits/${target.id}/trash`
  return {
    name: 'restore',
    target,
    becomes: restored(target.model, key),
    status: 201,
    send: async (user) => {
      const files = bodyOf<readonly Trashed[]>(await user.get(at), 200)
      return user.post(`${at}/${files.find((each) => each.filename === key)?.id}`)
    },
  }
}

interface Trashed {
  readonly id: string
  readonly filename: string
}

export const submit: Plan = (target) => review('submit', target, submitted(target.model), 201)

export const takeBack: Plan = (target) => review('take-back', target, takenBack(target.model), 201)

/** By the owner, who has the role of a reviewer: reviews are optional here. */
export const accept: Plan = (target) => review('accept', target, accepted(target.model), 202)

function review(name: string, target: Known, becomes: DepositModel, status: number): Operation {
  const sent = name === 'accept' ? { json: { revision: target.revision } } : {}
  return {
    name,
    target,
    becomes,
    status,
    send: (user) => user.post(`/deposits/${target.id}/actions/${name}`, sent),
  }
}
