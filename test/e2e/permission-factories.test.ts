import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { startDaemon } from '../support/daemon-process.ts'
import { startInstitution, type Institution, type TokenOrder } from '../support/institution.ts'
import { expectProblem } from '../support/problem.ts'
import { User } from '../support/user.ts'

const example = fileURLToPath(
  new URL('../../examples/permissions/deposit.config.ts', import.meta.url),
)

const scope = 'deposit:write deposit:actions'

async function startExample() {
  await using stack = new AsyncDisposableStack()
  const institution = stack.use(await startInstitution())
  const daemon = stack.use(await startDaemon({ ...institution.env, DEPOSIT_CONFIG: example }))
  const owned = stack.move()
  return {
    daemon,
    as: (sub: string, claims: TokenOrder['claims'] = {}) =>
      userWith(institution, `${daemon.url}/api`, { sub, claims, scope }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function userWith({ mint }: Institution, api: string, order: TokenOrder): User {
  let token: Promise<string> | undefined
  return new User(api, () => (token ??= mint(order)))
}

it('The example of permissions lets staff deposit, and users that the operator names', async () => {
  await using service = await startExample()
  const { daemon, as } = service
  const staff = as('ada', { groups: ['staff'] })
  const guest = as('eve', { groups: ['guests'] })
  const json = { title: 'Sea level' }

  expect((await staff.post('/deposits/', { json })).status).toBe(201)
  expectProblem(await guest.post('/deposits/', { json }), 'permission_denied')
  await daemon.operate(['user', 'add', 'robot@example.org'])
  const made = ['token', 'create', '--user', 'robot@example.org', '--scope', scope]
  const token = (await daemon.operate(made)).trim()
  const robot = new User(`${daemon.url}/api`, async () => token)
  expect((await robot.post('/deposits/', { json })).status).toBe(201)
})

it('The example of permissions lets curators of physics alone publish physics', async () => {
  await using service = await startExample()
  const { as } = service
  const owner = as('ada', { groups: ['staff'] })
  const curator = as('cora', { groups: ['physics-curators'] })
  const physics = await owner.createDraft({ title: 'Tides', subject: 'physics' })
  const other = await owner.createDraft({ title: 'Songs', subject: 'music' })

  expectProblem(await owner.act(physics, 'publish'), 'permission_denied', /A curator of physics/)
  expectProblem(await curator.get(`/deposits/${other.id}`), 'permission_denied')
  expect((await curator.get(`/deposits/${physics.id}`)).status).toBe(200)
  expect((await curator.act(physics, 'publish')).status).toBe(202)
  expect((await owner.act(other, 'publish')).status).toBe(202)
})
