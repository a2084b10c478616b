import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  daemonHome,
  deposit,
  expectFailure,
  newDraft,
  newPublished,
  read,
  useDaemon,
} from '../support/cli-at-daemon.ts'
import { runCli } from '../support/run-cli.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

useDaemon()

/** Runs `deposit edit --open` with a script for an editor; `$1` is the file. */
async function edit(id: string, script: string) {
  await using folder = await temporaryFolder({ editor: `#!/bin/sh\n${script}\n`, seen: '' })
  const editor = join(folder.path, 'editor')
  await chmod(editor, 0o700)
  await writeFile(join(folder.path, 'turn'), '')
  const environment = { DEPOSIT_HOME: daemonHome(), EDITOR: `${editor} ${folder.path}` }
  const outcome = await runCli(['edit', id, '--open'], { environment, folder: folder.path })
  return { ...outcome, seen: await readFile(join(folder.path, 'seen'), 'utf8') }
}

describe('deposit edit --open', () => {
  it('opens the metadata of a draft and saves the edited ones', async () => {
    const id = await newDraft('--title', 'Tides')

    const { status, stderr, seen } = await edit(
      id,
      'cat "$2" > "$1/seen"; echo "title: Waves" > "$2"',
    )

    expect({ status, stderr }).toEqual({ status: 0, stderr: `Updated ${id}\n` })
    expect(seen).toContain('title: Tides\n')
    expect(seen).not.toContain('_deposit')
    expect(await read(id)).toMatchObject({ metadata: { title: 'Waves' } })
  })

  it('makes a published deposit a draft again', async () => {
    const id = await newPublished()

    const { status } = await edit(id, 'echo "title: Corrected" > "$2"')

    expect(status).toBe(0)
    expect(await read(id)).toMatchObject({
      metadata: { title: 'Corrected', _deposit: { status: 'draft' } },
    })
  })

  it('saves nothing without a change', async () => {
    const id = await newDraft('--title', 'Tides')

    expect((await edit(id, 'true')).stderr).toBe(`Nothing changed in ${id}\n`)
    expect(await read(id)).toMatchObject({ revision: 0 })
  })

  it('opens invalid metadata again, with their faults', async () => {
    const id = await newDraft('--title', 'Tides')

    const { status, seen } = await edit(
      id,
      'cat "$2" >> "$1/seen"; echo x >> "$1/turn"; ' +
        'if [ "$(wc -l < "$1/turn")" = 1 ]; then echo "title: [1]" > "$2"; ' +
        'else echo "title: Right" > "$2"; fi',
    )

    expect(status).toBe(0)
    expect(seen).toContain('#! 1:8: /title: Title must be text.\ntitle: [1]\n')
    expect(await read(id)).toMatchObject({ metadata: { title: 'Right' } })
  })

  it('keeps the file and exits with 2 if the faults are left unchanged', async () => {
    const id = await newDraft('--title', 'Tides')

    const outcome = await edit(id, 'echo "title: [1]" > "$2"')

    expectFailure(outcome, 2, 'were not corrected')
    const [, file = ''] = /correct (\S+) and/.exec(outcome.stderr) ?? []
    expect(await readFile(file, 'utf8')).toContain('title: [1]')
    expect(await read(id)).toMatchObject({ revision: 0, metadata: { title: 'Tides' } })
  })

  it('saves nothing if the editor fails or is missing', async () => {
    const id = await newDraft('--title', 'Tides')

    expectFailure(await edit(id, 'echo "title: x" > "$2"; exit 1'), 2, 'ended with an error')
    const environment = { DEPOSIT_HOME: daemonHome() }
    expectFailure(await runCli(['edit', id, '--open'], { environment }), 2, 'EDITOR')
    expect(await read(id)).toMatchObject({ revision: 0 })
  })
})

describe('deposit open', () => {
  it('makes no link for a record, which is public anyway', async () => {
    const outcome = await deposit(['open', await newPublished(), '--record', '--link'])
    expectFailure(outcome, 2, '--link is for the page to edit')
  })
})
