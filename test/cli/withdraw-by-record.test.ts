import { describe, expect, it } from 'vitest'
import { daemonHome, deposit, newPublished, read, useDaemon } from '../support/cli-at-daemon.ts'
import { runCli } from '../support/run-cli.ts'

useDaemon()

interface Shown {
  readonly links: Readonly<Record<string, string>>
  readonly withdrawn?: object
}

describe('the owner of a record', () => {
  it('withdraws, finds and restores it by its identifier or its address', async () => {
    const id = await newPublished()
    const { links } = (await read(id)) as Shown
    const value = links['record']?.split('/').at(-1) ?? ''
    const done = await deposit(['withdraw', value, '--reason', 'test', '--yes'])
    expect(done.status).toBe(0)

    const list = await deposit(['list'])
    expect(list.stdout).toContain('withdrawn')
    const shown = await deposit(['show', links['record_html'] ?? ''])
    expect(shown.stdout).toContain('Status: withdrawn')
    expect((await deposit(['restore-record', value])).status).toBe(0)
    expect(await read(id)).not.toHaveProperty('withdrawn')
  })

  it('rehearses a withdrawal as it would be done, and changes nothing', async () => {
    const id = await newPublished()
    const draft = (await deposit(['newversion', id, '-q'])).stdout.trim()
    const withdraw = (...more: readonly string[]) =>
      deposit(['withdraw', id, '--reason', 'test', ...more])

    const fine = await withdraw('--dry-run', '--destroy-bytes', '--yes')
    const wrong = await withdraw('--dry-run', '--replaced-by', 'none-such')
    const other = await withdraw('--dry-run', '--replaced-by', await newPublished())
    const before = await read(id)
    await withdraw('--yes')
    const again = await withdraw('--dry-run')
    const shown = await deposit(['show', id])

    expect(fine.status).toBe(0)
    expect(fine.stderr).toContain('Its files would be removed for good')
    expect(fine.stderr).toContain('the same bytes are left in other deposits')
    expect(fine.stderr).toContain(`deposit delete ${draft} --yes`)
    expect(other.status).toBe(0)
    expect(wrong).toMatchObject({ status: 1, stdout: '' })
    expect(wrong.stderr).toContain('It is not a record of this service that can be read')
    expect(before).not.toHaveProperty('withdrawn')
    expect(again).toMatchObject({ status: 5, stdout: '' })
    expect(shown.stdout).toMatch(/^Withdrawn: \S+ by its owner \(it was published as a test\)$/m)
  })

  it('does not cite what was withdrawn, also while it is open for changes', async () => {
    const id = await newPublished()
    await deposit(['edit', id])
    await deposit(['withdraw', id, '--reason', 'test', '--yes'])

    const open = await deposit(['cite', id])
    await deposit(['discard', id])
    const closed = await deposit(['cite', id])
    await deposit(['restore-record', id])
    const restored = await deposit(['cite', id])

    for (const { status, stdout, stderr } of [open, closed]) {
      expect({ status, stdout }).toEqual({ status: 3, stdout: '' })
      expect(stderr).toMatch(/The record was withdrawn on \S+ \(it was published as a test\)/)
    }
    expect(restored).toMatchObject({ status: 0, stdout: expect.stringMatching(/http/) as string })
  })

  it('sees what is withdrawn before the question', async () => {
    const id = await newPublished()
    const { links } = (await read(id)) as Shown
    const environment = { DEPOSIT_HOME: daemonHome() }
    const typed = { environment, isTyped: true, terminal: 100 } as const
    const args = ['withdraw', id, '--reason', 'test', '--destroy-bytes']
    const { stderr } = await runCli(args, { ...typed, stdin: 'n\n' })

    expect(stderr).toContain(`Its address: ${links['record_html']}\n`)
    expect(stderr).toContain('Nothing was changed.')
    expect(await read(id)).not.toHaveProperty('withdrawn')
  })
})
