import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { dataciteSettings, doiDaemon, doiOf } from '../support/doi-daemon.ts'
import { operateHere } from '../support/depositd.ts'
import { bodyOf } from '../support/http.ts'
import { runCli } from '../support/run-cli.ts'
import { scriptedDatacite } from '../support/scripted-datacite.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'

describe('a DOI that resolves', () => {
  it('is told from one that does not, while its last change waits or is refused', async () => {
    await using fixture = await doiDaemon()
    const { daemon, datacite, home } = fixture
    const ada = daemon.as('ada')
    const published = await ada.createPublished()
    const { value, url, registered } = await doiOf(ada, published, 'registered')
    expect(registered).toMatch(/^\d{4}-/)
    const change = async () => ada.publish(await ada.edit(published))
    const { authorization = '' } = await ada.authorization()
    const environment = {
      DEPOSIT_HOME: home,
      DEPOSIT_URL: daemon.origin,
      DEPOSIT_TOKEN: authorization.replace('Bearer ', ''),
    }
    const shown = async () => (await runCli(['show', published.id], { environment })).stdout
    const listed = async () => {
      const lines = await daemon.operateAll('doi list')
      return lines.find((line) => line.startsWith(value))
    }

    datacite.fault = () => ({ status: 503, body: '{}' })
    await change()
    expect(await doiOf(ada, published, 'pending')).toMatchObject({ registered })
    expect(await shown()).toContain(`DOI: ${url} (its last change is on its way to DataCite`)
    expect(await listed()).toMatch(/\tpending\t\S+\tit resolves; its last change is on its way/)

    const body = JSON.stringify({ errors: [{ source: 'creators', title: 'No creators.' }] })
    datacite.fault = () => ({ status: 422, body })
    await change()
    await doiOf(ada, published, 'refused')
    expect(await shown()).toContain(`DOI: ${url} (DataCite refuses its last change: `)
    expect(await listed()).toMatch(/\trefused\t\S+\tit resolves; its last change is refused: /)
    const fresh = await doiOf(ada, await ada.createPublished(), 'refused')
    expect(fresh).not.toHaveProperty('registered')
  })
})

describe('depositd doi check after a restore', () => {
  it('names the records that were withdrawn after the backup was made', async () => {
    await using folder = await temporaryFolder()
    await using datacite = await scriptedDatacite()
    const [home = '', copy = '', backup = ''] = ['home', 'copy', 'backup'].map((name) =>
      join(folder.path, name),
    )
    const env = await dataciteSettings(folder.path, datacite.url)
    let value = ''
    {
      await using daemon = await testDaemon({ home, env })
      const ada = daemon.as('ada')
      const published = await ada.createPublished()
      value = (await doiOf(ada, published, 'registered')).value
      await doiOf(ada, await ada.createPublished(), 'registered')
      expect((await operateHere(home, ['backup', backup], env)).status).toBe(0)
      const json = { reason: 'spam' }
      bodyOf(await ada.post(`/deposits/${published.id}/actions/withdraw`, { json }), 202)
      await doiOf(ada, published, 'hidden')
    }
    expect((await operateHere(copy, ['restore', backup], env)).status).toBe(0)
    await using _ = await testDaemon({ home: copy, env })

    const { stderr } = await operateHere(copy, ['doi', 'check'], env)

    expect(stderr).toContain(
      `${value} is hidden at DataCite, and its record is public here: it may have been withdrawn after the backup was made. If so, run: depositd record withdraw ${value} --reason REASON`,
    )
    expect(stderr.match(/is hidden at DataCite/g)).toHaveLength(1)
  })
})
