/**
 * Fifty clients send costly requests at once: pages of a record with a title of a megabyte, lists
 * of large drafts and revisions, one's own largest drafts, which are read, exported and rewritten,
 * first searches and costly queries, merges of long lists.
 *
 *     npm run test:faults -- hostile-mix                    one minute
 *     npm run test:faults -- hostile-mix --rounds 10        ten minutes
 */
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { maxListBytes } from '../../../core/service/bounded-page.ts'
import { head } from '../../support/raw-request.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { User } from '../../support/user.ts'
import { Checks } from '../checks.ts'
import type { Experiment, Outcome, Settings } from '../experiment.ts'
import { Random } from '../random.ts'
import { startService, type Service } from '../service.ts'
import { within } from '../within.ts'
import { HealthWatch } from './health-watch.ts'
import { manyObjects, stockUp, type Scale, type Stock } from './hostile-stock.ts'
import { ManySockets } from './many-sockets.ts'
import { processFigures } from './process-figures.ts'

/** Limits for 99 of 100 health checks, and for the daemon, on an otherwise idle machine. */
const targetMs = 100
const targetMiB = 700

/** The size of the largest list, with its frame and links. */
const mostBytes = maxListBytes * 1.25
/** Time for requests still running at the end to be answered. */
const patienceMs = 180_000

export const hostileMix: Experiment = {
  name: 'hostile-mix',
  claim:
    'Beside fifty clients that ask for what is costly, every health is answered, and every request is answered or refused with its reason, in no more bytes than a list may have.',
  obstacle: () => undefined,
  async run({ rounds = 1, ...settings }) {
    const scale = { drafts: 120, revisions: 60, owners: 5, documents: 4, searchers: 6, merges: 10 }
    const before = loadOfMachine()
    const { outcome, p99, peakMiB } = await mix(settings, scale, rounds * 60_000)
    const load = `${before} before, ${loadOfMachine()} after, ${availableParallelism()} processors`
    const isReached = p99 <= targetMs && peakMiB <= targetMiB
    const target = `${targetMs} ms and ${targetMiB} MiB: ${isReached ? 'reached' : 'missed'}`
    return { ...outcome, figures: { ...outcome.figures, target, 'load of the machine': load } }
  },
}

/** The average number of running or runnable processes over the last minute. */
function loadOfMachine(): string {
  return (loadavg()[0] ?? NaN).toFixed(1)
}

interface Mixed {
  readonly outcome: Outcome
  /** Milliseconds within which 99 of 100 healths were answered. */
  readonly p99: number
  /** The most memory that the daemon ever took. */
  readonly peakMiB: number
}

/** Runs the clients for `ms`; checks the promises that hold on any machine, however busy. */
export async function mix(
  settings: Omit<Settings, 'rounds'>,
  scale: Scale,
  ms: number,
): Promise<Mixed> {
  const { seed, say } = settings
  const checks = new Checks()
  const answers = new Map<string, number>()
  await using folder = await temporaryFolder()
  const service = await startService(join(folder.path, 'home'))
  try {
    const stock = await stockUp(service, new Random(seed), scale)
    const { memoryMiB } = await processFigures(service.pid)
    say(`all is stored; memory: ${memoryMiB} MiB`)
    const watch = new HealthWatch(service.url)
    const clients = crowdOf({ service, stock, checks, answers, until: performance.now() + ms })
    await within(ms + patienceMs, 'the last answers', Promise.all(clients))
    const health = await watch.end()
    const { peakMiB } = await processFigures(service.pid)
    checks.expect('healths not answered', health.unanswered, 0)
    checks.expect('the log', errorsIn(service.log()), [])
    const figures = {
      clients: clients.length,
      ...Object.fromEntries(answers),
      '99 of 100 healths (ms)': health.p99,
      [`slowest of ${health.asked} healths (ms)`]: health.worst,
      'memory after storing (MiB)': memoryMiB,
      'most memory (MiB)': peakMiB,
    }
    return { outcome: checks.outcome(figures), p99: health.p99, peakMiB }
  } finally {
    await service.kill()
  }
}

interface Company {
  readonly service: Service
  readonly stock: Stock
  readonly checks: Checks
  /** Counts of answers, by request and status. */
  readonly answers: Map<string, number>
  /** The time to end, on the clock of `performance.now()`. */
  readonly until: number
}

/** A request that some of the clients send again and again. */
interface Asking {
  readonly kind: string
  readonly clients: number
  readonly urls: readonly string[]
  readonly accept?: string
  /** JSON that is put. */
  readonly body?: string
  /** Anonymous if it is left out. */
  readonly user?: User
}

