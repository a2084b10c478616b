/**
 * Handles as identifiers of records, beside their own: a service that speaks the REST interface of
 * Handle.Net (ePIC and others) gets each record's address. Set DEPOSIT_PID_MINTER=handle.
 *
 * HANDLE_URL: base address, such as https://handle.example.org:8000
 * HANDLE_PREFIX: such as 21.T11148
 * HANDLE_AUTHORIZATION: the value of the header Authorization
 */
import { defineConfig, type OwnProvider, type Wanted } from 'depositd/config'

const { HANDLE_URL = '', HANDLE_PREFIX = '21.T11148', HANDLE_AUTHORIZATION = '' } = process.env

const handle: OwnProvider = {
  reserve: (value) => `${HANDLE_PREFIX}/${value.toUpperCase()}`,
  toUrl: (identifier) => `https://hdl.handle.net/${identifier}`,

  async want(wanted, signal) {
    const response = await call('PUT', wanted.identifier, signal, toValues(wanted))
    if (response.ok) return { is: 'done' }
    const { status } = response
    if (status === 401 || status === 403) {
      return { is: 'locked', message: `The handle service answers ${status}.` }
    }
    if (status === 400) return { is: 'refused', message: await response.text() }
    return { is: 'later', message: `The handle service answers ${status}.` }
  },

  async check(identifier, wanted, signal) {
    const response = await call('GET', identifier, signal)
    const there = response.ok ? urlIn(await response.json()) : 'absent'
    // A handle is not hidden: it leads to the page that says why the record is gone.
    const here = wanted?.target ?? 'absent'
    return here === there ? [] : [{ field: 'URL', here, there }]
  },
}

function toValues({ target }: Wanted): object {
  return { values: [{ index: 1, type: 'URL', data: { format: 'string', value: target } }] }
}

function call(
  method: string,
  identifier: string,
  signal: AbortSignal,
  body?: object,
): Promise<Response> {
  return fetch(`${HANDLE_URL}/api/handles/${identifier}?overwrite=true`, {
    method,
    signal,
    redirect: 'error',
    headers: { authorization: HANDLE_AUTHORIZATION, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
}

/** The part of an answer that is used. */
interface Handle {
  readonly values?: readonly { readonly type: string; readonly data: { readonly value: string } }[]
}

function urlIn(answer: unknown): string {
  const { values = [] } = answer as Handle
  return values.find(({ type }) => type === 'URL')?.data.value ?? 'absent'
}

export default defineConfig({ DEPOSIT_PID_MINTER: 'handle', providers: { handle } })
