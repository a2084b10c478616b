/**
 * Clients that connect and send nothing, or send or read almost nothing: the service keeps working
 * and closes their connections.
 *
 *     npm run test:faults -- slow-clients
 *     npm run test:faults -- slow-clients --rounds 1000     that many idle sockets
 */
import { readdir } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { head } from '../../support/raw-request.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { Checks } from '../checks.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { Random } from '../random.ts'
import { startService, type Service } from '../service.ts'
import { Tester } from '../tester.ts'
import { HealthWatch, mostMs } from './health-watch.ts'
import { ManySockets } from './many-sockets.ts'
import { processFigures } from './process-figures.ts'

const MiB = 1024 * 1024
/** A short timeout, which keeps the run short. */
const progressSeconds = 2
const patienceMs = 60_000
/** Time for which all of them are connected. */
const togetherMs = 5000

export const slowClients: Experiment = {
  name: 'slow-clients',
  claim: 'Idle and slow clients do not keep others out, and are closed.',
  obstacle: () => undefined,
  run: keepBadCompany,
}

interface Company {
  readonly service: Service
  readonly tester: Tester
  readonly checks: Checks
  /** Figures of the run, by name. */
  readonly figures: Record<string, number>
  readonly idle: number
}

async function keepBadCompany({ seed, rounds = 10_000, say }: Settings): Promise<Outcome> {
  await using folder = await temporaryFolder()
  const env = { DEPOSIT_PROGRESS_SECONDS: String(progressSeconds) }
  const service = await startService(join(folder.path, 'home'), { env })
  const figures: Record<string, number> = {}
  const checks = new Checks()
  try {
    const tester = await Tester.at(service, new Random(seed))
    const company = { service, tester, checks, figures, idle: rounds }
    for (const [name, part] of Object.entries(parts)) {
      say(name)
      await watched(name, company, part)
    }
  } finally {
    await service.kill()
  }
  return checks.outcome(figures)
}

type Part = (company: Company, sockets: ManySockets) => Promise<void>

const parts: Readonly<Record<string, Part>> = {
  'idle sockets': ({ service, idle }, sockets) => sockets.open(service.url, idle),
  'slow heads': ({ service }, sockets) =>
    sockets.open(service.url, 800, (socket) => {
      socket.write('GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n')
      drip(socket, 'x-slow: 1\r\n', 1000)
    }),
  'slow bodies': slowBodies,
  'slow readers': slowReaders,
  'readers that leave': leavingReaders,
}

/** Checks for each part that health answers, the sockets are closed and nothing is left behind. */
async function watched(name: string, company: Company, part: Part): Promise<void> {
  const { service, checks, figures } = company
  const before = await processFigures(service.pid)
  using sockets = new ManySockets()
  await part(company, sockets)
  const watch = new HealthWatch(service.url)
  await sleep(togetherMs)
  const during = await processFigures(service.pid)
  const isFree = await waitUntilFree(service, before.descriptors)
  const health = await watch.end()
  checks.expect(`the service is rid of ${name}`, isFree, true)
  checks.expect(`health not answered beside ${name}`, health.unanswered, 0)
  checks.expect(
    `health within ${mostMs} ms beside ${name} (${health.p99})`,
    health.p99 <= mostMs,
    true,
  )
  checks.expect(`tmp/ after ${name}`, await readdir(join(service.home, 'tmp')), [])
  figures[name] = sockets.made
  figures[`99 of 100 healths beside ${name} (ms)`] = health.p99
  figures[`slowest of ${health.asked} healths beside ${name} (ms)`] = health.worst
  figures[`memory for ${name} (MiB)`] = during.memoryMiB - before.memoryMiB
}

/** Waits until the service has closed its ends, whether or not the clients notice. */
async function waitUntilFree({ pid }: Service, descriptors: number): Promise<boolean> {
  for (let waited = 0; waited < patienceMs; waited += 500) {
    if ((await processFigures(pid)).descriptors <= descriptors + 5) return true
    await sleep(500)
  }
  return false
}

/** Three times as many as may upload at once, so that the others wait for their turn. */
async function slowBodies({ service, tester }: Company, sockets: ManySockets): Promise<void> {
  const { links } = await tester.user.createDraft()
  const { pathname } = new URL(links['bucket'] ?? '')
  const headers = { ...(await headersFor(service, tester)), 'content-length': '1000000' }
  let number = 0
  await sockets.open(service.url, 24, (socket) => {
    number += 1
    socket.write(head(`PUT ${pathname}/slow-${number}`, headers))
    drip(socket, 'x', 500)
  })
}

async function slowReaders(company: Company, sockets: ManySockets): Promise<void> {
  const request = await largeDownload(company)
  await sockets.open(company.service.url, 100, (socket) => {
    socket.pause()
    socket.write(request)
  })
}

/** Clients that leave in the middle of a download, a thousand in all. */
async function leavingReaders(company: Company, sockets: ManySockets): Promise<void> {
  const request = await largeDownload(company)
  for (let round = 0; round < 20; round += 1) {
    await sockets.open(company.service.url, 50, (socket) => {
      socket.write(request)
      socket.once('data', () => socket.resetAndDestroy())
    })
  }
}

async function largeDownload({ service, tester, checks }: Company): Promise<string> {
  const draft = await tester.user.createDraft()
  checks.expect('a large upload', await tester.upload(draft, 'large', 64 * MiB), 201)
  const { pathname } = new URL(draft.links['bucket'] ?? '')
  return head(`GET ${pathname}/large`, await headersFor(service, tester))
}

async function headersFor({ url }: Service, tester: Tester) {
  return { host: new URL(url).host, ...(await tester.user.authorization()) }
}

/** Writes a little every so often until the socket is closed. */
function drip(socket: Socket, text: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(text), everyMs)
  socket.resume().once('close', () => clearInterval(timer))
}
