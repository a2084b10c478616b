import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { commitChannel, type Commit, type Parts } from '../../core/index.ts'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { stat, statfs } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { healthParts, type Health } from '../stores/health.ts'
import type { Home } from '../home/home.ts'
import type { IssuerWatch } from '../sign-in/external/issuer-watch.ts'

/** Seconds: from an answer out of memory to an upload that takes a minute. */
const durations = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 60]

/** Most units that share a commit are 128. */
const groups = [1, 2, 4, 8, 16, 32, 64, 128]

/**
 * Figures for the operator, counted since the process began. Names are stable.
 *
 * @see https://prometheus.io/docs/practices/naming/
 */
export class Metrics implements Disposable {
  readonly registry = new Registry()
  readonly requests: Counter<'method' | 'route' | 'status'>
  readonly seconds: Histogram<'method' | 'route'>
  readonly uploads: Gauge
  readonly received: Counter
  readonly sent: Counter
  readonly signInFailures: Counter<'kind'>
  readonly #groups: Histogram

  constructor() {
    const registers = [this.registry]
    // Among them CPU, memory, open files, and the delay of the event loop.
    collectDefaultMetrics({ register: this.registry })
    // Gauges whose names end like those of counters, which checkers of metrics refuse.
    for (const kind of ['handles', 'requests', 'resources'])
      this.registry.removeSingleMetric(`nodejs_active_${kind}_total`)
    this.requests = new Counter({
      name: 'deposit_http_requests_total',
      help: 'Requests that were answered or abandoned.',
      labelNames: ['method', 'route', 'status'],
      registers,
    })
    this.seconds = new Histogram({
      name: 'deposit_http_request_duration_seconds',
      help: 'From the headers of a request to the end of its answer.',
      labelNames: ['method', 'route'],
      buckets: durations,
      registers,
    })
    this.uploads = new Gauge({
      name: 'deposit_uploads_under_way',
      help: 'Requests that carry the bytes of a file at the moment.',
      registers,
    })
    this.received = new Counter({
      name: 'deposit_http_received_bytes_total',
      help: 'Bytes of bodies and headers that came in.',
      registers,
    })
    this.sent = new Counter({
      name: 'deposit_http_sent_bytes_total',
      help: 'Bytes of bodies and headers that went out.',
      registers,
    })
    this.signInFailures = new Counter({
      name: 'deposit_sign_in_failures_total',
      help: 'Sign-ins and tokens that were refused.',
      labelNames: ['kind'],
      registers,
    })
    for (const kind of ['sign-in', 'token']) this.signInFailures.inc({ kind }, 0)
    this.#groups = new Histogram({
      name: 'deposit_commit_units',
      help: 'Units of work that shared a transaction and its sync.',
      buckets: groups,
      registers,
    })
    subscribe(commitChannel, this.#committed)
  }

  [Symbol.dispose](): void {
    unsubscribe(commitChannel, this.#committed)
    this.registry.clear()
  }

  readonly #committed = (commit: unknown): void => {
    this.#groups.observe((commit as Commit).units)
  }
}

/** Media types of bodies that are files. */
const fileBodies = /^(?:multipart\/form-data|application\/offset\+octet-stream)/

/** Counts every request once, however it ends. */
export function observeRequests(app: FastifyInstance, metrics: Metrics): void {
  const seen: Seen = new WeakMap()
  app.addHook('onRequest', (request, reply, done) => {
    const since = performance.now()
    const isUpload = carriesFile(request)
    if (isUpload) metrics.uploads.inc()
    reply.raw.once('close', () => {
      const { method, routeOptions } = request
      const route = routeOptions.url ?? 'none'
      const failure = signInFailure(request, reply.statusCode)
      if (failure !== undefined) metrics.signInFailures.inc({ kind: failure })
      metrics.requests.inc({ method, route, status: reply.statusCode })
      metrics.seconds.observe({ method, route }, (performance.now() - since) / 1000)
      countBytes(metrics, request.raw.socket, seen)
      if (isUpload) metrics.uploads.dec()
    })
    done()
  })
}

