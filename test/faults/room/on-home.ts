import { runDepositd } from '../../support/depositd.ts'
import type { Checks } from '../checks.ts'
import type { Random } from '../random.ts'
import { startService, type Service } from '../service.ts'
import { Tester } from '../tester.ts'

/** Runs `work` with a daemon on a new home, and always ends the daemon. */
export async function onHome(
  home: string,
  random: Random,
  work: (service: Service, tester: Tester) => Promise<void>,
): Promise<void> {
  const service = await startService(home)
  try {
    await work(service, await Tester.at(service, random))
  } finally {
    await service.kill()
  }
}

/** Expects neither damage nor garbage. */
export async function expectClean(checks: Checks, { home }: Service): Promise<void> {
  const { status, stdout } = await runDepositd(home, ['check', '--full'])
  checks.expect('depositd check', `${status} ${stdout}`, '0 ')
}
