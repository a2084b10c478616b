import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** Properties of a token. */
export interface TokenOrder {
  readonly kind?: 'signed' | 'opaque' | 'machine' | 'revoke'
  readonly token?: string
  readonly sub?: string
  readonly audience?: string
  readonly scope?: string
  readonly claims?: Readonly<Record<string, string | readonly string[]>>
  readonly forged?: Readonly<Record<string, unknown>>
}

/** An institution's issuer, running during the test. */
export interface Institution extends AsyncDisposable {
  readonly issuer: string
  /** The configuration of a service that accepts its tokens. */
  readonly env: Readonly<Record<string, string>>
  /** Registers pages that are sent back to this address. */
  readonly addPages: (signedIn: string) => Promise<void>
  /** Registers the command line for the device flow. */
  readonly addCommandLine: () => Promise<void>
  /** Approves the device with this user code. */
  readonly approve: (code: string) => Promise<void>
  /** A token of the issuer: signed, for `ada` and the service, unless the order says otherwise. */
  readonly mint: (order?: TokenOrder) => Promise<string>
}

export const audience = 'https://deposit.example.org/api'

export async function startInstitution(): Promise<Institution> {
  const program = fileURLToPath(new URL('institution.process.ts', import.meta.url))
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = once(child, 'exit')
  const issuer = await firstLine(child.stdout)
  const tell = async (path: string, body: string): Promise<string> => {
    const reply = await fetch(issuer + path, { method: 'POST', body })
    if (!reply.ok) throw new Error(await reply.text())
    return reply.text()
  }
  return {
    issuer,
    env: {
      DEPOSIT_ISSUER: issuer,
      DEPOSIT_ISSUER_AUDIENCE: audience,
      DEPOSIT_ISSUER_CLIENT_ID: 'deposit-service',
      DEPOSIT_ISSUER_CLIENT_SECRET: 'service-secret',
      DEPOSIT_ISSUER_ADMIN_CLAIM: 'groups=deposit-admins',
    },
    mint: (order = {}) => {
      const usual = { kind: 'signed', sub: 'ada', audience, scope: 'deposit:write' }
      return tell('/mint', JSON.stringify({ ...usual, ...order }))
    },
    addPages: async (signedIn) => void (await tell('/pages', signedIn)),
    addCommandLine: async () => void (await tell('/command-line', '')),
    approve: async (code) => void (await tell('/approve', code)),
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await ended
    },
  }
}

async function firstLine(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(output)) {
    if (!line.startsWith('http')) continue
    output.resume()
    return line
  }
  throw new Error('the issuer did not start')
}
