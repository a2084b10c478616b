import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  daemonUrl,
  deposit,
  newDraft,
  read,
  useDaemon,
  workFolder,
} from '../support/cli-at-daemon.ts'
import { forward } from '../support/forward.ts'
import { runCli, type Outcome } from '../support/run-cli.ts'
import { answerJson, strangeServer } from '../support/strange-server.ts'

useDaemon()

let token: string
beforeAll(async () => {
  const args = ['token', 'create', '--scope', 'deposit:write deposit:actions']
  token = (await deposit(args)).stdout.trim()
})

/** Runs `deposit update`; before its first request to change something, others run `theirs`. */
async function update(
  id: string,
  ours: readonly string[],
  ...theirs: readonly (readonly string[])[]
): Promise<Outcome> {
  const left = [...theirs]
  await using slow = await strangeServer(async (request, response) => {
    const other = request.method === 'PUT' ? left.shift() : undefined
    if (other !== undefined) expect(await deposit(other)).toMatchObject({ status: 0 })
    const { status, body } = await forward(daemonUrl(), request)
    answerJson(response, body, status)
  })
  const environment = { DEPOSIT_URL: slow.url, DEPOSIT_TOKEN: token }
  return await runCli(['update', id, ...ours], { environment, folder: workFolder() })
}

const newTides = (): Promise<string> => newDraft('--title', 'Tides')

const metadataOf = async (id: string): Promise<unknown> =>
  ((await read(id)) as { metadata: unknown }).metadata

describe('deposit update, while others change the same draft,', () => {
  it('sets its fields beside those that others have changed', async () => {
    const id = await newTides()
    const ours = ['--set', 'title=Waves', '--set', '/creators/-/name=Ada']
    const outcome = await update(
      id,
      ours,
      ['update', id, '--set', 'description=By others'],
      ['upload', id, 'extra.txt'],
      ['update', id, '--set', 'notes=x'],
    )

    expect(outcome).toMatchObject({ status: 0 })
    expect(outcome.stderr).toContain('Kept what others changed in between: /description, /notes\n')
    expect(await metadataOf(id)).toMatchObject({
      title: 'Waves',
      creators: [{ name: 'Ada' }],
      description: 'By others',
      notes: 'x',
    })
  })

  it('loses nothing where several set different fields at once', async () => {
    const id = await newTides()
    const fields = ['notes', 'description', 'version', 'publisher', 'doi_note']
    const outcomes = await Promise.all(
      fields.map((field) => deposit(['update', id, '--set', `${field}=${field}`])),
    )

    expect(outcomes.map(({ status }) => status)).toEqual([0, 0, 0, 0, 0])
    const expected = Object.fromEntries(fields.map((field) => [field, field]))
    expect(await metadataOf(id)).toMatchObject(expected)
  })

  it('is refused if they changed its field, and shows the values', async () => {
    const id = await newTides()
    const theirs = ['update', id, '--set', 'title=Winds', '--set', 'notes=x']
    const outcome = await update(id, ['--set', 'title=Waves', '--set', 'version=2'], theirs)

    expect(outcome).toMatchObject({ status: 5, stdout: '' })
    expect(outcome.stderr).toMatch(
      /\/title: Others have changed it, too \(before: "Tides"; yours: "Waves"; theirs: "Winds"\)\. \(stale_revision/,
    )
    expect(outcome.stderr).toContain(`next: look at it again with \`deposit show ${id}\``)
    expect(outcome.stderr).not.toContain('notes')
    const metadata = await metadataOf(id)
    expect(metadata).toMatchObject({ title: 'Winds' })
    expect(metadata).not.toHaveProperty('version')
  })

  it('tells programs the values', async () => {
    const id = await newTides()
    await deposit(['update', id, '--set', 'notes=x'])
    const theirs = ['update', id, '--unset', 'notes']
    const { stdout } = await update(id, ['--set', 'notes=y', '--json'], theirs)

    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'stale_revision', errors: [{ field: '/notes', base: 'x', ours: 'y' }] },
    })
  })

  it('takes a list as one field, as the places in it move', async () => {
    const id = await newTides()
    await deposit(['update', id, '--set', 'creators:=[{"name":"Ada"},{"name":"Bob"}]'])
    const theirs = ['update', id, '--unset', '/creators/0']
    const outcome = await update(id, ['--set', '/creators/0/role=Editor'], theirs)

    expect(outcome).toMatchObject({ status: 5 })
    expect(outcome.stderr).toContain('/creators: Others have changed it, too')
    expect(await metadataOf(id)).toMatchObject({ creators: [{ name: 'Bob' }] })
  })

  it('has nothing left to do if they set the same', async () => {
    const id = await newTides()
    const same = ['--set', '/keywords/-=tide', '--unset', 'title']
    const outcome = await update(id, same, ['update', id, ...same])

    expect(outcome).toMatchObject({ status: 0 })
    expect(await metadataOf(id)).toMatchObject({ keywords: ['tide'] })
    expect(await metadataOf(id)).not.toHaveProperty('title')
  })

  it('replaces all of the metadata only if nobody has changed them', async () => {
    const id = await newTides()
    await writeFile(join(workFolder(), 'all.yaml'), 'title: All\n')
    const ours = ['--metadata', 'all.yaml']
    expect(await update(id, ours, ['upload', id, 'extra.txt'])).toMatchObject({ status: 0 })
    expect(await metadataOf(id)).toMatchObject({ title: 'All' })

    const refused = await update(id, ours, ['update', id, '--set', 'notes=x'])
    expect(refused).toMatchObject({ status: 5 })
    expect(refused.stderr).toContain('/notes: Others have changed it, too (before: nothing; yours:')
    expect(await metadataOf(id)).toMatchObject({ notes: 'x' })
  })
})
