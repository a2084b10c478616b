import type { DepositBody } from '../../core/contract/schemas.ts'
import { bodyOf, type Reply, type Sent } from './http.ts'
import type { TestDaemon } from './test-daemon.ts'

/** A deposition, as Zenodo's interface answers it. */
export interface Deposition {
  readonly id: number
  readonly conceptrecid: string
  readonly state: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly files: readonly { readonly id: string; readonly filename: string }[]
  readonly links: Readonly<Record<string, string>>
}

/** Metadata with which Zenodo would publish. */
export const zenodoMetadata = {
  upload_type: 'publication',
  publication_type: 'deliverable',
  title: 'Water levels',
  description: '<p>Levels of the Elbe.</p>',
  creators: [{ name: 'Lovelace, Ada', affiliation: 'Analytical Engines', gnd: '118640224' }],
}

/** A user of the daemon as a client of Zenodo. */
export class ZenodoClient {
  readonly #daemon: TestDaemon
  readonly base: string

  constructor(daemon: TestDaemon) {
    this.#daemon = daemon
    this.base = `${daemon.origin}/zenodo/api`
  }

  /** @param path below the interface, or a whole address */
  ask(method: string, path: string, sent: Sent = {}): Promise<Reply> {
    const url = path.startsWith('/') ? this.base + path : path
    return this.#daemon.as('ada').send(method, url, sent)
  }

  async create(more: object = {}): Promise<Deposition> {
    const json = { metadata: { ...zenodoMetadata, ...more } }
    return bodyOf(await this.ask('POST', '/deposit/depositions', { json }), 201)
  }

  /** With the file `a.csv`, whose bytes are `1,2` and a line break. */
  async createWithFile(more: object = {}): Promise<Deposition> {
    const made = await this.create(more)
    bodyOf(await this.ask('PUT', `${made.links['bucket']}/a.csv`, { body: '1,2\n' }), 201)
    return made
  }

  /** @param link its name: `self`, or that of an action */
  follow(method: string, { links }: Deposition, link: string, sent: Sent = {}): Promise<Reply> {
    return this.ask(method, links[link] ?? link, sent)
  }

  act(made: Deposition, name: string): Promise<Reply> {
    return this.follow('POST', made, name)
  }

  async publish(made: Deposition): Promise<Deposition> {
    return bodyOf(await this.act(made, 'publish'), 202)
  }

  /** The same deposit in our own interface. */
  async ownOf({ links }: Deposition): Promise<DepositBody> {
    const id = links['html']?.split('/').at(-1) ?? ''
    return bodyOf(await this.#daemon.as('ada').get(`/deposits/${id}`), 200)
  }
}
