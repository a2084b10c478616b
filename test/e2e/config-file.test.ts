import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { isProblem, problem } from '../../core/errors/errors.ts'
import { InvalidDocument, PermissionDenied } from '../../daemon/config/config-api.ts'
import { startDaemon, type DaemonProcess } from '../support/daemon-process.ts'
import { bodyOf, send } from '../support/http.ts'
import { asOwner } from '../support/owner.ts'
import { expectProblem } from '../support/problem.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { User } from '../support/user.ts'

const example = fileURLToPath(
  new URL('../../examples/configuration/deposit.config.ts', import.meta.url),
)

/** A user of the daemon with a token of these scopes. */
function userOf(
  daemon: DaemonProcess,
  name: string,
  scope = 'deposit:write deposit:actions',
): User {
  const email = `${name}@example.org`
  const makeToken = async (): Promise<string> => {
    await operate(daemon, 'user add', { email }).catch(() => 'there is one already')
    return operate(daemon, 'token create', { user: email, scope })
  }
  let token: Promise<string> | undefined
  return new User(`${daemon.url}/api`, () => (token ??= makeToken()))
}

/** Sends the daemon an operator's command; returns the last line of its results. */
async function operate(daemon: DaemonProcess, command: string, options: object): Promise<string> {
  const path = '/local/operator'
  const sent = { headers: await asOwner(daemon.url, daemon.home, path), json: { command, options } }
  const reply = await send('POST', daemon.url + path, sent)
  return bodyOf<{ readonly results: readonly string[] }>(reply, 200).results.at(-1) ?? ''
}

describe('the example of a configuration', () => {
  it('adds an action with its route and link, and a journal of every action', async () => {
    await using folder = await temporaryFolder()
    const config = join(folder.path, 'deposit.config.ts')
    await cp(example, config)
    await using daemon = await startDaemon({ DEPOSIT_CONFIG: config })
    const owner = userOf(daemon, 'owner')
    const draft = await owner.createDraft()
    expect(draft.links['submit']).toBe(`${draft.links['self']}/actions/submit`)
    const submitted = bodyOf<DepositBody>(await owner.act(draft, 'submit'), 201)
    expect(submitted.metadata).toHaveProperty('submitted', submitted.updated)
    const published = await owner.publish(draft)
    const page = published.links['record_html'] ?? ''
    const listed = await send('GET', `${published.links['record']}/export/markdown`)
    expect(listed.bytes.toString()).toMatch(/^- .*\): \[.+\]\(http:.*\)\n$/)
    const wanted = await send('GET', page, { headers: { accept: 'text/markdown' } })
    expect(wanted.bytes.toString()).toBe(listed.bytes.toString())
    expectProblem(await owner.act(draft, 'submit'), 'invalid_action')
    expectProblem(await owner.get(draft.links['submit'] ?? ''), 'method_not_allowed', /POST/)
    const journal = await readFile(join(folder.path, 'journal.log'), 'utf8')
    expect(journal.trim().split('\n')).toEqual([
      `${submitted.updated} submit depid:${draft.id}`,
      `${published.updated} publish depid:${draft.id}`,
    ])
  })
})

const signals = `
  import { appendFileSync } from 'node:fs'
  const note = (name) => ({ action, deposit }) =>
    appendFileSync(new URL('told.log', import.meta.url), [name, action, deposit.status].join(' ') + '\\n')
  const fail = () => { throw new Error('a receiver failed') }
  export default {
    signals: {
      beforeRecordUpdate: [note('before')],
      afterRecordUpdate: [note('after')],
      postAction: [fail, note('post')],
    },
  }
`

describe('the receivers of a configuration', () => {
  async function told(environment: NodeJS.ProcessEnv): Promise<string> {
    await using folder = await temporaryFolder({ 'deposit.config.mjs': signals })
    const DEPOSIT_CONFIG = join(folder.path, 'deposit.config.mjs')
    await using daemon = await startDaemon({ ...environment, DEPOSIT_CONFIG })
    const owner = userOf(daemon, 'owner')
    const deposit = await owner.createPublished()
    expectProblem(await owner.act(deposit, 'discard'), 'invalid_action')
    await owner.edit(deposit)
    expectProblem(await owner.act(deposit, 'edit'), 'invalid_action')
    bodyOf(await owner.act(deposit, 'discard'), 201)
    const { hits } = await owner.search('q=sea')
    expect(hits.total).toBe(1)
    return await readFile(join(folder.path, 'told.log'), 'utf8').catch(() => '')
  }

  it('are called in the order of the specification, and undo nothing when they fail', async () => {
    expect((await told({})).trim().split('\n')).toEqual([
      'post publish published',
      'before edit published',
      'after edit draft',
      'post edit draft',
      'before discard draft',
      'after discard published',
      'post discard published',
    ])
  })

  it('are not called if DEPOSIT_REGISTER_SIGNALS is false', async () => {
    expect(await told({ DEPOSIT_REGISTER_SIGNALS: 'false' })).toBe('')
  })
})

