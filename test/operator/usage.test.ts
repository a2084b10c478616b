import { describe, expect, it } from 'vitest'
import { runDepositd } from '../support/depositd.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

describe('an invalid command line', () => {
  it.for([
    ['nope', /unknown command 'nope'/],
    ['nope --port 0', /unknown (?:command|option)/],
    ['serve nope', /too many arguments for 'serve'/],
    ['user nope', /unknown command 'nope'/],
    ['user list nope', /too many arguments for 'list'/],
    ['user add', /missing required argument 'email'/],
  ] as const)('ends with 64 and a reason: depositd %s', async ([line, reason]) => {
    await using home = await temporaryFolder()
    const { status, stdout, stderr } = await runDepositd(home.path, line.split(' '))

    expect({ status, stdout }).toEqual({ status: 64, stdout: '' })
    expect(stderr).toMatch(reason)
  })
})
