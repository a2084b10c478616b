import { describe, expect, it } from 'vitest'
import { join } from 'node:path'
import {
  daemonHome,
  daemonUrl,
  deposit,
  expectFailure,
  namesOf,
  newDraft,
  newPublished,
  read,
  useDaemon,
  workFolder,
} from '../support/cli-at-daemon.ts'
import { runCli, type Outcome } from '../support/run-cli.ts'

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

  it('publish tells the warnings where it asks nothing', async () => {
    const id = await newDraft('data')

    const { status, stderr } = await deposit(['publish', id])

    expect(status).toBe(0)
    expect(stderr).toMatch(/^warning: A record should have these fields: creators, /)
    expect(stderr).toContain(`\nPublished ${id}\n`)
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

  it.for(['publish', 'edit', 'discard', 'merge', 'show', 'cite', 'export'])(
    '%s needs an id, or a folder that knows its deposit',
    async (command) => {
      expectFailure(await deposit([command]), 2, 'the folder does not know one yet')
    },
  )

  it('action needs an id', async () => {
    expectFailure(await deposit(['action']), 2, "missing required argument 'id'")
  })
})

/** Runs a command on a terminal, and types `answer` at its question. */
function typed(
  args: readonly string[],
  answer: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const environment = { DEPOSIT_HOME: daemonHome(), NO_COLOR: '1', ...variables }
  return runCli(args, { environment, stdin: answer, isTyped: true, terminal: 300 })
}

describe('a step that cannot be undone, on a terminal', () => {
  it('publish shows the draft first, and publishes only after a yes', async () => {
    const id = await newDraft('data')

    const refused = await typed(['publish', id], '\n')
    const [first, second] = refused.stderr.split('\n')
    expect(refused).toMatchObject({ status: 1, stdout: '' })
    expect(first).toBe('"Water levels", 3 files (12 B)')
    expect(second).toMatch(/^warning: A record should have these fields: creators, /)
    expect(refused.stderr).toContain('Publish it for good? Its record is public')
    expect(refused.stderr).toMatch(/\nNothing was published\.\n$/)
    expect(await read(id)).toMatchObject({ metadata: { _deposit: { status: 'draft' } } })
    const published = await typed(['publish', id], 'yes\n')
    expect(published.status).toBe(0)
    expect(published.stdout).toContain('/records/')
  })

  it.for([
    [['delete'], 'Delete the draft and its files for good? [y/N]'],
    [['clear'], 'Remove 2 fields? [y/N]'],
    [['action', 'publish'], 'Run publish? It cannot be undone. [y/N]'],
  ] as const)(
    '%j asks first, and changes nothing without a yes',
    async ([[command, ...rest], question]) => {
      const id = await newDraft('data')
      const before = await read(id)
      const args = [command, id, ...rest]

      const refused = await typed(args, 'no\n')
      expect(refused).toMatchObject({ status: 1, stdout: '' })
      expect(refused.stderr).toContain('"Water levels", ')
      expect(refused.stderr).toContain(question)
      expect(refused.stderr).toMatch(/\nNothing was (?:changed|deleted)\.\n$/)
      expect((await typed(args, '')).status).toBe(130)
      expect(await read(id)).toEqual(before)
      expect((await typed(args, 'Y\n')).status).toBe(0)
    },
  )

  it('a no to one of several names it', async () => {
    const id = await newDraft()
    const { status, stderr } = await typed(['delete', id, '0'.repeat(32)], 'n\n')
    expect(status).toBe(7)
    expect(stderr).toContain(`\n${id}: Nothing was deleted.\n`)
    expect(stderr).toContain('deposit_not_found')
    expect(await read(id)).toMatchObject({ id })
  })

  it('discard names the changed fields, and asks first', async () => {
    const id = await newPublished()
    await deposit(['edit', id])
    await deposit(['update', id, '--set', 'title=Changed', '--set', 'notes=x'])

    const refused = await typed(['discard', id], 'n\n')
    expect(refused).toMatchObject({ status: 1, stdout: '' })
    expect(refused.stderr).toContain(
      '"Changed", 3 files (12 B)\nIt differs from the record in title, notes\n',
    )
    expect(refused.stderr).toContain('Discard the changes since the last publish? [y/N]')
    expect(await read(id)).toMatchObject({ metadata: { title: 'Changed' } })
    expect((await typed(['discard', id], 'y\n')).status).toBe(0)
    await deposit(['edit', id])
    expect((await typed(['discard', id, '--yes'], '')).status).toBe(0)
  })

  it('sync --delete lists the files to delete, and asks first', async () => {
    const id = await newDraft('data')
    const args = ['sync', join(workFolder(), 'data/b'), id, '--delete']

    const refused = await typed(args, 'n\n')
    expect(refused).toMatchObject({ status: 1, stdout: '' })
    expect(refused.stderr).toContain('\n  delete README.md\n  delete b/empty.csv\n')
    expect(refused.stderr).toContain('Delete 2 files that the folder does not have? [y/N]')
    expect(await namesOf(id)).toContain('README.md')
    expect((await typed(['sync', join(workFolder(), 'data/b'), id], '')).status).toBe(0)
    expect((await typed([...args, '--yes'], '')).status).toBe(0)
    expect(await namesOf(id)).not.toContain('README.md')
  })

  it('--yes asks nothing, nor does a command that the server would refuse', async () => {
    const [draft, published] = [await newDraft(), await newPublished()]
    for (const command of ['publish', 'delete', 'clear'])
      expectFailure(await typed([command, published], ''), 5, '(invalid_action')
    expect((await typed(['clear', draft], '')).status).toBe(0)
    expect((await typed(['publish', draft, '--yes'], '')).status).toBe(0)
  })

  it('publish says that a draft has no metadata, and needs no --yes then', async () => {
    const { status, stderr } = await typed(['publish', await newDraft()], 'y\n')
    expect(status).toBe(0)
    expect(stderr).toContain('It has no metadata at all, not even a title.')
  })
})

