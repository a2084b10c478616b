import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { dataciteSettings, doiOf } from '../support/doi-daemon.ts'
import { operateHere } from '../support/depositd.ts'
import { bodyOf } from '../support/http.ts'
import { scriptedDatacite } from '../support/scripted-datacite.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testDaemon } from '../support/test-daemon.ts'

async function places() {
  const folder = await temporaryFolder()
  const datacite = await scriptedDatacite()
  const [home = '', copy = '', backup = ''] = ['home', 'copy', 'backup'].map((name) =>
    join(folder.path, name),
  )
  const env = await dataciteSettings(folder.path, datacite.url)
  const dispose = async (): Promise<void> => {
    await datacite[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  }
  return { home, copy, backup, env, datacite, [Symbol.asyncDispose]: dispose }
}

describe('a DOI that was reserved before a backup, and published after it', () => {
  it('is named by doi check after a restore, and its draft is kept', async () => {
    await using found = await places()
    const { home, copy, backup, env, datacite } = found
    let draft = ''
    let value = ''
    let other = ''
    {
      await using daemon = await testDaemon({ home, env })
      const ada = daemon.as('ada')
      const reserved = await ada.createDraft()
      bodyOf<DepositBody>(await ada.act(reserved, 'reserve'), 201)
      const unpublished = await ada.createDraft()
      bodyOf<DepositBody>(await ada.act(unpublished, 'reserve'), 201)
      draft = reserved.id
      other = unpublished.id
      expect((await operateHere(home, ['backup', backup], env)).status).toBe(0)
      value = (await doiOf(ada, await ada.publish(reserved), 'registered')).value
    }
    expect((await operateHere(copy, ['restore', backup], env)).status).toBe(0)
    await using daemon = await testDaemon({ home: copy, env })
    const root = daemon.as('root', { admin: true })
    const remove = (id: string) => root.delete(`/deposits/${id}`)
    const refused = await remove(other)
    expect(refused.status).toBe(403)
    expect(JSON.stringify(refused.body)).toContain('depositd doi check')

    const { status, stdout, stderr } = await operateHere(copy, ['doi', 'check'], env)
    expect(status).toBe(1)
    expect(stdout).toContain(`${value}\tstate\tabsent\tfindable\n`)
    expect(stderr).toContain(
      `${value} is findable at datacite, and its record is the draft ${draft}`,
    )
    expect(stderr).toContain(`deposit publish ${draft}`)

    // It is known now, also to a check that compares no reserved ones.
    const kept = await remove(draft)
    expect(kept.status).toBe(403)
    expect(JSON.stringify(kept.body)).toContain('published before this service was restored')
    expect((await remove(other)).status).toBe(204)
    const again = await operateHere(copy, ['doi', 'check'], env)
    expect(again.stdout).toContain(`${value}\tstate\tregistered\tfindable\n`)

    // As the message says: hidden until it is published again.
    expect((await operateHere(copy, ['doi', 'retry', value], env)).status).toBe(0)
    await expect.poll(() => datacite.dois()[value]?.state).toBe('registered')
    bodyOf(await root.act({ id: draft }, 'publish'), 202)
    expect((await doiOf(root, { id: draft }, 'registered')).value).toBe(value)
    await expect.poll(() => datacite.dois()[value]?.state).toBe('findable')
  })
})

describe('a record that was withdrawn after a backup', () => {
  it('is not published again at DataCite before somebody says so', async () => {
    await using found = await places()
    const { home, copy, backup, env, datacite } = found
    let id = ''
    let value = ''
    {
      await using daemon = await testDaemon({ home, env })
      const ada = daemon.as('ada')
      const published = await ada.createPublished()
      id = published.id
      value = (await doiOf(ada, published, 'registered')).value
      expect((await operateHere(home, ['backup', backup], env)).status).toBe(0)
      const json = { reason: 'spam' }
      bodyOf(await ada.post(`/deposits/${id}/actions/withdraw`, { json }), 202)
      await doiOf(ada, published, 'hidden')
    }
    expect((await operateHere(copy, ['restore', backup], env)).status).toBe(0)
    await using daemon = await testDaemon({ home: copy, env })
    const root = daemon.as('root', { admin: true })
    bodyOf(await root.act({ id }, 'edit'), 201)
    bodyOf(await root.act({ id }, 'publish'), 202)
    const retried = await operateHere(copy, ['doi', 'retry', value], env)
    expect(retried.stderr).toContain('1 DOI will be sent after: depositd doi check')

    const first = await operateHere(copy, ['doi', 'check'], env)
    expect(first.status).toBe(1)
    expect(first.stderr).toContain('Nothing is sent to datacite yet: 1 may have been withdrawn')
    const asked = datacite.requests.filter((line) => line.startsWith('PUT')).length
    // Each commit wakes the worker.
    await root.createPublished()
    await root.createPublished()
    expect(datacite.requests.filter((line) => line.startsWith('PUT'))).toHaveLength(asked)
    expect(datacite.dois()[value]?.state).toBe('registered')

    const withdrawn = ['record', 'withdraw', value, '--reason', 'spam']
    expect((await operateHere(copy, withdrawn, env)).status).toBe(0)
    const second = await operateHere(copy, ['doi', 'check'], env)
    expect(second.stderr).toContain('is sent to datacite from now on')
    await doiOf(root, { id }, 'hidden')
    expect(datacite.dois()[value]?.state).toBe('registered')
  })
})
