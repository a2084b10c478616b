import { describe, expect, it } from 'vitest'
import {
  daemonUrl,
  deposit,
  expectFailure,
  newDraft,
  newPublished,
  read,
  useDaemon,
} from '../support/cli-at-daemon.ts'

useDaemon()

describe('deposit publish, edit, discard and action', () => {
  it('change the status of a deposit', async () => {
    const id = await newPublished()

    expect(await deposit(['edit', id])).toMatchObject({ status: 0, stdout: `${id}\n` })
    await deposit(['update', id, '--set', 'title=Changed'])
    expect(await deposit(['discard', id])).toMatchObject({ status: 0, stdout: `${id}\n` })
    expect(await read(id)).toMatchObject({ metadata: { title: 'Water levels' } })
    expect(await deposit(['action', id, 'edit'])).toMatchObject({ status: 0 })
    const { stdout } = await deposit(['publish', id])
    expect(stdout).toMatch(/^http\S+\/records\/\S+\n$/)
  })

  it.for(['publish', 'discard'])('%s exits 5 for a published deposit', async (command) => {
    expectFailure(await deposit([command, await newPublished()]), 5, '(invalid_action')
  })

  it('edit exits with 5 for a draft', async () => {
    expectFailure(await deposit(['edit', await newDraft()]), 5, '(invalid_action')
  })

  it('action exits with 3 for an unknown action, and names the known ones', async () => {
    const id = await newDraft()
    const outcome = await deposit(['action', id, 'dance'])

    expectFailure(outcome, 3, 'it has publish, edit, discard, ')
    expect(outcome.stderr).toContain(`could not run the action dance of ${id}\n`)
  })

  it('publish needs an id, or a folder that knows its deposit', async () => {
    expectFailure(await deposit(['publish']), 2, 'the folder does not know one yet')
  })

  it.for(['edit', 'discard', 'action'])('%s needs an id', async (command) => {
    expectFailure(await deposit([command]), 2, "missing required argument 'id'")
  })
})

describe('deposit open', () => {
  it('prints the address without a terminal', async () => {
    const id = await newDraft()

    expect(await deposit(['open', id])).toEqual({
      status: 0,
      stdout: `${daemonUrl()}/deposit/${id}\n`,
      stderr: `to open it signed in, run \`deposit open ${id} --link\`\n`,
    })
  })

  it('needs the id of an existing deposit', async () => {
    expectFailure(await deposit(['open']), 2, 'the folder does not know one yet')
    expectFailure(await deposit(['open', 'none']), 3, 'deposit_not_found')
  })
})

describe('an identifier', () => {
  it('may be that of a record, or an address below it or with no scheme', async () => {
    const id = await newPublished()
    const { links } = (await read(id)) as { readonly links: { readonly record_html: string } }
    const record = links.record_html
    const value = record.split('/').at(-1) ?? ''

    for (const of of [value, value.toUpperCase(), record.slice(7), `${record}/files/a.csv`])
      expect((await deposit(['show', of, '--quiet'])).stdout).toBe(`${id}\n`)
    const missing = await deposit(['show', 'zzzzz-zzzzz'])
    expectFailure(missing, 3, 'There is no record at this address. (record_not_found')
    const short = await deposit(['show', '4a22'])
    expectFailure(short, 3, '4a22 is too short: give at least 6 characters of the identifier\n')
  })
})
