import { mkdir } from 'node:fs/promises'
import { onTestFinished } from 'vitest'
import { demoToken, type InvenioOptions } from '../../support/services/invenio/store.ts'
import type { FakeService } from '../../support/services/service.ts'
import { startZenodo } from '../../support/services/zenodo/zenodo.ts'
import { follow, pathTo, write } from './rig.ts'

export const token = { stdin: demoToken.token }

/** A Zenodo for one row, which a remote of this name stands for. */
export async function zenodo(name: string, options: InvenioOptions = {}): Promise<FakeService> {
  const service = await startZenodo({ tokens: [demoToken, weakToken], ...options })
  onTestFinished(() => service[Symbol.asyncDispose]())
  await follow(add(name, service), token)
  return service
}

/** May not publish. */
export const weakToken = { token: 'weak-token', user: 1, scopes: ['deposit:write'] }

export const add = (name: string, { url }: FakeService): string =>
  `deposit remote add ${name} --kind zenodo --url ${url}`

export const metadata = `title: Tides
creators: [{name: Ada}]
publication_date: "2026"
resource_type: dataset
license: CC0-1.0
`

/** A folder that may be pushed, below the folder of all commands. */
export async function folder(name: string): Promise<string> {
  await mkdir(pathTo(name))
  await write(`${name}/metadata.yaml`, metadata)
  await write(`${name}/a.csv`, '1')
  return `${name}/`
}
