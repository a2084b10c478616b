import stringWidth from 'string-width'
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
} from '../support/cli-at-daemon.ts'
import { forward } from '../support/forward.ts'
import { runCli } from '../support/run-cli.ts'
import { answerJson, strangeServer } from '../support/strange-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

interface Answer {
  readonly metadata: Readonly<Record<string, unknown>>
}

const metadataOf = (body: unknown) => ({ ...(body as Answer).metadata, _deposit: undefined })

describe('deposit create', () => {
  it("publishes a folder and prints the record's URL, alone", async () => {
    const { status, stdout, stderr } = await deposit(['create', 'data', '--publish'])

    expect(status).toBe(0)
    expect(stdout).toMatch(new RegExp(`^${daemonUrl()}/records/[^/\\s]+\\n$`))
    expect(stderr).toMatch(/^Left out 1 hidden.*\.hidden\nwarning: .*: creators, /)
    expect(stderr).toMatch(/\nCreated draft .+\nUploaded 3 files\n/)
    const record = await fetch(stdout.trim(), { headers: { accept: 'application/json' } })
    expect(await record.json()).toMatchObject({ metadata: { title: 'Water levels' } })
  })

  it('prints the id of a draft, with its files in path order', async () => {
    const { stdout } = await deposit(['create', 'data', '--new'])

    expect(stdout).toMatch(/^\S+\n$/)
    expect(await namesOf(stdout.trim())).toEqual(['README.md', 'b/a.csv', 'b/empty.csv'])
  })

  it('makes an empty draft with a title, and takes metadata from standard input', async () => {
    const { stdout } = await deposit(['create', '--metadata', '-', '--json'], {
      stdin: '{"notes":"n"}',
    })
    const titled = await newDraft('--title', 'Tides')

    expect(JSON.parse(stdout)).toMatchObject({ metadata: { notes: 'n' } })
    expect(await read(titled)).toMatchObject({ metadata: { title: 'Tides' } })
  })

  it.for([
    [['create', 'none'], 'no such file'],
    [['create', 'extra.txt'], 'it is a file, not a folder or'],
    [['create', 'a', 'b'], 'too many arguments'],
    [['create', '--metadata', 'none.yaml'], 'no such file'],
    [['create', '--metadata', 'data/README.md'], 'does not hold a document'],
  ] as const)('sends nothing when %j cannot be read', async ([args, words]) => {
    const before = await deposit(['list', '--json'])

    expectFailure(await deposit(args), 2, words)
    expect(await deposit(['list', '--json'])).toEqual(before)
  })

  it('names line and column of a fault in the metadata', async () => {
    expectFailure(
      await deposit(['create', '--metadata', '-'], { stdin: 'a: [1\nb: 2' }),
      2,
      'at line 2, column 1\n',
    )
  })

  it('names a duplicate key', async () => {
    for (const [stdin, key] of [
      ['title: a\nkeywords: [x]\ntitle: b\n', 'title'],
      ['{"title": "a", "title": "b"}', '"title"'],
    ] as const) {
      const words = `the key ${key} is given twice in the same object, the second time at line`
      expectFailure(await deposit(['create', '--metadata', '-'], { stdin }), 2, words)
    }
  })

  it('keeps the draft, and advises how to continue, when it cannot be published', async () => {
    const token = (await deposit(['token', 'create', '--scope', 'deposit:write'])).stdout.trim()
    const environment = { DEPOSIT_URL: daemonUrl(), DEPOSIT_TOKEN: token }
    const outcome = await runCli(['create', '--title', 'x', '--publish'], { environment })

    expectFailure(outcome, 4, 'insufficient_scope')
    const [, id = ''] = /Created draft (\S+)/.exec(outcome.stderr) ?? []
    expect(outcome.stderr).toContain(
      `to continue the draft, run \`deposit publish ${id} --idempotency-key `,
    )
    expect((await deposit(['show', id, '--quiet'])).stdout).toBe(`${id}\n`)
  })

  it.for([
    ['title: [1]', [], '/title: Title must be text.'],
    ['publication_date: 12.3.2024', ['--publish'], '/publication_date: Publication date must be a'],
    ['resource_type: Dataset', ['--publish'], 'did you mean "dataset"?'],
    ['$schema: deposits/dataset-v1.0.0.json', ['--publish'], '/title: Title is missing.'],
  ] as const)('sends nothing, with or without --dry-run, if %j would be refused', async (given) => {
    const [stdin, options, words] = given
    const before = await deposit(['list', '--json'])
    for (const rehearsal of [[], ['--dry-run']]) {
      const args = ['create', 'data', '--metadata', '-', ...options, ...rehearsal]
      expectFailure(await deposit(args, { stdin }), 1, words)
    }
    expect(await deposit(['list', '--json'])).toEqual(before)
  })

  it('asks the server before large files are sent, because it may have its own schema', async () => {
    const errors = [{ code: 'invalid_document', field: '/depth', message: 'Depth is missing.' }]
    await using own = await strangeServer(async (request, response) => {
      const { method, url = '' } = request
      const isRehearsal = method === 'GET' && url.endsWith('/actions/publish')
      const { status, body } = isRehearsal
        ? { status: 200, body: { publishable: false, errors, warnings: [] } }
        : await forward(daemonUrl(), request)
      answerJson(response, body, status)
    })
    await using folder = await temporaryFolder({ 'large.bin': 'x'.repeat(2_000_000) })
    const scope = ['--scope', 'deposit:write deposit:actions']
    const token = (await deposit(['token', 'create', ...scope])).stdout.trim()
    const environment = { DEPOSIT_URL: own.url, DEPOSIT_TOKEN: token }
    const outcome = await runCli(['create', folder.path, '--publish', '--yes'], { environment })

    expectFailure(outcome, 1, '/depth: Depth is missing.')
    expect(own.requests.map(({ method }) => method)).toEqual(['POST', 'GET'])
  })

  it('warns of misspelt fields, and keeps them', async () => {
    const created = await deposit(['create', '--metadata', '-'], { stdin: 'creator: Ada' })
    const words = '"creator" is not a field of the schema; did you mean "creators"?\n'

    expect(created.stderr).toContain(words)
    expect(await read(created.stdout.trim())).toMatchObject({ metadata: { creator: 'Ada' } })
  })

  it('does not publish a draft with a misspelt recommended field, unless by `publish` itself', async () => {
    const create = ['create', '--metadata', '-']
    const stdin = 'titel: Tides\ncreators: [{ name: Ada }]\n'
    const before = await deposit(['list', '--quiet'])
    for (const args of [
      [...create, '--publish'],
      [...create, '--publish', '--dry-run'],
    ])
      expectFailure(await deposit(args, { stdin }), 1, 'did you mean "title"?')
    expect(await deposit(['list', '--quiet'])).toEqual(before)

    const both = { stdin: 'title: Tides\nsubtitle: of 2024\ntitles: other\n' }
    expect((await deposit([...create, '--publish'], both)).status).toBe(0)
    const id = (await deposit([...create, '--quiet'], { stdin })).stdout.trim()
    expect((await deposit(['publish', id])).status).toBe(0)
  })
})

