import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
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
import { runCli } from '../support/run-cli.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

describe('--dry-run', () => {
  it.for([
    [['clear'], 'clear'],
    [['delete'], 'delete'],
    [['sort', '--by', 'name', 'b/empty.csv'], 'sort the files of'],
    [['publish'], 'publish'],
  ] as const)(
    'of %j prints the planned change, and does nothing',
    async ([[command, ...rest], what]) => {
      const id = await newDraft('data')
      const before = await read(id)

      const outcome = await deposit([command, id, ...rest, '--dry-run'])

      expect(outcome).toMatchObject({ status: 0, stdout: '' })
      expect(outcome.stderr).toContain(`Would ${what} ${id}; nothing was changed\n`)
      expect(await read(id)).toEqual(before)
    },
  )

  it.for([
    ['clear'],
    ['delete', '--yes'],
    ['update', '--set', 'title=x'],
    ['patch', 'patch.json'],
    ['upload', 'extra.txt'],
    ['rm', 'README.md'],
    ['rename', 'README.md', 'other.md'],
    ['sort', '--by', 'name'],
    ['discard'],
    ['edit'],
    ['edit', '--open'],
    ['newversion'],
    ['merge'],
    ['action', 'register'],
    ['action', 'dance'],
  ] as const)('of %j is refused in the same states as the command', async ([command, ...rest]) => {
    await writeFile(join(workFolder(), 'patch.json'), '[]')
    const [draft, published, edited] = [
      await newDraft('data'),
      await newPublished(),
      await newPublished(),
    ]
    await deposit(['edit', edited])
    for (const id of [draft, published, edited]) {
      const args = [command, id, ...rest]
      const rehearsed = await deposit([...args, '--dry-run'])
      const done = await deposit(args)
      const { status } = done
      expect({ id, status: rehearsed.status }).toEqual({ id, status })
      if (status === 0) continue
      const [, ...said] = done.stderr.replace(/, request [^)]+/, '').split('\n')
      expect(rehearsed.stderr.split('\n').slice(1)).toEqual(said)
    }
  })

  it('refuses an unknown deposit', async () => {
    expectFailure(await deposit(['clear', 'none', '-n']), 3, 'deposit_not_found')
  })

  it('names the files that would be created or deleted', async () => {
    const id = await newDraft('data')
    const created = await deposit(['create', 'data', '-n'])
    const removed = await deposit(['rm', id, 'README.md', '-n'])

    expect(created).toEqual({
      status: 0,
      stdout: 'README.md\nb/a.csv\nb/empty.csv\n',
      stderr: 'Left out 1 hidden or ignored name: .hidden\nWould create a deposit with 3 files\n',
    })
    expect(removed.stderr).toBe(`Would delete 1 file of ${id}\n`)
    expect(await namesOf(id)).toHaveLength(3)
  })

  it('names the files that would be downloaded, and writes nothing', async () => {
    await using target = await temporaryFolder({ 'README.md': '# Read me' })
    const args = ['download', await newDraft('data'), '--output', target.path, '-n']

    expect(await deposit(args)).toEqual({
      status: 0,
      stdout: 'b/a.csv\nb/empty.csv\n',
      stderr: `Would download 2 files to ${target.path}\n`,
    })
    expect(await readdir(target.path)).toEqual(['README.md'])
  })

  it('prints the planned change as JSON, or a field of it', async () => {
    const id = await newDraft('data')
    const outcome = await deposit(['publish', id, '-n', '--json'])

    expect(JSON.parse(outcome.stdout)).toEqual({ would: `publish ${id}` })
    expect(await deposit(['publish', id, '-n', '--json', 'would'])).toEqual(outcome)
  })

  it('of a sign-in names the server, and stores nothing', async () => {
    await deposit(['logout'])
    const outcome = await deposit(['login', '-n'])

    expect(outcome).toMatchObject({ status: 0, stdout: '' })
    expect(outcome.stderr).toBe(`Would sign in at ${daemonUrl()}; nothing was changed\n`)
    expect((await deposit(['logout', '-n'])).stderr).toContain('You were not signed in')
  })

  it('of a sign-in with a token names its user, or refuses an invalid one', async () => {
    const { stdout: token } = await deposit(['token', 'create', '--scope', 'deposit:write'])
    const login = ['login', '--with-token', '-n']

    expect((await deposit(login, { stdin: token })).stderr).toMatch(/^Would sign in at .+ as .+;/)
    expectFailure(await deposit(login, { stdin: 'wrong' }), 4, 'token')
  })

  it('of a sign-out names the server, and removes nothing', async () => {
    await deposit(['login'])

    for (const _ of ['once', 'twice'])
      expect((await deposit(['logout', '-n'])).stderr).toContain(`Would sign out of ${daemonUrl()}`)
  })

  it('of the local daemon starts none, and stops none', async () => {
    await using home = await temporaryFolder()
    const environment = { DEPOSIT_HOME: home.path }
    const start = await runCli(['daemon', 'start', '-n'], { environment })
    const login = await runCli(['login', '-n'], { environment })
    const stop = await runCli(['daemon', 'stop', '-n'], { environment })

    expect(start.stderr).toBe('Would start the local daemon; nothing was changed\n')
    expect(login.stderr).toContain('Would start the local daemon and sign in there')
    expect(stop.stderr).toBe('The local daemon was not running\n')
    expect(await readdir(home.path)).toEqual([])
    expect((await deposit(['daemon', 'stop', '-n'])).stderr).toContain(
      'Would stop the local daemon',
    )
    expect((await deposit(['daemon', 'start', '-n'])).stdout).toBe(`${daemonUrl()}\n`)
  })

  it('of publish lists the reasons for a refusal', async () => {
    const id = await newDraft('--title', 'Tides')
    await deposit(['update', id, '--set', '$schema=deposits/dataset-v1.0.0.json'])

    expectFailure(await deposit(['publish', id, '-n']), 1, '/creators')
  })

  it('of publish for a published deposit names the command that opens it', async () => {
    const id = await newPublished()
    const said = `The deposit is published already; to change it, run \`deposit edit ${id}\` first.`
    for (const args of [
      ['publish', id],
      ['publish', id, '-n'],
    ]) {
      const outcome = await deposit(args)
      expectFailure(outcome, 5, said)
      expect(outcome.stderr).toContain(`next: run \`deposit edit ${id}\`\n`)
    }
    const checked = await deposit(['check', id])
    expect(checked).toMatchObject({ status: 5, stdout: `publish: ${said}\n` })
    expect(checked.stderr).toContain(`next: run \`deposit edit ${id}\`\n`)
  })

  it('of rename refuses a taken or invalid name', async () => {
    const id = await newDraft('data')
    for (const more of [['-n'], []]) {
      const taken = await deposit(['rename', id, 'README.md', 'b/a.csv', ...more])
      expectFailure(taken, 5, 'already has a file named "b/a.csv"')
      expectFailure(await deposit(['rename', id, 'README.md', '../x', ...more]), 2, '../x')
    }
  })

  it('of patch refuses an operation on a missing value', async () => {
    const id = await newDraft('data')
    const operations = '[{"op": "replace", "path": "/nothing/here", "value": 1}]'
    for (const more of [['-n'], []]) {
      const outcome = await deposit(['patch', id, '-', ...more], { stdin: operations })
      expectFailure(outcome, 1, 'invalid_patch')
    }
    const several = JSON.stringify([
      { op: 'remove', path: '/nothing' },
      { op: 'add', path: '/added', value: {} },
      { op: 'test', path: '/title', value: 'another' },
      { op: 'replace', path: '/added/inner', value: 1 },
      { op: 'add', path: '/none/inner', value: 1 },
      { op: 'remove', path: '/none/inner' },
    ])
    const { stderr } = await deposit(['patch', id, '-', '-n'], { stdin: several })
    expect(stderr).toContain('/0: There is nothing at "/nothing".')
    expect(stderr).toContain('/2: The value at "/title" is another one.')
    expect(stderr).toContain('/3: There is nothing at "/added/inner".')
    expect(stderr).toContain('/4: There is no object or array to add to.')
    expect(stderr).toContain('/5: The operations from here on may build on /4')
    const fine = '[{"op": "test", "path": "/keywords/0", "value": "tide"}]'
    expect(await deposit(['patch', id, '-', '-n'], { stdin: fine })).toMatchObject({ status: 0 })
  })

  it('is refused without the scope, like the command', async () => {
    const id = await newDraft('data')
    const scoped = async (scope: string) => {
      const { stdout } = await deposit(['token', 'create', '--scope', scope])
      return { DEPOSIT_URL: daemonUrl(), DEPOSIT_TOKEN: stdout.trim() }
    }
    const folder = workFolder()
    const writing = await scoped('deposit:write')
    const reading = await scoped('openid')
    const cases = [
      [writing, ['publish', id]],
      [writing, ['discard', id]],
      [reading, ['update', id, '--set', 'title=x']],
      [reading, ['upload', id, 'extra.txt']],
      [reading, ['rm', id, 'README.md']],
      [reading, ['sync', 'data', await newDraft()]],
      [reading, ['rename', id, 'README.md', 'x.md']],
    ] as const
    for (const [environment, args] of cases)
      for (const more of [['--dry-run'], []]) {
        const outcome = await runCli([...args, ...more], { environment, folder })
        expectFailure(outcome, 4, 'insufficient_scope')
      }
    const allowed = await runCli(['upload', id, 'extra.txt', '-n'], {
      environment: writing,
      folder,
    })
    expect(allowed.status).toBe(0)
  })

  it('of update refuses a schema that the server does not have', async () => {
    const id = await newDraft('data')
    for (const more of [['--dry-run'], []])
      for (const schema of [
        'none.json',
        'https://example.org/schemas/deposits/deposit-v1.0.0.json',
      ])
        expectFailure(
          await deposit(['update', id, '--set', `$schema=${schema}`, ...more]),
          1,
          `${schema} is not a schema of this service. (unknown_schema`,
        )
    const known = `${daemonUrl()}/schemas/deposits/dataset-v1.0.0.json`
    for (const schema of [known, 'deposits/dataset-v1.0.0.json', 'dataset-v1.0.0.json'])
      for (const more of [['--dry-run'], []])
        expect((await deposit(['update', id, '--set', `$schema=${schema}`, ...more])).status).toBe(
          0,
        )
  })

  it('of download refuses a folder in the place of a file, like the command', async () => {
    const id = await newDraft('data')
    await using target = await temporaryFolder({ 'README.md': 'mine', other: '1' })
    await using blocked = await temporaryFolder({ b: 'a file' })
    await using folders = await temporaryFolder({ 'README.md/x': '1' })
    const cases = [
      [target.path, 'a different file of that name exists'],
      [blocked.path, 'b is a file (or link) where a folder is needed'],
      [folders.path, 'README.md is a folder (or link) where a file is needed'],
    ] as const
    for (const [path, words] of cases)
      for (const more of [['--dry-run'], []])
        expectFailure(await deposit(['download', id, '--output', path, ...more]), 5, words)
    const replacing = ['download', id, '--output', target.path, '--replace', '-n']
    const { status, stdout } = await deposit(replacing)
    expect(status).toBe(0)
    expect(stdout).toContain('README.md')
  })
})