describe('where no question can be asked', () => {
  it('delete needs --yes, and names the whole command', async () => {
    const id = await newDraft()
    const outcomes = [
      await deposit(['delete', id, '--keep']),
      await typed(['delete', id, '--keep'], 'y\n', { CI: 'true' }),
    ]
    for (const outcome of outcomes)
      expectFailure(outcome, 2, `next: run \`deposit delete ${id} --keep --yes\` to delete`)
    const { status, stdout } = await typed(['delete', id, '--json'], 'y\n')
    expect(status).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'usage' } })
    expect((await deposit(['show', id])).status).toBe(0)
  })

  it('delete without --yes tells what --yes would not help with', async () => {
    expectFailure(await deposit(['delete', '0'.repeat(32)]), 3, 'deposit_not_found')
    expectFailure(await deposit(['delete', await newPublished()]), 5, '(invalid_action')
  })

  it('publish and clear ask nothing', async () => {
    const [one, two] = [await newDraft('data'), await newDraft('data')]
    expect((await deposit(['publish', one])).status).toBe(0)
    expect((await typed(['publish', two, '--json'], 'no\n')).status).toBe(0)
    expect((await deposit(['clear', await newDraft('data')])).status).toBe(0)
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

  it('prints the address of the list without an id, and one that signs in', async () => {
    expect(await deposit(['open'])).toEqual({
      status: 0,
      stdout: `${daemonUrl()}/deposit\n`,
      stderr: 'to open it signed in, run `deposit open --link`\n',
    })
    const { stdout } = await deposit(['open', '--link'])
    expect(stdout).toMatch(new RegExp(`^${daemonUrl()}/deposit#ticket=\\S+\n$`))
  })

  it('needs the id of an existing deposit', async () => {
    expectFailure(await deposit(['open', '--record']), 2, 'the folder does not know one yet')
    expectFailure(await deposit(['open', 'none']), 3, 'deposit_not_found')
  })
})

describe('an identifier', () => {
  it('may be that of a record, an address below the record, or one without a scheme', async () => {
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

describe('deposit newversion ID', () => {
  it('prints the id of the new draft', async () => {
    const id = await newDraft('data', '--publish')

    const { status, stdout } = await deposit(['newversion', id])

    expect(status).toBe(0)
    expect(await namesOf(stdout.trim())).toEqual(await namesOf(id))
  })
})