const endpoint = `
  import {
    actions, depositVisibility, indexedWriteScopePermission, InvalidAction,
    isAnyone, isOwner, PermissionDenied, scopePermission, writeScopePermission,
  } from 'depositd/config'
  const { publish, edit, discard } = actions
  const release = {
    summary: 'Publish it where that is possible',
    async run(deposit, context) {
      try {
        return await publish.run(deposit, context)
      } catch (error) {
        if (error instanceof PermissionDenied) throw error
        if (error instanceof InvalidAction) throw new PermissionDenied('Not possible: ' + error.faults[0].message)
        throw error
      }
    },
  }
  export default {
    DEPOSIT_REST_ENDPOINTS: {
      depid: {
        read_permission_factory_imp: scopePermission(isAnyone),
        create_permission_factory_imp: writeScopePermission(isAnyone),
        update_permission_factory_imp: indexedWriteScopePermission(
          (user, deposit) => isOwner(user, deposit) || deposit?.metadata.open === true,
        ),
        delete_permission_factory_imp: scopePermission(() => false, 'deposit:actions'),
        record_class: { actions: { publish, edit, discard, release } },
        search_class: {
          visibility: (caller) => (depositVisibility(caller), { of: 'deposits' }),
        },
        links_factory_imp: (deposit, links) => ({ ...links, badge: links.self + '.svg' }),
        default_media_type: 'text/plain',
        record_serializers: {
          'application/json': 'json',
          'text/plain': (body) => 'deposit ' + body.id,
        },
        files_serializers: {
          'application/json': 'json',
          'text/csv': (body) => [body].flat().map((file) => file.filename).join('\\r\\n'),
        },
      },
    },
  }
`

describe('an endpoint in a configuration program', () => {
  it('has its permissions, actions, visibility, links and serializers', async () => {
    await using folder = await temporaryFolder({ 'deposit.config.mjs': endpoint })
    const DEPOSIT_CONFIG = join(folder.path, 'deposit.config.mjs')
    await using daemon = await startDaemon({ DEPOSIT_CONFIG })
    const [owner, other] = [userOf(daemon, 'owner'), userOf(daemon, 'other')]
    const json = { accept: 'application/json' }
    const created = await owner.post('/deposits/', { json: {}, headers: json })
    const { id, links } = bodyOf<DepositBody>(created, 201)
    const at = `/deposits/${id}`

    expect(Object.keys(links)).toEqual(expect.arrayContaining(['publish', 'edit', 'discard']))
    expect(links).toHaveProperty('badge', `${links['self']}.svg`)
    expect(links).not.toHaveProperty('register')
    expectProblem(await owner.act({ id }, 'register'), 'not_found')

    const plain = await other.get(at)
    expect([plain.status, plain.bytes.toString()]).toEqual([200, `deposit ${id}`])
    expect(plain.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(plain.headers.get('vary')).toBe('accept')
    expectProblem(await other.get(at, { accept: 'text/html' }), 'not_acceptable', /text\/plain/)

    expectProblem(await other.put(at, { open: true }, json), 'permission_denied')
    expect((await owner.put(at, { open: true }, json)).status).toBe(200)
    expect((await other.put(at, { open: true, by: 'other' }, json)).status).toBe(200)
    expectProblem(await owner.delete(at), 'permission_denied')
    expectProblem(
      await userOf(daemon, 'owner', 'deposit:write').delete(at),
      'insufficient_scope',
      /./,
    )

    bodyOf(await owner.upload({ id }, 'a.txt'), 201)
    const list = await owner.get(`${at}/files`, { accept: 'text/csv' })
    expect([list.status, list.bytes.toString()]).toEqual([200, 'a.txt'])
    expect((await other.search()).hits.total).toBe(1)

    const release = () => owner.post(`${at}/actions/release`, { headers: json })
    expect((await release()).status).toBe(201)
    expectProblem(await release(), 'permission_denied', /^Not possible: The deposit is published/)
  })
})

describe('a problem that a configuration may catch', () => {
  it.each([
    ['invalid_document', InvalidDocument],
    ['permission_denied', PermissionDenied],
  ] as const)('is an instance of its class: %s', (code, Own) => {
    const found = problem(code, { message: 'No.', faults: [{ field: '/title', message: 'Why' }] })
    const { name, message, faults } = found
    expect(found).toBeInstanceOf(Own)
    expect(isProblem(found, code)).toBe(true)
    expect({ name, message, fields: faults.map(({ field }) => field) }).toEqual({
      name: Own.name,
      message: 'No.',
      fields: ['/title'],
    })
    expect(problem('invalid_paging', { field: 'page', reason: 'x' })).not.toBeInstanceOf(Own)
  })
})

describe('an invalid configuration', () => {
  it('keeps the daemon from starting', async () => {
    const failed = startDaemon({ DEPOSIT_MAX_FILES: 'many' })
    await expect(failed).rejects.toThrow(
      /depositd: DEPOSIT_MAX_FILES must be a whole number, not "many"/,
    )
  })
})
