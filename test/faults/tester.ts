import { setTimeout as sleep } from 'node:timers/promises'
import { actionsScope, writeScope } from '../../core/contract/scopes.ts'
import type { DepositBody, FileBody } from '../../core/contract/schemas.ts'
import { bodyOf, send, type Reply } from '../support/http.ts'
import { User } from '../support/user.ts'
import { contentOf, sha256 } from './load/contents.ts'
import type { Random } from './random.ts'
import { operate, type Service } from './service.ts'

/** A client that tries one request after another and reads the status alone. */
export class Tester {
  readonly user: User
  readonly #service: Service
  readonly #random: Random

  private constructor(service: Service, random: Random, token: string) {
    this.#service = service
    this.#random = random
    this.user = new User(`${service.url}/api`, async () => token)
  }

  static async at(
    service: Service,
    random: Random,
    name = 'tester',
    { admin = false } = {},
  ): Promise<Tester> {
    const email = `${name}@example.org`
    await operate(service, 'user add', { email, ...(admin && { admin: 'true' }) })
    const scope = `${writeScope} ${actionsScope}`
    const token = await operate(service, 'token create', { user: email, scope })
    return new Tester(service, random, token)
  }

  /** Status of uploading this many bytes; 0 without an answer. */
  async upload({ links }: DepositBody, key: string, bytes: number): Promise<number> {
    const content = contentOf(this.#random, bytes)
    const reply = await this.user.putObject({ links }, key, content.bytes).catch(() => undefined)
    return reply?.status ?? 0
  }

  /** Uploads until it is refused; resolves to the status, and the number of files that were kept. */
  async fill(draft: DepositBody, name: string, bytes: number): Promise<readonly [number, number]> {
    for (let count = 0; ; count += 1) {
      const status = await this.upload(draft, `${name}-${count}`, bytes)
      if (status !== 201) return [status, count]
    }
  }

  /** True if every file of the draft exists with the bytes of its digest. */
  async readsAll({ id }: DepositBody): Promise<boolean> {
    const files = bodyOf<readonly FileBody[]>(await this.#get(`/deposits/${id}/files`), 200)
    for (const { filename, checksum } of files) {
      const { status, bytes } = await this.#get(`/deposits/${id}/files/${filename}?download`)
      if (status !== 200 || `sha256:${sha256(bytes)}` !== checksum) return false
    }
    return true
  }

  /** Digests take so long that the service may close an idle connection in between. */
  #get(path: string): Promise<Reply> {
    return this.user.get(path, { connection: 'close' })
  }

  async health(): Promise<string | undefined> {
    const reply = await send('GET', `${this.#service.url}/health`).catch(() => undefined)
    return (reply?.body as { readonly status?: string } | undefined)?.status
  }

  /** The daemon checks its disk only now and then: waits for `wanted`, and resolves to its health. */
  async healthComesTo(wanted: string): Promise<string | undefined> {
    for (let looks = 0; looks < 100; looks += 1) {
      if ((await this.health()) === wanted) return wanted
      await sleep(100)
    }
    return this.health()
  }
}