function crowdOf(company: Company): readonly Promise<void>[] {
  const { url } = company.service
  const { lister, record, revised, owners, searchers, author, largest } = company.stock
  const page = record.links['record_html'] ?? ''
  const deposits = queries.map((query) => `${url}/api/deposits/?q=${encodeURIComponent(query)}`)
  const records = queries.map((query) => `${url}/api/records/?q=${encodeURIComponent(query)}`)
  const drafts = largest.map(({ id }) => `${url}/api/deposits/${id}`)
  const objects = JSON.stringify(manyObjects)
  const asked: readonly Asking[] = [
    { kind: 'pages', clients: 8, urls: [page], accept: 'text/html' },
    { kind: 'lists', clients: 6, urls: [`${url}/api/deposits/?size=10000`], user: lister },
    { kind: 'revisions', clients: 6, urls: [`${revised.links['record']}/revisions`] },
    { kind: 'searches', clients: searchers, urls: records },
    { kind: 'drafts', clients: 4, urls: drafts.flatMap(waysToRead), user: author },
    { kind: 'bodies', clients: 2, urls: drafts.slice(-1), user: author, body: objects },
    ...owners.map((user) => ({ kind: 'searches', clients: 1, urls: deposits, user })),
  ]
  return [
    ...asked.flatMap((asking) =>
      Array.from({ length: asking.clients }, () => askAgain(company, asking)),
    ),
    ...Array.from({ length: publishers }, (_, at) => publishEdits(company, at)),
    ...Array.from({ length: idlers }, () => leaveUnread(company, page)),
  ]
}

const waysToRead = (draft: string): readonly string[] => [
  draft,
  `${draft}?prettyprint=1`,
  `${draft}/export/datacite-json`,
]

const publishers = 5
const idlers = 8

/** As many near words, prefixes and ranges as a query may have. */
const queries = [
  Array.from({ length: 8 }, (_, at) => `w${String(at).padStart(7, '0')}~2`),
  Array.from({ length: 8 }, (_, at) => `w${at % 4}${String(at).padStart(2, '0')}*`),
  Array.from({ length: 16 }, (_, at) => `values.a:[${at} TO 5]`),
  Array.from({ length: 60 }, (_, at) => `values.a:[${at} TO 5]`),
].map((clauses) => clauses.join(' OR '))

async function askAgain(
  company: Company,
  { kind, urls, accept, user, body }: Asking,
): Promise<void> {
  const headers = {
    ...(await user?.authorization()),
    ...(accept !== undefined && { accept }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  const how = body === undefined ? { method: 'GET', headers } : { method: 'PUT', headers, body }
  for (let at = 0; performance.now() < company.until; at += 1) {
    await ask(company, kind, urls[at % urls.length] ?? '', how)
  }
}

/** Publishes the edits of one of the publishers. */
async function publishEdits(company: Company, publisher: number): Promise<void> {
  const { edits, editor } = company.stock
  const headers = await editor.authorization()
  for (let at = publisher; at < edits.length; at += publishers) {
    if (performance.now() > company.until) return
    const url = `${company.service.url}/api/deposits/${edits[at]?.id}/actions/publish`
    await ask(company, 'merges', url, { method: 'POST', headers })
  }
}

/** Counts an answer: it must be a success or a refusal with a reason, and no longer than a list. */
async function ask(
  { checks, answers }: Company,
  kind: string,
  url: string,
  how: RequestInit,
): Promise<void> {
  const response = await fetch(url, { ...how, redirect: 'manual' })
  const { status } = response
  const chunks: Uint8Array[] = []
  let bytes = 0
  const body: AsyncIterable<Uint8Array> = response.body ?? Readable.from([])
  for await (const chunk of body) {
    bytes += chunk.length
    if (status >= 300) chunks.push(chunk)
  }
  const name = `${kind}: ${status}`
  answers.set(name, (answers.get(name) ?? 0) + 1)
  checks.expect(`bytes of ${kind} (${bytes}) within ${mostBytes}`, bytes <= mostBytes, true)
  checks.expect(`${kind}: ${status} is an answer`, isHonest(status), true)
  if (status < 300) return
  const problem = JSON.parse(Buffer.concat(chunks).toString()) as { readonly message?: string }
  checks.expect(`${kind}: ${status} says why`, typeof problem.message, 'string')
}

function isHonest(status: number): boolean {
  return status < 500 || status === 503 || status === 507
}

/** Asks for the page at most ten times without reading any of it. */
async function leaveUnread({ service, until }: Company, page: string): Promise<void> {
  const { pathname, host } = new URL(page)
  const request = head(`GET ${pathname}`, { host, accept: 'text/html' })
  using sockets = new ManySockets()
  for (let asked = 0; asked < 10 && performance.now() < until; asked += 1) {
    await sockets.open(service.url, 1, (socket) => {
      socket.pause()
      socket.write(request)
    })
  }
  await sleep(Math.max(0, until - performance.now()))
}

/** The lines with errors among the last lines of the log. */
function errorsIn(log: string): readonly string[] {
  return log.split('\n').filter((line) => /"level":(?:[5-9]\d|"error"|"fatal")/.test(line))
}