/** The kind of a refusal: a sign-in at a page or the issuer, or a token. */
function signInFailure({ url, headers }: FastifyRequest, status: number): string | undefined {
  if (/^\/(?:oauth|device)(?:\/|\?|$)/.test(url)) {
    return status === 401 || status === 403 || status === 429 ? 'sign-in' : undefined
  }
  return status === 401 && headers.authorization !== undefined ? 'token' : undefined
}

/** Bytes of each connection that were counted already. */
type Seen = WeakMap<Socket, { readonly read: number; readonly written: number }>

function countBytes(metrics: Metrics, socket: Socket, seen: Seen): void {
  const { read, written } = seen.get(socket) ?? { read: 0, written: 0 }
  const { bytesRead, bytesWritten } = socket
  metrics.received.inc(Math.max(0, bytesRead - read))
  metrics.sent.inc(Math.max(0, bytesWritten - written))
  seen.set(socket, { read: bytesRead, written: bytesWritten })
}

function carriesFile({ method, headers, url }: FastifyRequest): boolean {
  if (method === 'PUT') return /\/files\/[^/]+\//.test(url) && !isJson(headers['content-type'])
  return (method === 'POST' || method === 'PATCH') && fileBodies.test(headers['content-type'] ?? '')
}

function isJson(type: string | undefined): boolean {
  return type?.startsWith('application/json') ?? false
}

/** Time that counts over all rows are cached: they cost more than the rest together. Milliseconds. */
const countsMs = 60_000

/** Longest wait for a figure: Prometheus gives up the whole answer after ten seconds. Milliseconds. */
const patienceMs = 500

/** The parts that the figures are read from. */
interface Observed {
  readonly parts: Parts
  readonly health: Health
  readonly home: Home
  readonly version: string
  /** The issuer of access tokens, while it does not answer. */
  readonly failingIssuer: () => string | undefined
}

/** Figures that are read when they are asked for. */
export function addGauges(
  { registry }: Metrics,
  { parts, health, home, version, failingIssuer }: Observed,
): void {
  const gauge = (name: string, help: string, read: () => number | Promise<number>): void => {
    const inTime = patiently(async () => read())
    const made: Gauge = new Gauge({
      name,
      help,
      registers: [registry],
      // What cannot be read now is left out; `deposit_fault` is there to say why.
      collect: async () => {
        const value = await inTime()
        if (value === undefined) made.remove()
        else made.set(value)
      },
    })
  }
  const { database } = parts
  const totals = remembered(() => database.upkeep.checkTotals())
  gauge(
    'deposit_degraded',
    '1 where /health says degraded: deposit_fault, deposit_blobs_damaged and deposit_issuer_reachable say why.',
    async () => Number((await health.state(failingIssuer())).isDegraded),
  )
  const labelled = (name: string, help: string, labels: string[]): Gauge =>
    new Gauge({ name, help, labelNames: labels, registers: [registry] })
  const fault = new Gauge({
    name: 'deposit_fault',
    help: '1 for each part that fails: the database, the store of files, the disk (full), the home.',
    labelNames: ['part'],
    registers: [registry],
    collect: async () => {
      const faults = await health.faults()
      for (const part of healthParts) fault.set({ part }, Number(faults.includes(part)))
    },
  })
  labelled('deposit_info', 'The program that runs; always 1.', ['version']).set({ version }, 1)
  gauge('deposit_backup_age_seconds', 'Since the last backup; +Inf for none.', () =>
    backupAge(home),
  )
  const rows = remembered(() => countRows(parts))
  gauge('deposit_users', 'Accounts.', async () => (await rows()).users)
  gauge('deposit_drafts', 'Deposits that are drafts.', async () => (await rows()).drafts)
  gauge('deposit_records', 'Records that can be read.', async () => (await rows()).records)
  gauge(
    'deposit_stored_bytes',
    'Bytes of all files, each version.',
    async () => (await totals()).size,
  )
  const rooms = {
    home: patiently(() => roomAt(home.root)),
    blobs: patiently(() => roomApart(home)),
  }
  const free = new Gauge({
    name: 'deposit_disk_free_bytes',
    help: 'Room on the file system of the home, and on that of blobs/ where it is another one.',
    labelNames: ['folder'],
    registers: [registry],
    collect: async () => {
      const measure = async ([folder, read]: [string, typeof rooms.home]): Promise<void> => {
        const bytes = await read()
        if (bytes === undefined) free.remove({ folder })
        else free.set({ folder }, bytes)
      }
      await Promise.all(Object.entries(rooms).map(measure))
    },
  })
  gauge('deposit_search_ready', '0 while an index is made; slow till then.', async () =>
    Number(await parts.search.ready()),
  )
  gauge('deposit_doi_pending', 'Identifiers that are on their way to their provider.', () =>
    database.read.identifiers.count('pending'),
  )
  gauge('deposit_doi_refused', 'Identifiers that their provider refuses.', () =>
    database.read.identifiers.count('refused'),
  )
  const acts = remembered(() => database.read.audit.count())
  gauge('deposit_audit_rows', 'Entries of the audit trail.', acts)
  gauge('deposit_blobs', 'Files that are stored, each version.', async () => (await totals()).blobs)
  gauge('deposit_blobs_damaged', 'Blobs that were found damaged.', () =>
    parts.database.upkeep.damaged(),
  )
  gauge(
    'deposit_blobs_never_checked',
    'Blobs that were not read back since they were written.',
    async () => (await totals()).never,
  )
  gauge(
    'deposit_scrub_oldest_timestamp_seconds',
    'When the blob that waits longest was last read back; 0 for none.',
    async () => Date.parse((await totals()).oldest ?? '1970-01-01') / 1000,
  )
}

