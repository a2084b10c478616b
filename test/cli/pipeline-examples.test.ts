import { readFile, rm } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { deposit, daemonUrl, useDaemon } from '../support/cli-at-daemon.ts'
import { credentialsFile, runCli } from '../support/run-cli.ts'
import { outline } from '../../cli/program/outline.ts'

useDaemon()

async function example(name: string): Promise<string> {
  return readFile(new URL(`../../examples/ci/${name}`, import.meta.url), 'utf8')
}

describe.each(['github-actions.yml', 'gitlab-ci.yml'])('the example %s', (name) => {
  it('is YAML, and uses existing commands', async () => {
    const text = await example(name)
    expect(parse(text)).toBeTypeOf('object')

    const used = [...text.matchAll(/\bdeposit (check|create|token|\w+) (?=data|create)/g)]

    expect(used.length).toBeGreaterThan(2)
    for (const [, command] of used) expect(outline.map(({ name }) => name)).toContain(command)
  })
})

describe('an example pipeline', () => {
  it('works with only a token: check, and create with publish', async () => {
    const args = [
      'token',
      'create',
      '--scope',
      'deposit:write deposit:actions',
      '--expires',
      '365d',
    ]
    const { stdout: token } = await deposit(args)
    const environment = { DEPOSIT_URL: daemonUrl(), DEPOSIT_TOKEN: token.trim() }

    expect(await deposit(['check', 'data'])).toMatchObject({ status: 0 })
    const { stdout } = await deposit(['create', 'data', '--publish'])
    expect(stdout).toMatch(/^http:\S+\/records\/\S+\n$/)
    const { stdout: empty } = await runCli(['create', '--title', 'x', '--publish'], { environment })
    expect(empty).toMatch(/^http:\S+\/records\/\S+\n$/)
  })

  it('asks no question without a token', async () => {
    await rm(credentialsFile, { force: true })
    const environment = { DEPOSIT_URL: daemonUrl(), DEPOSIT_HOME: '/nonexistent' }

    const { status, stdout } = await runCli(['create', '--title', 'x'], { environment })

    expect({ status, stdout }).toEqual({ status: 4, stdout: '' })
  })
})
