import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pushedFolder } from '../../support/pushed-folder.ts'
import { remoteKinds } from '../../support/remote-kinds.ts'

const publish = ['--publish', '--yes'] as const

async function begin(name: keyof typeof remoteKinds) {
  const under = remoteKinds[name]
  const there = await pushedFolder(under, await under.start())
  await there.write('a.csv', '1,2\n')
  const first = await there.push(...publish)
  expect(first.status).toBe(0)
  return { there, first, under }
}

const names = Object.keys(remoteKinds) as (keyof typeof remoteKinds)[]

describe.each(names)('a record at %s whose metadata were changed here', (name) => {
  it('is corrected under its DOI, and is level after that', async () => {
    const { there, first, under } = await begin(name)
    await using _ = there
    const [before] = there.held()
    await there.describe('notes: Corrected in March.\n')
    const planned = await there.push('--dry-run', ...publish)
    const sent = there.bytesSent()
    const corrected = await there.push(...publish)
    const again = await there.push(...publish, '--new-version')

    expect(planned.stderr).toContain('Would correct the metadata of')
    expect(corrected).toMatchObject({ status: 0, stdout: first.stdout })
    expect(again).toMatchObject({ status: 0, stdout: first.stdout })
    expect(again.stderr).toContain('is level')
    expect(there.bytesSent()).toBe(sent)
    expect(there.held()).toEqual([{ ...before, isPublished: true }])
    expect(JSON.stringify(there.service.state())).toContain('Corrected in March.')
    const published = there.service.requests.filter(
      ({ method, path, status = 0 }) => status < 300 && under.publishes.test(`${method} ${path}`),
    )
    expect(published).toHaveLength(2)
  })

  it('is corrected by --new-version too, where the files are the same', async () => {
    const { there, first } = await begin(name)
    await using _ = there
    await there.describe('notes: Corrected in March.\n')

    const next = await there.push(...publish, '--new-version')

    expect(next).toMatchObject({ status: 0, stdout: first.stdout })
    expect(there.held()).toHaveLength(1)
  })

  it.each(['lostAnswer'] as const)(
    'is corrected once, and published once more, with a third of the answers gone wrong: %s',
    async (fault) => {
      const { there, first, under } = await begin(name)
      await using _ = there
      await there.describe('notes: Corrected in March.\n')
      const from = there.service.requests.length
      there.service.misbehave({ seed: 5, shares: { [fault]: 0.33 }, retryAfter: 0 })
      let last = await there.push('--retries', '0', ...publish)
      for (let run = 0; run < 100 && last.status !== 0; run += 1)
        last = await there.push('--retries', run % 5 === 4 ? '1' : '0', ...publish)
      there.service.misbehave()

      expect(last).toMatchObject({ status: 0, stdout: first.stdout })
      expect(there.held()).toMatchObject([{ isPublished: true }])
      expect(JSON.stringify(there.service.state())).toContain('Corrected in March.')
      const done = ['lostAnswer', 'gatewayTimeout', 'brokenJson', undefined]
      const published = there.service.requests.slice(from).filter(
        ({ method, path, status = 200, fault: went }) =>
          // Of a lost answer there is no status: the request had its effect unless it was refused.
          done.includes(went) && status < 400 && under.publishes.test(`${method} ${path}`),
      )
      expect(published).toHaveLength(1)
    },
  )
})

describe('a correction', () => {
  it('that is not published yet waits there, and is published by the next push', async () => {
    const { there, first } = await begin('Zenodo of today')
    await using _ = there
    await there.describe('notes: Corrected in March.\n')
    const waiting = await there.push()
    const status = await there.deposit(['status'])
    const done = await there.push(...publish)

    expect(waiting.stderr).toContain('The correction is a draft there')
    expect(status.stdout).toContain('with a correction there that is not published')
    expect(status.stdout).toContain('run `deposit push')
    expect(done).toMatchObject({ status: 0, stdout: first.stdout })
    expect((await there.deposit(['status'])).stdout).toContain('level when last pushed')
  })

  it.each(['Zenodo of today', 'Zenodo as documented', 'InvenioRDM'] as const)(
    'does not take over what somebody is editing there: %s',
    async (name) => {
      const { there, first, under } = await begin(name)
      await using _ = there
      const [{ id }] = there.service.state() as readonly [{ readonly id: string }]
      const at = `${there.service.url}/api`
      const [open, discard] =
        under.kind === 'rdm'
          ? ([`${at}/records/${id}/draft`, ['DELETE', `${at}/records/${id}/draft`]] as const)
          : ([
              `${at}/deposit/depositions/${id}/actions/edit`,
              ['POST', `${at}/deposit/depositions/${id}/actions/discard`],
            ] as const)
      const headers = { authorization: `Bearer ${under.token}` }
      await fetch(open, { method: 'POST', headers })
      await there.describe('notes: Corrected in March.\n')
      const before = there.service.requests.length
      const refused = await there.push(...publish)

      expect(refused.status).toBe(5)
      expect(refused.stderr).toContain('it is being edited there')
      const changes = there.service.requests.slice(before).filter(({ method }) => method !== 'GET')
      expect(changes).toEqual([])

      // What the message says to do.
      const [method, address] = discard
      await fetch(address, { method, headers })
      expect(await there.push(...publish)).toMatchObject({ status: 0, stdout: first.stdout })
    },
  )

  it('keeps the date of a record whose metadata have none', async () => {
    const under = remoteKinds['Zenodo of today']
    await using there = await pushedFolder(under, await under.start())
    const bare = 'title: Tides\ncreators: [{name: Ada}]\nresource_type: dataset\nlicense: CC0-1.0\n'
    await there.write('metadata.yaml', bare)
    await there.write('a.csv', '1')
    await there.push('--journal', '../journal', ...publish)
    const { readdir, readFile } = await import('node:fs/promises')
    const journals = join(there.dir, '../journal')
    const [name = ''] = await readdir(journals)
    // As if it was pushed on another day.
    const text = await readFile(join(journals, name), 'utf8')
    const today = new Date().toISOString().slice(0, 10)
    await writeFile(
      join(journals, name),
      text.replaceAll(`"date":"${today}"`, '"date":"2025-02-03"'),
    )
    await there.write('metadata.yaml', `${bare}notes: Corrected\n`)
    await there.push('--journal', '../journal', ...publish)

    expect(JSON.stringify(there.service.state())).toContain('"publication_date":"2025-02-03"')
  })

  it('of names alone is refused before anything is made at Zenodo', async () => {
    const { there, first } = await begin('Zenodo of today')
    await using _ = there
    await there.write('b.csv', '1,2\n')
    await rm(join(there.dir, 'a.csv'))
    const before = there.service.requests.length
    const refused = await there.push(...publish, '--new-version')

    expect(refused.status).toBe(5)
    expect(refused.stderr).toContain('change the bytes of a file')
    expect(there.service.requests.slice(before).filter(({ method }) => method !== 'GET')).toEqual(
      [],
    )
    await there.write('b.csv', '1,2,3\n')
    const next = await there.push(...publish, '--new-version')
    expect(next.status).toBe(0)
    expect(next.stdout).not.toBe(first.stdout)
  })
})
