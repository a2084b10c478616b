import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { commitChannel, type Commit } from '../../../core/index.ts'

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
