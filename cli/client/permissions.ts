import { apiPrefix, routes, schemasPrefix } from '../../core/contract/routes.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { ApiFailure } from './api-failure.ts'
import { isMe, type MeBody } from './bodies.ts'
import type { Connection } from './connection.ts'
import { pathOf } from './mounted-routes.ts'
import { otherDeposit, requirePossible, requireRoom, unknownSchema } from './rehearsal.ts'

/** Asks, before anything is sent or changed, whether the server would allow it. */
export class Permissions {
  readonly #connection: Connection
  readonly #resolve: (id: string) => Promise<string>

  /** @param resolve finds the whole identifier for what the user typed */
  constructor(connection: Connection, resolve: (id: string) => Promise<string>) {
    this.#connection = connection
    this.#resolve = resolve
  }

  /**
   * For a dry run: refuses, as the server would, an operation that the token or the state of the
   * deposit does not allow.
   *
   * @param operation as the server names it: `update`, `upload`, `delete file`
   * @throws {ApiFailure}
   */
  async requirePossible(tried: string, operation: string, deposit: DepositBody): Promise<void> {
    const path = await this.#pathTo(deposit.id)
    await this.#connection.requireScope(tried, path)
    requirePossible(tried, operation, deposit)
  }

  /**
   * Refuses, as the server would, changes that the token does not allow; the state of the deposit is
   * not asked.
   *
   * @throws {ApiFailure}
   */
  async requireMayUpdate(id: string): Promise<void> {
    const path = await this.#pathTo(id)
    await this.#connection.requireScope(`update ${id}`, path)
  }

  /**
   * As {@link requireMayUpdate}, for publishing.
   *
   * @param id absent for deposits that are not made yet
   */
  async requireMayPublish(id?: string): Promise<void> {
    const pid = id === undefined ? 'ID' : await this.#resolve(id)
    const path = pathOf(this.#connection.routes.action, { pid_value: pid, action: 'publish' })
    await this.#connection.requireScope(`publish ${id ?? 'the deposit'}`, path)
  }

  /**
   * For a dry run: refuses a `$schema` that the server does not have.
   *
   * @param deposit as it is, whose `$schema` is an address of the server
   * @throws {ApiFailure}
   */
  async requireSchema(tried: string, schema: unknown, deposit: DepositBody): Promise<void> {
    const { $schema: current } = deposit.metadata
    if (schema === current || schema === undefined) return
    const path = await this.#pathTo(deposit.id)
    await this.#requireSchemaOf(tried, schema, typeof current === 'string' ? current : '', path)
  }

  /**
   * As {@link requireSchema}, for new deposits.
   *
   * @throws {ApiFailure}
   */
  async requireSchemaForNew(schema: unknown): Promise<void> {
    if (schema === undefined) return
    const known = typeof schema === 'string' ? schema : ''
    await this.#requireSchemaOf(
      'create a deposit',
      schema,
      known,
      pathOf(this.#connection.routes.list),
    )
  }

  /**
   * Refuses new deposits that the token or the quota does not allow.
   *
   * @param bytes of all their files
   * @throws {ApiFailure}
   */
  async requireMayCreate(publish: boolean, bytes: number): Promise<void> {
    const path = pathOf(this.#connection.routes.list)
    const me = await this.#connection.requireScope('create a deposit', path)
    if (me.deposit !== null) throw otherDeposit('create a deposit', path)
    requireRoom('upload the files', await this.#withRoom(me, bytes), bytes)
    if (publish) await this.requireMayPublish()
  }

  /** Without what gives way to uploads, where the quota is short. */
  async #withRoom(me: MeBody, bytes: number): Promise<MeBody> {
    const { used = 0, quota } = me
    if (typeof quota !== 'number' || used + bytes <= quota) return me
    const path = `${apiPrefix + routes.me}?releasable=true`
    const request = { method: 'GET', path }
    const { releasable = 0, usage } = await this.#connection.json(
      'look up your quota',
      isMe,
      request,
    )
    return { ...me, used: Math.max(0, used - releasable - (usage?.answers ?? 0)) }
  }

  /** @param known an address of a schema of the server, or what is written for one */
  async #requireSchemaOf(
    tried: string,
    schema: unknown,
    known: string,
    path: string,
  ): Promise<void> {
    const [base = ''] = /^.*?\/schemas\//.exec(known) ?? []
    const text = typeof schema === 'string' ? schema : ''
    const name = text.startsWith(base) ? text.slice(base.length) : text
    const isPath = /^[\w.-]+(?:\/[\w.-]+)*$/.test(name)
    if (!isPath || /(?:^|\/)\.{1,2}(?:\/|$)/.test(name)) throw unknownSchema(tried, schema, path)
    await this.#connection
      .text(tried, { method: 'GET', path: schemasPrefix + name })
      .catch((error: unknown) => {
        const isMissing = error instanceof ApiFailure && error.problem.status === 404
        throw isMissing ? unknownSchema(tried, schema, path) : error
      })
  }

  async #pathTo(id: string): Promise<string> {
    return pathOf(this.#connection.routes.item, { pid_value: await this.#resolve(id) })
  }
}
