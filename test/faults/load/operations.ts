import { form, formType } from '../../support/form.ts'
import type { Random } from '../random.ts'
import { contentOf, randomContent, type Content } from './contents.ts'
import {
  deleted,
  discarded,
  draftOf,
  edited,
  newVersionOf,
  published,
  renamed,
  sorted,
  withDocument,
  withFile,
  withoutFile,
  type DepositModel,
  type Document,
} from './deposit-model.ts'
import type { Known, Operation } from './operation.ts'
import { randomKey } from './random-key.ts'

export * from './sharing.ts'

/** Makes one request on a deposit whose state permits it. */
export type Plan = (known: Known, random: Random) => Operation

export function create(random: Random): Operation {
  const document = randomDocument(random)
  return {
    name: 'create',
    target: undefined,
    becomes: draftOf(document),
    status: 201,
    send: (user) => user.post('/deposits/', { json: document }),
  }
}

export const replace: Plan = (target, random) => {
  const document = randomDocument(random)
  return {
    name: 'replace',
    target,
    becomes: withDocument(target.model, document),
    status: 200,
    send: (user) => user.put(`/deposits/${target.id}`, document),
  }
}

export const patch: Plan = (target, random) => {
  const notes = randomText(random)
  return {
    name: 'patch',
    target,
    becomes: withDocument(target.model, { ...target.model.document, notes }),
    status: 200,
    send: (user) =>
      user.patch(`/deposits/${target.id}`, [{ op: 'add', path: '/notes', value: notes }]),
  }
}

export const upload: Plan = (target, random) => uploadContent(target, random, randomContent(random))

export function uploadContent(
  target: Known,
  random: Random,
  { bytes, sha256 }: Content,
): Operation {
  const key = randomKey(random)
  const parts = form(
    { name: 'name', content: key },
    { name: 'file', filename: 'file', content: bytes },
  )
  return {
    name: 'upload',
    target,
    becomes: withFile(target.model, key, sha256),
    status: 201,
    send: (user) =>
      user.post(`/deposits/${target.id}/files`, {
        headers: { 'content-type': formType },
        body: parts,
      }),
  }
}

export const putNew: Plan = (target, random) => putContent(target, random, randomContent(random))

export const putVersion: Plan = (target, random) =>
  putVersionOf(target, random, randomContent(random))

export function putVersionOf(target: Known, random: Random, content: Content): Operation {
  return put(target, content, keyOf(target, random), 200)
}

export function putContent(target: Known, random: Random, content: Content): Operation {
  return put(target, content, randomKey(random), 201)
}

function put(target: Known, { bytes, sha256 }: Content, key: string, status: number): Operation {
  return {
    name: status === 201 ? 'put' : 'put version',
    target,
    becomes: withFile(target.model, key, sha256),
    status,
    send: (user) => user.send('PUT', `/files/${target.bucket}/${key}`, { body: bytes }),
  }
}

/** Small files, together in one request. */
export const bundle: Plan = (target, random) =>
  bundleContents(
    target,
    random,
    Array.from({ length: random.between(2, 5) }, () => contentOf(random, random.between(0, 9000))),
  )

export function bundleContents(
  target: Known,
  random: Random,
  contents: readonly Content[],
): Operation {
  const files = contents.map((content) => ({ key: randomKey(random), ...content }))
  const parts = files.map(({ key, bytes }) => ({ name: 'file', filename: key, content: bytes }))
  return {
    name: 'bundle',
    target,
    becomes: files.reduce((model, { key, sha256 }) => withFile(model, key, sha256), target.model),
    status: 201,
    send: (user) =>
      user.post(`/deposits/${target.id}/bundles`, {
        headers: { 'content-type': formType },
        body: form(...parts),
      }),
  }
}

export const rename: Plan = (target, random) => {
  const from = keyOf(target, random)
  const to = randomKey(random)
  return {
    name: 'rename',
    target,
    becomes: renamed(target.model, from, to),
    status: 200,
    send: (user) => user.put(`/deposits/${target.id}/files/${from}`, { filename: to }),
  }
}

export const sort: Plan = (target, random) => {
  const keys = random.shuffle(target.model.files.map(({ key }) => key))
  const ids = keys.map((key) => ({ id: target.fileIds.get(key) ?? '' }))
  return {
    name: 'sort',
    target,
    becomes: sorted(target.model, keys),
    status: 200,
    send: (user) => user.put(`/deposits/${target.id}/files`, ids),
  }
}

export const removeFile: Plan = (target, random) => {
  const key = keyOf(target, random)
  return {
    name: 'remove file',
    target,
    becomes: withoutFile(target.model, key),
    status: 204,
    send: (user) => user.delete(`/deposits/${target.id}/files/${key}`),
  }
}

export const remove: Plan = (target) => ({
  name: 'delete',
  target,
  becomes: deleted(),
  status: 204,
  send: (user) => user.delete(`/deposits/${target.id}`),
})

export const publish: Plan = (target) => act('publish', target, published(target.model), 202)

export const edit: Plan = (target) => act('edit', target, edited(target.model), 201)

export const discard: Plan = (target) => act('discard', target, discarded(target.model), 201)

export const newVersion: Plan = (target) => ({
  ...act('newversion', target, newVersionOf(target.model), 201),
  target: undefined,
})

function act(name: string, target: Known, becomes: DepositModel, status: number): Operation {
  return { name, target, becomes, status, send: (user) => user.act(target, name) }
}

function keyOf({ model }: Known, random: Random): string {
  return random.pick(model.files)?.key ?? ''
}

function randomDocument(random: Random): Document {
  return {
    title: `Draft ${randomKey(random)}`,
    description: randomText(random),
    keywords: random.shuffle(['sea', 'level', 'tide', 'gauge']).slice(0, random.between(0, 4)),
  }
}

/** Mostly one line, sometimes enough text to span pages of the database. */
function randomText(random: Random): string {
  const words = random.chance(0.1) ? random.between(2000, 6000) : random.between(1, 60)
  return Array.from({ length: words }, () => random.between(0, 2 ** 31).toString(36)).join(' ')
}
