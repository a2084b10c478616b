import { setTimeout as rest } from 'node:timers/promises'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { advice } from '../advice.ts'
import type { DepositClient } from '../client/deposit-client.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { describeStatus } from '../output/deposit-facts.ts'

/** Milliseconds between two looks. */
const pauseMs = 500

/** Seconds that `--wait-doi` waits for, if it names none. */
export const defaultWait = 60

/**
 * Waits until the DOI of a published deposit is registered.
 *
 * @throws {Failure} DataCite refuses it, it is not registered in time, or the server makes none
 */
export async function waitForDoi(
  client: DepositClient,
  published: DepositBody,
  seconds: number,
): Promise<DepositBody> {
  const { id } = published
  const tried = `wait for the DOI of ${id}`
  const next = advice.seeStatus(id)
  const end = performance.now() + seconds * 1000
  for (let deposit = published; ; deposit = await client.read(id, tried)) {
    const doi = deposit.pids?.doi
    if (!doi) {
      const said = 'it is published, and this server makes no DOI for it'
      throw new Failure({ tried, said, next }, { exitCode: exitCodes.refused })
    }
    if (doi.status === 'registered') return deposit
    if (doi.status === 'refused' || doi.status === 'hidden') {
      const said = `it is published, and its DOI is ${describeStatus(doi)}`
      throw new Failure({ tried, said, next }, { exitCode: exitCodes.refused })
    }
    if (performance.now() > end) {
      const said = `it is published, and after ${seconds} s its DOI is ${describeStatus(doi)}`
      throw new Failure({ tried, said, next }, { exitCode: exitCodes.unreachable })
    }
    await rest(pauseMs)
  }
}