describe('deposit list', () => {
  it('prints a line for each deposit, with tabs in a pipe and titles on a terminal', async () => {
    const id = await newDraft('data')
    const piped = await deposit(['list'])
    const shown = await deposit(['list'], { terminal: 80 })

    expect(piped.stdout).toContain(`${id}\tWater levels\tdraft\t3\t12 B\t`)
    expect(shown.stdout).toContain('TITLE')
    expect(shown.stdout.split('\n').every((line) => stringWidth(line) <= 80)).toBe(true)
  })

  it('prints only ids with --quiet', async () => {
    const { stdout, stderr } = await deposit(['list', '--quiet', '--size', '1'])

    expect(stdout).toMatch(/^\w+\n$/)
    expect(stderr).toBe('')
  })

  it('is refused by the server past the search window', async () => {
    expectFailure(await deposit(['list', '--page', '1000000']), 2, 'invalid_paging')
    expectFailure(await deposit(['list', '--size', '0']), 2, 'invalid_paging')
    expectFailure(await deposit(['list', 'a:(']), 2, 'invalid_query')
  })

  it('refuses unknown options', async () => {
    expectFailure(await deposit(['list', '--publish']), 2, "unknown option '--publish'")
  })
})

describe('deposit show', () => {
  it('prints a page with metadata and files', async () => {
    const id = await newDraft('data')
    const { stdout } = await deposit(['show', id])

    expect(stdout).toMatch(/^Water levels\n/)
    expect(stdout).toContain('Keywords: tide\n')
    expect(stdout).toContain('b/a.csv\t3 B\t')
  })

  it('accepts the beginning of an id, like every command except delete', async () => {
    const id = await newDraft()
    const start = id.slice(0, 12)

    expect((await deposit(['show', start, '--quiet'])).stdout).toBe(`${id}\n`)
    expect((await deposit(['clear', start.toUpperCase()])).stdout).toBe(`${id}\n`)
    expectFailure(await deposit(['delete', start, '--yes']), 3, `it is the beginning of ${id}`)
    expectFailure(await deposit(['show', '0123456789']), 3, 'deposit_not_found')
  })

  it('exits with 3 for an unknown deposit', async () => {
    expectFailure(
      await deposit(['show', 'none']),
      3,
      'There is no deposit with this id. (deposit_not_found, request',
    )
  })

  it('needs an id', async () => {
    expectFailure(await deposit(['show']), 2, 'the folder does not know one yet')
  })
})

