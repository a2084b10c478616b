import { describe, expect, it } from 'vitest'
import { pushedFolder } from '../../support/pushed-folder.ts'
import { remoteKinds } from '../../support/remote-kinds.ts'

const under = remoteKinds['Zenodo of today']
const rehearse = ['--dry-run', '--publish', '--yes'] as const

const commandIn = (stderr: string): readonly string[] =>
  (/run `deposit (.*?)`/.exec(stderr)?.[1] ?? '').split(' ')

describe('an advice of a rehearsal', () => {
  it('leads to another rehearsal, which publishes nothing', async () => {
    await using there = await pushedFolder(under, await under.start())
    await there.write('sub/a.csv', '1')
    const folders = await there.push(...rehearse)
    expect(folders.status).toBe(1)
    expect(folders.stderr).not.toContain('Would')
    const flattened = await there.deposit(commandIn(folders.stderr))
    expect(flattened.status).toBe(0)
    expect(flattened.stderr).toContain('Would make a draft')
    expect(there.held()).toEqual([])

    await there.push('--publish', '--yes', '--flatten', 'dash')
    await there.write('sub/a.csv', '12')
    const version = await there.push(...rehearse, '--flatten', 'dash')
    expect(version.status).toBe(5)
    expect(await there.deposit(commandIn(version.stderr))).toMatchObject({ status: 0 })
    expect(there.held()).toHaveLength(1)
  })
})
