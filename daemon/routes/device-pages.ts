import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../core/index.ts'
import { networkOf, withinLimits, type SharedLimit } from '../identity/guess-limit.ts'
import { StaleForm, WrongPassphrase } from '../identity/refusals.ts'
import type { SignIn } from '../identity/sign-in.ts'
import { approveDevice, denyDevice, findDeviceRequest } from '../issuer/device-requests.ts'
import type { DeviceRequest } from '../issuer/device-requests.ts'
import type { EmbeddedIssuer } from '../issuer/embedded-issuer.ts'
import { formTickets } from '../issuer/form-ticket.ts'
import { approvePage, codePage, donePage } from '../pages/issuer/pages.ts'
import { fieldsOf } from './issuer-form.ts'

export interface SignInParts {
  readonly issuer: EmbeddedIssuer
  readonly clock: Clock
  readonly signIn: SignIn
  readonly limit: SharedLimit
}

const unknownCode = 'No program waits under this code. Look at it again, or begin anew.'

/**
 * `/device`: a person types the code of a program, sees what it asks for, and lets it sign in.
 * Nothing is remembered of a person between two pages, so there is nothing to ride on.
 *
 * @see RFC 8628 §3.3 and §5.1 (guessing of codes)
 */
export function devicePages({ issuer, clock, signIn, limit }: SignInParts): FastifyPluginAsync {
  const tickets = async () => formTickets(await issuer.formKey(), clock)
  const ofAddress = limit('code from', 5)
  const ofAll = limit('code', 100, 60 * 60)

  const find = async (
    { ip }: FastifyRequest,
    typed: string,
  ): Promise<DeviceRequest | undefined> => {
    const limits = [
      [ofAddress, networkOf(ip)],
      [ofAll, 'all'],
    ] as const
    const found = await withinLimits(limits, async () =>
      findDeviceRequest(await issuer.provider(), typed),
    )
    // Whoever guesses from many addresses does not get to go on guessing at the same codes.
    if (!found && !(await ofAll.hasLeft('all'))) await issuer.endWaiting()
    return found
  }

  const decide = async (
    request: FastifyRequest,
    reply: FastifyReply,
    device: DeviceRequest,
  ): Promise<FastifyReply> => {
    const field = fieldsOf(request)
    if (field('decision') !== 'approve') {
      await denyDevice(device)
      return reply.send(donePage('Denied', 'The program was not signed in. Close this page.'))
    }
    const credentials = { email: field('email'), passphrase: field('passphrase'), from: request.ip }
    const account = await signIn(credentials)
    request.actor = account.id
    await approveDevice(await issuer.provider(), device, account)
    return reply.send(donePage('Signed in', 'Go back to the program; you can close this page.'))
  }

  return async (app) => {
    app.get('/device', async (request, reply) => {
      const { user_code: code } = request.query as { readonly user_code?: unknown }
      return reply.send(codePage(typeof code === 'string' ? code : ''))
    })
    app.post('/device', async (request, reply) => {
      const typed = fieldsOf(request)('user_code')
      const device = await find(request, typed)
      if (!device) return reply.code(404).send(codePage(typed, unknownCode))
      return reply.send(approvePage(device, (await tickets()).issue(device.userCode)))
    })
    app.post('/device/approve', async (request, reply) => {
      const field = fieldsOf(request)
      const code = field('user_code')
      if (!(await tickets()).accepts(field('ticket'), code)) throw new StaleForm()
      const device = await find(request, code)
      if (!device) return reply.code(404).send(codePage('', unknownCode))
      try {
        return await decide(request, reply, device)
      } catch (error) {
        if (!(error instanceof WrongPassphrase)) throw error
        const again = { wrong: error.message, email: field('email') }
        return reply.code(403).send(approvePage(device, field('ticket'), again))
      }
    })
  }
}