/** Seconds. `depositd backup` leaves the file; scripts that back up by other means touch it. */
async function backupAge({ lastBackup }: Home): Promise<number> {
  const found = await stat(lastBackup).catch(() => undefined)
  return found ? Math.max(0, (Date.now() - found.mtimeMs) / 1000) : Infinity
}

async function roomAt(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize
}

/** Undefined where the files are on the disk of the home, or in a bucket. */
async function roomApart({ root, blobs, storageUrl }: Home): Promise<number | undefined> {
  if (storageUrl !== undefined) return undefined
  const [own, other] = await Promise.all([stat(root), stat(blobs)])
  return own.dev === other.dev ? undefined : roomAt(blobs)
}

async function countRows({ database: { read } }: Pick<Parts, 'database'>) {
  const [users, deposits, records] = await Promise.all([
    read.accounts.count(),
    read.deposits.countByStatus({ of: 'deposits' }),
    read.records.count(),
  ])
  return { users, drafts: deposits.draft, records }
}

/** Undefined where the reading fails, or is late: then the next request waits for the same one. */
function patiently(read: () => Promise<number | undefined>): () => Promise<number | undefined> {
  let reading: Promise<number | undefined> | undefined
  return async () => {
    reading ??= read()
      .catch(() => undefined)
      .finally(() => (reading = undefined))
    return Promise.race([reading, setTimeout(patienceMs, undefined, { ref: false })])
  }
}

/** A failed reading is repeated by the next request. */
function remembered<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let known: Promise<Value> | undefined
  let until = -Infinity
  return () => {
    if (!known || performance.now() > until) {
      const asked = read()
      known = asked
      until = performance.now() + countsMs
      asked.catch(() => {
        if (known === asked) known = undefined
      })
    }
    return known
  }
}

/** Figures of an institution's issuer, where there is one. */
export function addIssuerFigures({ registry }: Metrics, watch: IssuerWatch): void {
  const registers = [registry]
  new Gauge({
    name: 'deposit_issuer_reachable',
    help: '0 where the issuer of access tokens does not answer, or is not who it should be.',
    registers,
    collect() {
      this.set(Number(!watch.isFailing))
    },
  })
  new Counter({
    name: 'deposit_issuer_failures_total',
    help: 'Times the issuer of access tokens could not be asked.',
    registers,
    collect() {
      this.reset()
      this.inc(watch.failures)
    },
  })
}
