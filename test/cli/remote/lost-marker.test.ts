import { describe, expect, it } from 'vitest'
import { pushedFolder } from '../../support/pushed-folder.ts'
import { remoteKinds } from '../../support/remote-kinds.ts'

const publish = ['--publish', '--yes'] as const
const { token, start } = remoteKinds['Zenodo of today']

interface Deposition {
  readonly id: number
  readonly metadata: Readonly<Record<string, unknown>>
}

/** A folder that was pushed to Zenodo, and somebody who works there in the browser. */
async function begin(...options: readonly string[]) {
  const there = await pushedFolder(remoteKinds['Zenodo of today'], await start())
  await there.write('a.csv', '1')
  const first = await there.push('--json', ...options)
  const { id } = (JSON.parse(first.stdout) as { readonly remote: { readonly id: string } }).remote
  const send = async (method: string, path: string, json?: object): Promise<Deposition> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const url = `${there.service.url}/api/deposit/depositions/${path}`
    const body = json === undefined ? {} : { body: JSON.stringify(json) }
    const answer = await fetch(url, { method, headers, ...body })
    expect({ path, isFine: answer.ok }).toEqual({ path, isFine: true })
    return (await answer.json().catch(() => ({}))) as Deposition
  }
  const unmark = async (): Promise<void> => {
    const { metadata } = await send('GET', id)
    const { related_identifiers: _, prereserve_doi: __, ...others } = metadata
    await send('PUT', id, { metadata: others })
  }
  return { there, id, send, unmark }
}

/** The first command that the advice of a refusal names. */
const adviceIn = (stderr: string): readonly string[] =>
  (/ next: .*?`deposit (.*?)`/.exec(stderr)?.[1] ?? '').split(' ')

describe('a push, and then its advice,', () => {
  it('goes on with a draft whose marker was removed there', async () => {
    const { there, id, unmark } = await begin()
    await using _ = there
    await unmark()

    const refused = await there.push()
    expect(refused.stderr).toContain('does not carry the marker of this work')
    expect(adviceIn(refused.stderr)).toEqual(['push', '--to', 'there', '--of', id])
    expect(await there.deposit(adviceIn(refused.stderr))).toMatchObject({ status: 0 })
    const done = await there.push(...publish)
    expect(done).toMatchObject({ status: 0 })
    expect(done.stdout).toContain(id)
    expect(there.held()).toHaveLength(1)
  })

  it('marks a record whose marker was removed there', async () => {
    const { there, id, send, unmark } = await begin(...publish)
    await using _ = there
    await send('POST', `${id}/actions/edit`)
    await unmark()
    await send('POST', `${id}/actions/publish`)
    await there.write('a.csv', '12')

    const refused = await there.push(...publish, '--new-version')
    expect(refused.stderr).toContain('does not carry the marker of this work')
    const next = await there.deposit(adviceIn(refused.stderr))
    expect(next).toMatchObject({ status: 0 })
    const again = await there.push(...publish, '--new-version')
    expect(again).toMatchObject({ status: 0, stdout: next.stdout })
    expect(there.held()).toHaveLength(2)
  })

  it('makes a draft where the draft was deleted there, of a new version too', async () => {
    const { there, id, send } = await begin()
    await using _ = there
    await send('DELETE', id)
    expect(await there.push(...publish)).toMatchObject({ status: 0 })
    await there.write('a.csv', '12')
    const draft = await there.push('--new-version', '--json')
    const { remote } = JSON.parse(draft.stdout) as { readonly remote: { readonly id: string } }
    await send('DELETE', remote.id)

    const refused = await there.push(...publish)
    expect(refused.status).toBe(5)
    expect(await there.deposit(adviceIn(refused.stderr))).toMatchObject({ status: 0 })
    expect(there.held().map(({ isPublished }) => isPublished)).toEqual([true, true])
  })
})
