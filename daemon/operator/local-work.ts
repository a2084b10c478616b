import { PassThrough } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { isProblem } from '../../core/index.ts'
import { describeCommand } from './command/describe-command.ts'
import { runLong } from './run-in-daemon.ts'
import { placeOf } from '../home/place.ts'
import type { Line } from './command/transcript.ts'
import type { Options, WorkContext } from './command/operator-command.ts'

/** How often a line says that work without news goes on. */
const aliveMs = 15_000

/** What is asked for, as a request to `/local/operator` says it. */
export interface AskedWork {
  readonly command: string
  readonly options: Options
}

/** `POST /local/work`: an operator's long work, told line by line while it is done. */
export function localWork(
  app: FastifyInstance,
  context: WorkContext,
  parse: (body: unknown) => AskedWork,
): void {
  app.post('/local/work', async (request, reply) => {
    const asked = parse(request.body)
    request.deed = describeCommand(asked.command, asked.options)
    const lines = new PassThrough()
    const report = (error: unknown): void => {
      request.failed = error instanceof Error ? error.message : String(error)
      if (isProblem(error) || lines.destroyed) return
      request.log.error({ err: error }, 'work failed')
    }
    void carryOut(context, asked, lines, report)
    return sendLines(reply, lines)
  })
}

function sendLines(reply: FastifyReply, lines: PassThrough): FastifyReply {
  return reply.type('application/x-ndjson').send(lines)
}

/** Stops where nobody listens any more. */
async function carryOut(
  context: WorkContext,
  { command, options }: AskedWork,
  lines: PassThrough,
  report: (error: unknown) => void,
): Promise<void> {
  const stopping = new AbortController()
  lines.once('close', () => stopping.abort())
  const say = (line: Line): void =>
    void (lines.writable && lines.write(`${JSON.stringify(line)}\n`))
  const alive = setInterval(() => say({ kind: 'alive' }), aliveMs)
  try {
    const tell = (kind: 'note' | 'result' | 'progress', text: string): void => say({ kind, text })
    const voice = { tell, signal: stopping.signal }
    const { ending, data } = await runLong(context, command, options, voice)
    say({ kind: 'ending', ending, data: { ...data, ...placeOf(context.home) } })
  } catch (error) {
    report(error)
    say({ kind: 'failure', text: error instanceof Error ? error.message : String(error) })
  } finally {
    clearInterval(alive)
    lines.end()
  }
}
