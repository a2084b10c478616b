import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { isProblem, type Clock } from '../../../core/index.ts'
import { networkOf, withinLimits, type SharedLimit } from '../../http/authenticate.ts'
import { advice } from '../../issuer-advice.ts'
import { WrongPassphrase, type SignIn } from '../identity/sign-in.ts'
import { approveDevice, denyDevice, findDeviceRequest } from '../issuer/device-requests.ts'
import type { DeviceRequest } from '../issuer/device-requests.ts'
import type { EmbeddedIssuer } from '../embedded-issuer.ts'
import { formTickets } from '../issuer/form-ticket.ts'
import { approvePage, codePage, donePage } from '../pages/pages.ts'
import { fieldsOf, staleForm } from './issuer-form.ts'

export interface SignInParts {
  readonly issuer: EmbeddedIssuer
  readonly clock: Clock
  readonly signIn: SignIn
  readonly limit: SharedLimit
}

/**
 * `/device`: a person types the code of a program, sees what it asks for, and lets it sign in.
 * The service keeps no session between two pages, so another site has none to misuse.
 *
 * @see RFC 8628 §3.3 and §5.1 (guessing of codes)
 */
export function devicePages({ issuer, clock, signIn, limit }: SignInParts): FastifyPluginAsync {
  const tickets = async () => formTickets(await issuer.formKey(), clock)
  const ofNetwork = limit('code from', 5)
  const ofAll = limit('code', 100, 60 * 60)
  const ofUser = limit('code of', 5)

  const find = async (typed: string): Promise<DeviceRequest | undefined> =>
    findDeviceRequest(await issuer.provider(), typed)

  /**
   * Looks a code up. Where others have guessed too often, a person says who they are with the code:
   * their own guesses alone are counted then.
   *
   * @throws {DepositError} too_many_requests, and {@link WrongPassphrase}
   */
  const findTyped = async (request: FastifyRequest): Promise<DeviceRequest | undefined> => {
    const field = fieldsOf(request)
    const { ip: from } = request
    const look = (): Promise<DeviceRequest | undefined> => find(field('user_code'))
    if (field('email') === '') {
      const limits = [
        [ofNetwork, networkOf(from)],
        [ofAll, 'all'],
      ] as const
      return withinLimits(limits, look)
    }
    const { id } = await signIn({ email: field('email'), passphrase: field('passphrase'), from })
    return withinLimits([[ofUser, id]], look)
  }

  const decide = async (
    request: FastifyRequest,
    reply: FastifyReply,
    device: DeviceRequest,
  ): Promise<FastifyReply> => {
    const field = fieldsOf(request)
    if (field('decision') !== 'approve') {
      await denyDevice(device)
      return reply.send(donePage('Denied', advice.closePage()))
    }
    const credentials = { email: field('email'), passphrase: field('passphrase'), from: request.ip }
    const account = await signIn(credentials)
    request.actor = account.id
    await approveDevice(await issuer.provider(), device, account)
    return reply.send(donePage('Signed in', advice.goBack()))
  }

  return async (app) => {
    app.get('/device', async (request, reply) => {
      const { user_code: code } = request.query as { readonly user_code?: unknown }
      return reply.send(codePage(typeof code === 'string' ? code : ''))
    })
    app.post('/device', async (request, reply) => {
      const field = fieldsOf(request)
      const typed = field('user_code')
      const email = field('email')
      try {
        const device = await findTyped(request)
        if (!device)
          return await reply.code(404).send(codePage(typed, { wrong: advice.checkCode(), email }))
        return await reply.send(approvePage(device, (await tickets()).issue(device.userCode)))
      } catch (error) {
        if (error instanceof WrongPassphrase) {
          return reply.code(403).send(codePage(typed, { wrong: error.message, email }))
        }
        // A person who is signed in has used up their own guesses.
        if (!isProblem(error, 'too_many_requests') || email !== '') throw error
        return reply
          .code(429)
          .send(codePage(typed, { wrong: advice.signInWithCode(), email }, true))
      }
    })
    app.post('/device/approve', async (request, reply) => {
      const field = fieldsOf(request)
      const code = field('user_code')
      if (!(await tickets()).accepts(field('ticket'), code)) throw staleForm()
      // The ticket says that this code was found already: it is no guess.
      const device = await find(code)
      if (!device)
        return reply.code(404).send(codePage('', { wrong: advice.checkCode(), email: '' }))
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