describe('deposit update', () => {
  it('sets and removes fields', async () => {
    const id = await newDraft('data')
    const { stdout } = await deposit(['update', id, '--set', 'title=New', '--unset', 'keywords'])

    expect(stdout).toBe(`${id}\n`)
    const changed = await read(id)
    expect(changed).toMatchObject({ metadata: { title: 'New' } })
    expect(changed).not.toHaveProperty('metadata.keywords')
  })

  it('replaces the whole metadata with --metadata', async () => {
    const id = await newDraft('data')
    await deposit(['update', id, '--metadata', '-'], { stdin: 'notes: only this' })
    const changed = await read(id)

    expect(changed).toMatchObject({ metadata: { notes: 'only this' } })
    expect(changed).not.toHaveProperty('metadata.title')
  })

  it('warns of a misspelt field, and refuses to remove a missing one', async () => {
    const id = await newDraft('data')
    const { stderr } = await deposit(['update', id, '--set', 'titel=x'])

    expect(stderr).toContain('warning: /titel: "titel" is not a field of the schema; did you mean')
    expect((await deposit(['update', id, '--set', 'notes=x'])).stderr).not.toContain('warning')
    expectFailure(await deposit(['update', id, '--unset', 'keyword']), 2, 'mean "keywords"?')
    expectFailure(await deposit(['update', id, '--set', 'title:=1', '-n']), 1, 'must be text')
    for (const change of [
      ['--set', '_deposit=x'],
      ['--set', '/_deposit/id=x'],
      ['--unset', '_deposit'],
    ])
      expectFailure(await deposit(['update', id, ...change]), 2, 'cannot be set')
  })

  it('reads the output of show --metadata, and no other answer of the server', async () => {
    const id = await newDraft('data')
    const before = await read(id)
    for (const form of [[], ['--json']]) {
      const { stdout } = await deposit(['show', id, '--metadata', ...form])
      expect(stdout).not.toContain('_deposit')
      await deposit(['update', id, '--metadata', '-'], { stdin: stdout })
      expect(metadataOf(await read(id))).toEqual(metadataOf(before))
    }
    const title = await deposit(['show', id, '--metadata', '--json', 'title'])
    expect(JSON.parse(title.stdout)).toEqual({ title: 'Water levels' })
    expect((await deposit(['show', '--metadata', '--json', id])).status).toBe(0)
    expect((await deposit(['show', id.slice(0, 8), '--metadata', '--quiet'])).stdout).toBe(
      `${id}\n`,
    )
    for (const fields of ['metadata', 'id,metadata,links']) {
      const { stdout } = await deposit(['show', id, '--json', fields])
      const outcome = await deposit(['update', id, '--metadata', '-'], { stdin: stdout })
      expectFailure(outcome, 2, 'it is an answer of the server')
    }
    const { metadata } = JSON.parse((await deposit(['show', id, '--json'])).stdout) as Answer
    const given = { stdin: JSON.stringify(metadata) }
    expectFailure(await deposit(['create', '--metadata', '-'], given), 2, 'an answer of the server')
    expect(metadataOf(await read(id))).toEqual(metadataOf(before))
  })

  it('needs a change', async () => {
    expectFailure(await deposit(['update', 'x']), 2, 'nothing to change')
  })

  it('exits with 5 for a published deposit', async () => {
    expectFailure(
      await deposit(['update', await newPublished(), '--set', 'a=b']),
      5,
      '(invalid_action',
    )
  })
})

describe('deposit patch', () => {
  it('applies a JSON Patch', async () => {
    const id = await newDraft('data')
    const patch = [{ op: 'replace', path: '/title', value: 'Patched' }]

    expect(await deposit(['patch', id, '-'], { stdin: JSON.stringify(patch) })).toMatchObject({
      status: 0,
    })
    expect(await read(id)).toMatchObject({ metadata: { title: 'Patched' } })
  })

  it('is refused as a whole when an operation fails', async () => {
    const patch = JSON.stringify([{ op: 'remove', path: '/none' }])

    expectFailure(
      await deposit(['patch', await newDraft(), '-'], { stdin: patch }),
      1,
      'invalid_patch',
    )
  })

  it('needs a readable file', async () => {
    expectFailure(await deposit(['patch', 'x', 'none.json']), 2, 'no such file')
  })
})

describe('deposit clear', () => {
  it('empties the metadata and keeps the files', async () => {
    const id = await newDraft('data')

    expect(await deposit(['clear', id])).toMatchObject({ status: 0, stdout: `${id}\n` })
    expect(await read(id)).not.toHaveProperty('metadata.title')
    expect(await namesOf(id)).toHaveLength(3)
  })

  it('needs an id, and a draft', async () => {
    expectFailure(await deposit(['clear']), 2, "missing required argument 'id'")
    expectFailure(await deposit(['clear', await newPublished()]), 5, '(invalid_action')
  })
})

describe('deposit delete', () => {
  it('deletes a draft', async () => {
    const id = await newDraft('data')

    expect(await deposit(['delete', id, '--yes'])).toMatchObject({ status: 0, stdout: '' })
    expectFailure(await deposit(['show', id]), 3, 'deposit_deleted')
  })

  it('needs the id of a deposit that was never published', async () => {
    expectFailure(await deposit(['delete']), 2, "missing required argument 'id'")
    expectFailure(await deposit(['delete', await newPublished(), '--yes']), 5, '(invalid_action')
  })
})
