import { afterAll, vi } from 'vitest'
import { advice } from '../../../cli/advice.ts'
import { send } from '../../support/http.ts'
import { cliScope } from '../../support/sign-in.ts'
import { testDaemon, type TestDaemon } from '../../support/test-daemon.ts'
import { changingProxy, follow, logsIn, pathTo, refuse } from './rig.ts'

/** A daemon behind a proxy that drops `Retry-After`. */
interface PublicDaemon {
  readonly daemon: TestDaemon
  /** Its public address. */
  readonly url: string
}

const own = new AsyncDisposableStack()
afterAll(() => own.disposeAsync())
let started: Promise<PublicDaemon> | undefined

function publicDaemon(): Promise<PublicDaemon> {
  started ??= (async () => {
    let origin = ''
    const { url } = own.use(await changingProxy(() => origin))
    const daemon = own.use(await testDaemon({ env: { DEPOSIT_PUBLIC_URL: url } }))
    origin = daemon.origin
    return { daemon, url }
  })()
  return started
}

/** The environment of a user who is not the owner of the machine. */
const elsewhere = (url: string) => ({ DEPOSIT_HOME: pathTo('elsewhere'), DEPOSIT_URL: url })

/** Stops the clock that limits attempts, so that a minute cannot pass on a busy machine. */
function stopClock(): Disposable & { readonly passes: (seconds: number) => void } {
  const now = Date.now()
  vi.useFakeTimers({ toFake: ['Date'], now })
  return {
    passes: (seconds) => void vi.setSystemTime(now + seconds * 1000),
    [Symbol.dispose]: () => void vi.useRealTimers(),
  }
}

/** Hints at a public service. */
export const ofPublic = {
  runAgainIn: async () => {
    const service = await publicDaemon()
    const environment = { ...elsewhere(service.url), DEPOSIT_TOKEN: undefined }
    using clock = stopClock()
    const starting = { client_id: 'deposit-cli', scope: cliScope }
    const start = async (): Promise<number> => {
      const body = new URLSearchParams(starting)
      return (await send('POST', `${service.daemon.origin}/oauth/device`, { body })).status
    }
    while ((await start()) === 200);
    await refuse('deposit login', advice.runAgainIn(60), { environment })
    clock.passes(60)
    await logsIn(elsewhere(service.url), service.daemon)
  },
  runAgainSoon: async () => {
    const { daemon, url } = await publicDaemon()
    using clock = stopClock()
    const busy = daemon.as('busy')
    const { id } = await busy.createDraft()
    const change = async (): Promise<number> => (await busy.put('/deposits/none', {})).status
    const some = () => Promise.all(Array.from({ length: 10 }, change))
    while (!(await some()).includes(429));
    const asked = { as: busy, environment: { DEPOSIT_URL: url } }
    const update = `deposit update ${id} --set title=x`
    await refuse(update, advice.runAgainSoon(), asked)
    clock.passes(60)
    await follow(update, asked)
  },
  checkIssuer: async () => {
    const service = await publicDaemon()
    const { origin } = service.daemon
    const environment = { ...elsewhere(origin), DEPOSIT_TOKEN: undefined }
    await refuse('deposit login', advice.checkIssuer(), { environment })
    await logsIn(elsewhere(service.url), service.daemon)
  },
}