describe('--idempotency-key', () => {
  it('creates, uploads and publishes once, even if repeated', async () => {
    const args = ['create', 'data', '--publish', '--idempotency-key', 'job-1']
    const [first, second] = [await deposit(args), await deposit(args)]

    expect(first).toMatchObject({ status: 0 })
    expect(second).toMatchObject({ status: 0, stdout: first.stdout })
    expect(second.stderr).toMatch(/^Found \w{32}, published already$/m)
    expect(second.stderr).not.toContain('Created')
  })

  it('finds a draft that has files already', async () => {
    const args = ['create', 'data', '--idempotency-key', 'job-4']
    const [first, second] = [await deposit(args), await deposit(args)]

    expect(first.stderr).toContain(`Created draft ${first.stdout}`)
    expect(second).toMatchObject({ status: 0, stdout: first.stdout })
    expect(second.stderr).toContain(`Found draft ${first.stdout}Uploaded 0 files\n`)
  })

  it('runs an action once', async () => {
    const id = await newPublished()
    const args = ['edit', id, '--quiet', '--idempotency-key', 'job-2']

    expect(await deposit(args)).toEqual({ status: 0, stdout: `${id}\n`, stderr: '' })
    expect(await deposit(args)).toEqual({ status: 0, stdout: `${id}\n`, stderr: '' })
    expectFailure(await deposit(['edit', id]), 5, '(invalid_action')
  })

  it('is refused for another request', async () => {
    await newDraft('--title', 'One', '--idempotency-key', 'job-3')
    const outcome = await deposit(['create', '--title', 'Two', '--idempotency-key', 'job-3'])

    expectFailure(outcome, 5, 'idempotency')
  })
})
