import { pino } from 'pino'
import { readConfig } from '../../daemon/config/config.ts'
import { prepareHome } from '../../daemon/home/home.ts'
import { buildDaemon, type Daemon } from '../../daemon/serve/build-daemon.ts'
import type { Answer, Asked } from './daemon-house.ts'

/** Runs the daemons that `daemon-house.ts` asks for, until its channel is closed. */
process.umask(0o077)
const running = new Map<number, Daemon>()

process.on('message', (asked: Asked) => {
  const answer = (rest: Partial<Answer>): void => void process.send?.({ id: asked.id, ...rest })
  const work = asked.env ? start(asked.id, asked.env) : stop(asked.id)
  work.then(
    (url) => answer({ url }),
    (error: unknown) => answer({ failure: String(error) }),
  )
})
process.once('disconnect', () => process.exit())

async function start(id: number, env: NodeJS.ProcessEnv): Promise<string> {
  const config = await readConfig(env, { port: '0' })
  await prepareHome(config.home, config)
  const daemon = await buildDaemon(config, pino({ level: 'silent' }))
  running.set(id, daemon)
  return daemon.listen()
}

async function stop(id: number): Promise<string> {
  await running.get(id)?.[Symbol.asyncDispose]()
  running.delete(id)
  return ''
}
