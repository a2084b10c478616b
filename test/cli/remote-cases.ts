import { randomUUID } from 'node:crypto'
import { daemonUrl, deposit, newDraft } from '../support/cli-at-daemon.ts'
import { nobody, type CommandCase } from './command-case.ts'

/** The commands about repositories of others. */
export const remoteCases: Readonly<Record<string, CommandCase>> = {
  push: {
    works: async () => [await newDraft('data'), '--to', await newRemote(), '--flatten', 'dash'],
    misused: ['--to', nobody, 'data'],
    refused: { args: async () => [nobody, '--to', await newRemote()], status: 3 },
  },
  pull: {
    works: async () => [`${await newRemote()}:${await pushed()}`],
    misused: [`${nobody}:1`, 'more'],
    refused: { args: async () => [`${await newRemote('unknown-token')}:1`], status: 4 },
  },
  'remote add': {
    works: () => [`r${randomUUID()}`, '--kind', 'zenodo', '--url', `${daemonUrl()}/zenodo`],
    misused: ['x', '--kind', nobody],
    refused: 'it asks nobody',
    stdin: 'token-of-a-user',
  },
  'remote list': { works: () => [], misused: ['all'], refused: 'it asks nobody' },
  'remote check': {
    works: async () => [await newRemote()],
    misused: [nobody],
    refused: { args: async () => [await newRemote('unknown-token')], status: 4 },
  },
  'remote remove': {
    works: async () => [await newRemote()],
    misused: [nobody],
    refused: 'it asks nobody',
  },
}

/** A remote that is this daemon, by its interface for clients of Zenodo. */
async function newRemote(token?: string): Promise<string> {
  const name = `r${randomUUID()}`
  const scope = 'deposit:write deposit:actions'
  const own = token ?? (await deposit(['token', 'create', '--scope', scope])).stdout.trim()
  const args = ['remote', 'add', name, '--kind', 'zenodo', '--url', `${daemonUrl()}/zenodo`]
  await deposit(args, { stdin: own })
  return name
}

/** The number of a deposit by that interface. */
async function pushed(): Promise<string> {
  const to = ['--to', await newRemote(), '--flatten', 'dash']
  const { stdout } = await deposit(['push', await newDraft('data'), ...to, '--quiet'])
  return stdout.trim()
}
